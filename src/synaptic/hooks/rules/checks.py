"""What is odd about a rule that can be read: it can never match, says nothing, or another one says it already."""

from collections.abc import Iterable, Iterator
from functools import cache

from synaptic.agents.shared.discover import list_agent_names
from synaptic.hooks.nearest import MAX_HINTS, find_nearest, make_hint
from synaptic.hooks.rules.commands import name_program
from synaptic.hooks.rules.compile import Rule, list_given, needs_tool
from synaptic.hooks.rules.conditions import TOOL_CONDITIONS, make_command_pattern
from synaptic.hooks.rules.entry import TELLING_ACTIONS, RuleEntry, list_items
from synaptic.hooks.rules.problems import RuleProblem
from synaptic.hooks.rules.shadows import ShadowFinder
from synaptic.hooks.tool_names import count_differences, find_meant_tool
from synaptic.model.event import EVENTS, Event, Timing, ToolEvent, UserPromptSubmit
from synaptic.shell.book.entries import BOOK, UNKNOWN_PROGRAM, find_program

MODES = ("default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions")
STRICTNESS = {"record": 0, "advise": 1, "remind": 1, "rewrite": 2, "ask": 3, "deny": 4}
REWRITING_KEYS = ("add", "remove", "replace")
LEAST_LETTERS = 3
LONG_PROGRAM = 5
"""Letters of a name in which one may be wrong."""


def find_doubts(rule: Rule, told: int) -> tuple[RuleProblem, ...]:
    """Everything that is odd about one rule by itself; of `told` many problems before, no more hints are made."""
    return tuple(_make(rule, *one) for one in _iter_doubts(rule, rule.entry, told))


Doubt = tuple[str, str, str, bool]
"""Key, what, hint, and whether the rule is off."""


def _make(rule: Rule, key: str, what: str, hint: str, is_off: bool) -> RuleProblem:
    where, number = rule.place.file, rule.number
    return RuleProblem(where=where, number=number, id=rule.id, key=key, what=what, hint=hint, is_off=is_off)


def _iter_doubts(rule: Rule, entry: RuleEntry, told: int) -> Iterator[Doubt]:
    for name in rule.events:
        if name not in EVENTS:
            yield "event", f"unknown event `{name[:80]}`", make_hint(name, EVENTS, told), True
            return
    yield from _iter_impossible(rule, entry)
    yield from _iter_unsaid(entry)
    if told <= MAX_HINTS:
        yield from _iter_misspelt(entry)


def _iter_impossible(rule: Rule, entry: RuleEntry) -> Iterator[Doubt]:
    kinds = [EVENTS[name] for name in rule.events]
    given = list_given(entry)
    if needs_tool(entry) and not any(issubclass(kind, ToolEvent) for kind in kinds):
        key = next(key for key in given if key in TOOL_CONDITIONS)
        yield key, f"can never match: {', '.join(rule.events)} has no tool call", "leave out `event`, or the key", True
    if entry.prompt and UserPromptSubmit not in kinds:
        yield "prompt", f"can never match: {', '.join(rule.events)} has no prompt", 'event = "UserPromptSubmit"', True
    if not given and rule.events == ("PreToolUse",):
        yield "", "has no condition: it would speak about every call", "say when: `run`, `edit`, `tool`, ...", True
    if entry.then == "ask" and not any(_can_ask(kind) for kind in kinds):
        yield "then", f"nobody can be asked at {', '.join(rule.events)}", "use `deny` or `advise`", True
    if entry.then == "rewrite":
        yield from _iter_bad_rewrite(rule, entry)
    elif wrong := next((key for key in REWRITING_KEYS if getattr(entry, key)), ""):
        yield wrong, "only a rewrite changes words", 'then = "rewrite"', True


def _iter_bad_rewrite(rule: Rule, entry: RuleEntry) -> Iterator[Doubt]:
    if rule.events != ("PreToolUse",):
        yield "event", "only a call that has not run yet can be rewritten", "leave out `event`", True
    if not entry.run:
        yield "run", "a rewrite changes a command: say which", 'run = "npm install"', True
    if not any(getattr(entry, key) for key in REWRITING_KEYS):
        yield "then", "a rewrite without `add`, `remove` or `replace` changes nothing", "", True


def _iter_unsaid(entry: RuleEntry) -> Iterator[Doubt]:
    if entry.then in TELLING_ACTIONS and not entry.say.strip():
        yield "say", f"is needed: what is told when the rule says {entry.then}?", "", True
    if entry.once == "prompt" and entry.then != "remind":
        yield "once", "only a reminder is told once", 'then = "remind"', False


def _iter_misspelt(entry: RuleEntry) -> Iterator[Doubt]:
    """Names that resemble a known one. A name that resembles none may be of something newer."""
    for key, known in (("agent", list_agent_names()), ("mode", MODES)):
        for name in list_items(getattr(entry, key)):
            if name not in known and (near := find_nearest(name, known)):
                yield key, f"unknown {key} `{name[:80]}`", f"did you mean `{near}`?", key == "agent"
    for name in list_items(entry.tool):
        if near := find_meant_tool(name):
            yield "tool", f"unknown tool `{name[:80]}`", f"did you mean `{near}`?", True
    for words in make_command_pattern(entry).runs:
        program = name_program(words[0])
        if near := _find_meant_program(program):
            yield "run", f"unknown program `{program[:80]}`", f"did you mean `{near}`?", False


def _find_meant_program(name: str) -> str:
    """The known program that a misspelt one means: letters of it in another order, or one of them wrong."""
    if len(name) < LEAST_LETTERS or not name.isalpha() or find_program(name) is not UNKNOWN_PROGRAM:
        return ""
    alike = (known for form in _list_forms(name) for known in _list_programs_by_form().get(form, ()))
    near = (known for known in alike if count_differences(name, known) == 1)
    return next((one for one in near if len(name) >= LONG_PROGRAM or sorted(one) == sorted(name)), "")


@cache
def _list_programs_by_form() -> dict[str, list[str]]:
    """Known programs by each of their names with one letter left out: so the near ones are found without comparing."""
    found: dict[str, list[str]] = {}
    for known in BOOK:
        for form in _list_forms(known) if len(known) >= LEAST_LETTERS else ():
            found.setdefault(form, []).append(known)
    return found


def _list_forms(name: str) -> set[str]:
    return {name, *(name[:place] + name[place + 1 :] for place in range(len(name)))}


def _can_ask(kind: type[Event]) -> bool:
    return kind.TIMING is Timing.BEFORE


def find_shadowed(rules: Iterable[Rule]) -> list[RuleProblem]:
    """Rules that never say anything new: an equal or wider one before them says as much."""
    found: list[RuleProblem] = []
    seen: dict[tuple[object, ...], Rule] = {}
    finder = ShadowFinder()
    for rule in rules:
        known = seen.get(key := _make_key(rule))
        if known is not None and STRICTNESS[known.entry.then] >= STRICTNESS[rule.entry.then]:
            what = f"says nothing new: rule {known.number} `{known.id}` has the same conditions and is as strict"
            found.append(_make(rule, "", what, "", False))
        elif wider := finder.find_wider(rule):
            what = f"decides nothing: rule {wider.number} `{wider.id}` stands before it, means every call of it"
            found.append(_make(rule, "", f"{what} and is as strict", "put the narrower rule first", False))
        seen.setdefault(key, rule)
    return found


def _make_key(rule: Rule) -> tuple[object, ...]:
    entry = rule.entry
    return (rule.events, entry.environment, *(getattr(entry, key) for key in list_given(entry)), list_given(entry))
