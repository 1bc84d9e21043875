"""Which rules never decide anything, because one before them means every call that they mean and is as strict.

Only what is certain from the conditions is said: each kind of condition has a question here whether one value of it
means all that another one means, and "nobody knows" is no.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from synaptic.hooks.rules.commands import CommandPattern, list_spellings, name_program
from synaptic.hooks.rules.compile import Rule, is_given, list_given
from synaptic.hooks.rules.conditions import TOOL_NAMES, compile_globs, make_command_pattern
from synaptic.hooks.rules.entry import RuleEntry, list_items
from synaptic.hooks.rules.named_paths import PATH_KINDS
from synaptic.hooks.rules.paths import DEEP, PathPattern, match_parts
from synaptic.model.event import PreToolUse
from synaptic.model.once import computed_once
from synaptic.shell.book.entries import normalize_name
from synaptic.shell.globs import GLOB_SIGN, matches_glob

MAX_COST = 300_000
"""Of all comparisons in one file: those that people write have a few hundred, a hostile one costs no more than this."""
COST_OF_PAIR = 10
COMMAND_KEYS = frozenset({"run", "flags", "args"})
SPEAKING_ACTIONS = ("deny", "ask", "rewrite")
Key = tuple[object, ...]
Words = tuple[str, ...]


class RuleMeaning(msgspec.Struct, frozen=True, dict=True):
    """A rule, and what its conditions were compiled to."""

    rule: Rule

    @property
    def entry(self) -> RuleEntry:
        return self.rule.entry

    @computed_once
    def given(self) -> tuple[str, ...]:
        return list_given(self.entry)

    @computed_once
    def size(self) -> int:
        """Items of all conditions, and parts of their paths: what a comparison costs."""
        items = sum(len(list_items(getattr(self.entry, key))) for key in self.given)
        return items + sum(len(one.parts) for patterns in self.paths.values() for one in patterns)

    @computed_once
    def command(self) -> CommandPattern:
        return make_command_pattern(self.entry)

    @computed_once
    def paths(self) -> Mapping[str, tuple[PathPattern, ...]]:
        return {key: compile_globs(key, self.entry, self.rule.base) for key in PATH_KINDS if key in self.given}


class ShadowFinder:
    """The rules of one file, as they are met: each is filed under one thing that all it covers must have in common."""

    def __init__(self) -> None:
        self._filed: dict[Key, list[RuleMeaning]] = {}
        self._cost = 0

    def find_wider(self, rule: Rule) -> Rule | None:
        """A rule before this one that means every call of it and is as strict; without one, it is filed itself."""
        later = RuleMeaning(rule)
        for earlier in self._iter_candidates(later):
            self._cost += COST_OF_PAIR + earlier.size * later.size
            if self._cost > MAX_COST:
                break
            if is_as_strict(earlier.rule, rule) and covers(earlier, later):
                return earlier.rule
        if rule.entry.then in ("deny", "ask"):
            for key in dict.fromkeys(_iter_filing_keys(later)):
                self._filed.setdefault(key, []).append(later)
        return None

    def _iter_candidates(self, later: RuleMeaning) -> Iterator[RuleMeaning]:
        keys = dict.fromkeys(_iter_wanted_keys(later)) if self._filed else ()
        return (one for key in keys for one in self._filed.get(key, ()))


def is_as_strict(earlier: Rule, later: Rule) -> bool:
    """Whether the later one adds nothing where both match: beside a question, advice and other words are told."""
    if earlier.entry.enforcement != "enforce":
        return False  # it decides nothing itself
    if earlier.entry.then == "deny":
        # After the act, and at a stop, what others have to say is told beside a refusal.
        return later.entry.then in SPEAKING_ACTIONS or later.events == (PreToolUse.__name__,)
    return earlier.entry.then == later.entry.then == "ask"


def covers(earlier: RuleMeaning, later: RuleMeaning) -> bool:
    """Whether every call that the later one means is certainly meant by the earlier one."""
    one, other = earlier.entry, later.entry
    if not set(later.rule.events) <= set(earlier.rule.events):
        return False
    if is_given(one, "environment") and not (
        is_given(other, "environment") and _is_among(other.environment, one.environment)
    ):
        return False
    return all(_covers_key(key, earlier, later) for key in earlier.given)


def _covers_key(key: str, earlier: RuleMeaning, later: RuleMeaning) -> bool:
    if key in COMMAND_KEYS:
        return covers_command(earlier.command, later.command)
    return key in later.given and COVERS[key](earlier, later)


def covers_command(wide: CommandPattern, narrow: CommandPattern) -> bool:
    """Whether every command that one pattern means is meant by the other: they speak of one command together."""
    return (
        (not wide.runs or _all_covered(narrow.runs, wide.runs, _covers_run))
        and (not wide.flags or _all_covered(narrow.flags, wide.flags, str.__eq__))
        and (not wide.args or _all_covered(narrow.args, wide.args, covers_glob))
    )


def covers_glob(wide: str, narrow: str) -> bool:
    """Whether every name that one glob matches is matched by the other."""
    if wide == narrow or (wide and not wide.strip("*")):
        return True
    if GLOB_SIGN.search(narrow) is None:
        return matches_glob(narrow, wide)
    if wide.endswith("*") and GLOB_SIGN.search(wide.rstrip("*")) is None:  # `mcp__*` and `mcp__github__*`
        return _read_ends(narrow)[0].startswith(wide.rstrip("*"))
    if wide.startswith("*") and GLOB_SIGN.search(wide.lstrip("*")) is None:
        return _read_ends(narrow)[1].endswith(wide.lstrip("*"))
    return False


def covers_path(wide: PathPattern, narrow: PathPattern, *, takes_folders: bool) -> bool:
    """Whether every path that one pattern means, or may mean, is meant by the other."""
    if wide.anchor != narrow.anchor[: len(wide.anchor)]:
        return False
    # A plain name is not thought of where a whole folder is named by a pattern (`dist/*`): other patterns are.
    if wide.is_anywhere and not (narrow.is_anywhere and wide.anchor == narrow.anchor):
        return False
    if not _covers_parts(wide.parts, narrow.parts):
        return False
    above = range(len(wide.anchor) + 1, len(narrow.anchor) + 1) if takes_folders else ()
    return all(match_parts(narrow.anchor[:size], wide.parts) for size in above)


def _covers_parts(wide: Words, narrow: Words) -> bool:
    """The same for patterns part by part: `**` of the narrow one is only within a `**` of the wide one."""
    reached = {0}
    for part in narrow:
        found: set[int] = set()
        for place in _skip_deep(reached, wide):
            if place < len(wide) and wide[place] == DEEP:
                found.add(place)
            elif place < len(wide) and part != DEEP and _covers_part(wide[place], part):
                found.add(place + 1)
        reached = found
    return len(wide) in _skip_deep(reached, wide)


def _skip_deep(places: Iterable[int], wide: Words) -> set[int]:
    """These places of a pattern, and those behind a `**` that takes nothing more."""
    found: set[int] = set()
    for start in places:
        place = start
        found.add(place)
        while place < len(wide) and wide[place] == DEEP:
            place += 1
            found.add(place)
    return found


def _covers_part(wide: str, narrow: str) -> bool:
    # Not `covers_glob`: a part of a call's path may be a pattern itself, and two patterns are only compared roughly.
    return wide == narrow or not wide.strip("*") or (GLOB_SIGN.search(narrow) is None and matches_glob(narrow, wide))


def _covers_run(wide: Words, narrow: Words) -> bool:
    program = normalize_name(name_program(narrow[0]))
    is_script = "." in wide[0] or "." in narrow[0]
    if wide[0] != narrow[0] and (is_script or normalize_name(name_program(wide[0])) != program):
        return False
    return len(wide) <= len(narrow) and all(
        one == other or (not is_script and list_spellings(program, other) <= list_spellings(program, one))
        for one, other in zip(wide[1:], narrow[1:], strict=False)
    )


def _all_covered(narrow: Sequence[object], wide: Sequence[object], test: Callable[..., bool]) -> bool:
    """Whether there is a narrow one, and each is covered by some wide one."""
    return bool(narrow) and all(any(test(one, other) for one in wide) for other in narrow)


def _is_among(narrow: object, wide: object) -> bool:
    return set(list_items(narrow)) <= set(list_items(wide))


def _read_ends(glob: str) -> tuple[str, str]:
    """The literal text before the first sign of a glob, and behind its last one."""
    first = GLOB_SIGN.search(glob)
    last = max(glob.rfind(sign) for sign in "*?]")
    return glob[: first.start()] if first else glob, glob[last + 1 :]


def _has_items(key: str, earlier: RuleMeaning, later: RuleMeaning) -> bool:
    return _is_among(getattr(later.entry, key), getattr(earlier.entry, key))


def _has_globs(key: str, earlier: RuleMeaning, later: RuleMeaning) -> bool:
    return _all_covered(_list_globs(key, later.entry), _list_globs(key, earlier.entry), covers_glob)


def _has_paths(key: str, earlier: RuleMeaning, later: RuleMeaning) -> bool:
    test = partial(covers_path, takes_folders=key == "delete")
    return _all_covered(later.paths[key], earlier.paths[key], test)


def _has_branch(earlier: RuleMeaning, later: RuleMeaning) -> bool:
    # Beside `run` it is the branch where that command works, else the one where the agent does.
    return bool(earlier.command.runs) is bool(later.command.runs) and _has_globs("branch", earlier, later)


def _has_subagent(earlier: RuleMeaning, later: RuleMeaning) -> bool:
    one, other = earlier.entry.subagent, later.entry.subagent
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return _has_globs("subagent", earlier, later)


def _has_context(earlier: RuleMeaning, later: RuleMeaning) -> bool:
    return (earlier.entry.context_over or 0.0) <= (later.entry.context_over or 0.0)


def _has_before(earlier: RuleMeaning, later: RuleMeaning) -> bool:
    # Fewer things that must not have happened, and since the same or a later time.
    is_since_same = "after" in earlier.given or "after" not in later.given
    return is_since_same and _is_among(earlier.entry.before, later.entry.before)


def _has_same(key: str, earlier: RuleMeaning, later: RuleMeaning) -> bool:
    return bool(getattr(earlier.entry, key) == getattr(later.entry, key))


COVERS: Mapping[str, Callable[[RuleMeaning, RuleMeaning], bool]] = {
    **{key: partial(_has_items, key) for key in ("agent", "mode", "after", "content", "prompt")},
    **{key: partial(_has_globs, key) for key in ("tool", "host")},
    **{key: partial(_has_paths, key) for key in PATH_KINDS},
    "cwd": partial(_has_same, "cwd"),
    "branch": _has_branch,
    "subagent": _has_subagent,
    "context_over": _has_context,
    "before": _has_before,
}
"""For each condition that both have: whether the earlier one holds wherever the later one does."""
SHARED_ITEMS = ("flags", "content", "prompt", "agent", "mode", "after")
SHARED_GLOBS = ("tool", "host", "args")


def _list_globs(key: str, entry: RuleEntry) -> Words:
    items = list_items(getattr(entry, key))
    if key == "tool":
        return tuple(TOOL_NAMES.get(item, item) for item in items)
    return tuple(item.lower() for item in items) if key == "host" else items


def _iter_filing_keys(meaning: RuleMeaning) -> Iterator[Key]:
    """What a rule is filed under: for one of its conditions, each of the items of which one must cover the other's."""
    entry, given = meaning.entry, meaning.given
    if "run" in given:
        yield from (("run", normalize_name(name_program(run[0])), *run[1:2]) for run in meaning.command.runs)
    elif kind := next((kind for kind in PATH_KINDS if kind in given), ""):
        yield from ((kind, one.anchor, _name_last(one)) for one in meaning.paths[kind])
    elif key := next((key for key in SHARED_GLOBS if key in given), ""):
        yield from ((key, _drop_pattern(glob)) for glob in _list_globs(key, entry))
    elif key := next((key for key in SHARED_ITEMS if key in given), ""):
        yield from ((key, item) for item in list_items(getattr(entry, key)))
    else:
        yield ()


def _iter_wanted_keys(meaning: RuleMeaning) -> Iterator[Key]:
    """Under what a rule may be filed that covers this one: its first items say enough, since all must be covered."""
    entry, given = meaning.entry, meaning.given
    yield ()
    if "run" in given:
        run = meaning.command.runs[0]
        program = normalize_name(name_program(run[0]))
        yield ("run", program)
        yield from (("run", program, word) for word in (list_spellings(program, run[1]) if len(run) > 1 else ()))
    for kind, patterns in meaning.paths.items():
        last = _name_last(patterns[0])
        for size in range(len(patterns[0].anchor) + 1):
            yield from ((kind, patterns[0].anchor[:size], name) for name in dict.fromkeys(("", last)))
    for key in SHARED_GLOBS:
        if key in given:
            yield from ((key, name) for name in dict.fromkeys(("", _drop_pattern(_list_globs(key, entry)[0]))))
    yield from ((key, list_items(getattr(entry, key))[0]) for key in SHARED_ITEMS if key in given)


def _name_last(pattern: PathPattern) -> str:
    return _drop_pattern(pattern.parts[-1])


def _drop_pattern(text: str) -> str:
    return "" if GLOB_SIGN.search(text) else text
