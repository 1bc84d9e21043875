"""Which hooks an event concerns: by event name, matcher and the further conditions of a declaration."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import cast

import msgspec

from synaptic.hooks.speakers import NO_SPEAKERS, PolicySpeakers
from synaptic.model.call import Call
from synaptic.model.event import Event, ToolEvent
from synaptic.model.hook import Builtin, Hook, Match
from synaptic.model.pattern import LinearPattern, SlowPattern
from synaptic.policies.base import Policy

NAME_LIST = re.compile(r"[A-Za-z0-9_ ,|-]*")
TOOL_ALIASES = {"Task": "Agent", "KillShell": "TaskStop", "KillBash": "TaskStop"}
GLOB_REGEXES = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
MEMO_LIMIT = 4096
SHARED_LIMIT = 256


class SelectedHooks(msgspec.Struct, frozen=True):
    """The hooks that one event concerns, first to run first, with what can be known about them before it happens."""

    hooks: tuple[Hook, ...]
    policies: tuple[Policy | None, ...] = ()
    """The policy of each hook that is one."""
    needs: frozenset[str] = frozenset()
    """Facts that the policies among them ask for."""
    policy_names: str = ""
    """Their ids, in order: what the trace says when none of them had anything to say."""
    names: tuple[str, ...] = ()
    """The same by place; empty for hooks that the trace does not name then."""
    others: frozenset[int] = frozenset()
    """The places of hooks that are no policies."""
    deriver: Policy | None = None
    """The first policy among them that derives a further event from this one."""
    hook_log: str = ""
    """Where the log lines of hooks are appended, below the project's root: the file of a policy that keeps one."""
    speakers: PolicySpeakers = NO_SPEAKERS
    """Which of the policies may have something to say about a command."""
    gates: frozenset[int] = frozenset()
    """The places of the gates that are enforced."""

    def list_needs(self, places: Iterable[int]) -> frozenset[str]:
        """Further facts that rules at these places ask for: gathered only once such a rule may speak."""
        policies = map(self.policies.__getitem__, places)
        ruling = (policy for policy in policies if policy is not None and not policy.is_named_when_quiet)
        return frozenset(need for policy in ruling for need in policy.needs if need not in self.needs)


def compile_selection(hooks: tuple[Hook, ...], hook_log: str = "") -> SelectedHooks:
    """A selection of these hooks, in this order. `hook_log` is where they log when none of them keeps a log itself."""
    policies = tuple(cast(Policy, hook.handler.policy) if isinstance(hook.handler, Builtin) else None for hook in hooks)
    present = [policy for policy in policies if policy is not None and policy.is_named_when_quiet]
    speakers = PolicySpeakers(policies)
    names = tuple(
        hook.id if policy is not None and policy.is_named_when_quiet else ""
        for hook, policy in zip(hooks, policies, strict=True)
    )
    return SelectedHooks(
        hooks,
        policies,
        speakers.needs.union(need for policy in present for need in policy.needs),
        " ".join(filter(None, names)),
        names,
        frozenset(place for place, policy in enumerate(policies) if policy is None),
        next((policy for policy in present if policy.derives_event), None),
        next((policy.hook_log for policy in present if policy.hook_log), hook_log),
        speakers,
        frozenset(place for place, hook in enumerate(hooks) if hook.mode == "enforce" and _is_gate(policies[place])),
    )


def _is_gate(policy: Policy | None) -> bool:
    return isinstance(policy, Policy) and policy.is_gate  # a rule stands in a policy's place and is none


class HookIndex:
    """The hooks of one catalog in their total order, found again at the price of one look-up per event and subject."""

    def __init__(self, hooks: Iterable[Hook]) -> None:
        self._by_event: dict[str, list[tuple[Hook, Callable[[str], bool]]]] = {}
        self._memo: dict[tuple[str, str, tuple[str, ...]], SelectedHooks] = {}
        self._shared: dict[int, SelectedHooks] = {}
        """Selections by the set of their hooks: most subjects concern the same ones."""
        self._places: dict[int, int] = {}
        self._conditional = False
        self._hook_log = ""
        for place, hook in enumerate(sorted(hooks, key=lambda hook: hook.rank)):
            self._places[id(hook)] = place
            self._conditional |= hook.match is not None
            if isinstance(hook.handler, Builtin):  # whatever event a hook logs about, the policy keeps its lines
                self._hook_log = self._hook_log or cast(Policy, hook.handler.policy).hook_log
            for event in hook.events:
                self._by_event.setdefault(event, []).append((hook, compile_matcher(hook.matcher)))

    def select(self, call: Call) -> SelectedHooks:
        """The hooks for this call."""
        named = self._select_by_name(call.event)
        if self._conditional and any(hook.match for hook in named.hooks):
            return self._share_selection(
                tuple(hook for hook in named.hooks if hook.match is None or matches_call(hook.match, call, hook.root))
            )
        return named

    def _share_selection(self, hooks: tuple[Hook, ...]) -> SelectedHooks:
        key = 0
        for hook in hooks:
            key |= 1 << self._places[id(hook)]
        found = self._shared.get(key)
        if found is None:
            if len(self._shared) >= SHARED_LIMIT:
                self._shared.clear()
            found = self._shared[key] = compile_selection(hooks, self._hook_log)
        return found

    def listens_to(self, event: str) -> bool:
        """Whether any hook is registered for this event."""
        return event in self._by_event

    def _select_by_name(self, event: Event) -> SelectedHooks:
        key = (event.hook_event_name, event.subject, event.roles)
        if (known := self._memo.get(key)) is not None:
            return known
        registered = self._by_event.get(event.hook_event_name, ())
        # An event without a subject has nothing a matcher could be compared with: all its hooks run.
        found = self._share_selection(
            tuple(
                hook
                for hook, matches in registered
                if not event.SUBJECT or matches(key[1]) or _matches_role(hook, matches, key[2])
            )
        )
        if len(self._memo) >= MEMO_LIMIT:
            self._memo.clear()
        self._memo[key] = found
        return found


def _matches_role(hook: Hook, matches: Callable[[str], bool], roles: tuple[str, ...]) -> bool:
    """A policy for shell commands judges every tool that runs one; a hook of the user's matches names and no more."""
    return hook.is_policy and any(map(matches, roles))


@lru_cache(maxsize=4096)
def compile_matcher(text: str) -> Callable[[str], bool]:
    """A test for a subject: full match, a list of names or a regular expression. Raises re.error for a bad one."""
    if text in ("", "*", ".*"):
        return lambda subject: True
    if NAME_LIST.fullmatch(text):
        names = {name.strip() for name in re.split(r"[|,]", text)}
        names |= {TOOL_ALIASES[name] for name in names if name in TOOL_ALIASES}
        return names.__contains__
    pattern = compile_pattern(text)
    return lambda subject: bool(pattern.fullmatch(subject))


def compile_pattern(text: str) -> LinearPattern | re.Pattern[str]:
    """A regular expression that takes linear time, but for what only users may write. Raises re.error for a bad one."""
    try:
        return LinearPattern(text)
    except SlowPattern:
        return re.compile(text)


def matches_call(match: Match, call: Call, root: str = "") -> bool:
    """Whether every condition that is present holds. `root`: the folder of the declaration, if not the call's own."""
    event, root = call.event, root or call.root
    return (
        _matches_any_glob(match.ability_scope, (event.subject,))
        and _matches_any_glob(match.operation_key, (getattr(event, "operation_key", ""),))
        and _is_long_enough(match.min_duration_ms, event)
        and _matches_any_glob(match.only_if_changed_paths, _make_relative(_get_changed_files(event), root))
        and _matches_any_glob(match.file_patterns, _make_relative(_list_touched_files(call), root))
    )


def _is_long_enough(least: float | None, event: Event) -> bool:
    if not least:
        return True
    duration = getattr(event, "duration_ms", None)
    return duration is not None and float(duration) >= least


def _get_changed_files(event: Event) -> tuple[str, ...]:
    return getattr(event, "changed_files", ())


def _list_touched_files(call: Call) -> tuple[str, ...]:
    named = call.payload.get("files_touched")
    touched = tuple(str(path) for path in named) if isinstance(named, list | tuple) else ()
    tool = call.event.tool.paths if isinstance(call.event, ToolEvent) else ()
    return touched + tool + _get_changed_files(call.event)


def _make_relative(paths: Iterable[str], root: str) -> tuple[str, ...]:
    return tuple(path.removeprefix(f"{root}/").removeprefix("./") for path in paths)


def _matches_any_glob(globs: tuple[str, ...], texts: Iterable[str]) -> bool:
    if not globs or globs == ("*",):
        return True
    return any(compile_glob(pattern).fullmatch(text) for text in texts for pattern in globs)


@lru_cache(maxsize=4096)
def compile_glob(pattern: str) -> LinearPattern | re.Pattern[str]:
    """A glob over slash-separated names: `*` stays inside one, `**` crosses them. One that is none is plain text."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]]+\])", pattern)
    try:
        return compile_pattern("".join(GLOB_REGEXES.get(part) or _escape_part(part) for part in parts))
    except re.error:
        return re.compile(re.escape(pattern))


def _escape_part(part: str) -> str:
    if not (part.startswith("[") and part.endswith("]")):
        return re.escape(part)
    return f"[^{part[2:-1]}]" if part.startswith("[!") else part
