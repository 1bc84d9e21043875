"""The examples of rules: what must be stopped and what must pass, tried without any disk, and remembered by content.

Never asked on the way of an event: `doctor`, `list`, the rule verbs and the start of a session ask.
"""

import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from synaptic.hooks.rules.compile import Rule
from synaptic.hooks.rules.entry import Example
from synaptic.hooks.rules.index import RuleIndex
from synaptic.hooks.rules.judged_call import JudgedCall
from synaptic.hooks.rules.marks import ENDED_WELL, MARKS, parse_phrase
from synaptic.hooks.rules.problems import RuleProblem
from synaptic.model.event import EVENTS, Event, PreToolUse, ToolEvent, UserPromptSubmit
from synaptic.model.layers import ContextUsage
from synaptic.model.project import Git
from synaptic.model.state import State
from synaptic.policies.facts import Facts, read_command
from synaptic.shell.reading import UNKNOWN_PROJECT

EXAMPLE_KEYS = frozenset({
    "run", "edit", "write", "delete", "read", "tool", "input", "prompt", "branch", "cwd", "agent", "mode", "content",
    "context", "after", "subagent", "host", "event",
})  # fmt: skip
ACT_KEYS = ("run", "edit", "write", "delete", "read", "tool", "prompt", "host", "event")
"""Keys of which one says what is done."""
STOPPING_ACTIONS = ("deny", "ask")
MAX_REMEMBERED = 4096
HAPPENED_AT = 1.0
EXAMPLE_HOME = "/home/example"


class WrongExampleError(ValueError):
    """An example that nobody can try."""


_known: "OrderedDict[bytes, tuple[RuleProblem, ...]]" = OrderedDict()


def check_examples(rules: Iterable[Rule], seconds: float = float("inf")) -> tuple[RuleProblem, ...]:
    """What the examples of these rules show: those that are not as they say, and commands `instead` that are stopped.

    After so many seconds the rest is left for the next time.
    """
    told: list[RuleProblem] = []
    several, ends = tuple(rules), time.monotonic() + seconds
    stopping = [rule for rule in several if rule.entry.then in STOPPING_ACTIONS and "PreToolUse" in rule.events]
    index = RuleIndex(enumerate(stopping)) if any(rule.entry.instead for rule in several) else None
    for rule in several:
        if time.monotonic() > ends:
            break
        told += _check_remembered(rule)
        if rule.entry.instead and index is not None:
            told += _check_instead(rule, stopping, index)
    return tuple(told)


def tries_example(rule: Rule, example: Example) -> bool:
    """Whether a rule speaks about an example. Raises WrongExampleError for one that cannot be tried."""
    return rule.holds(make_call(rule, example))


def make_call(rule: Rule, example: Example) -> JudgedCall:
    """The call that an example describes, as the rule would meet it. Raises WrongExampleError."""
    table = {"run": example} if isinstance(example, str) else example
    if unknown := [key for key in table if key not in EXAMPLE_KEYS]:
        raise WrongExampleError(f"unknown key `{str(unknown[0])[:80]}` in an example")
    if not any(key in table for key in ACT_KEYS):
        raise WrongExampleError(f"an example needs one of {', '.join(ACT_KEYS)}")
    root = rule.place.root or UNKNOWN_PROJECT
    event = _make_event(rule, table, root)
    return JudgedCall(event, _make_facts(rule, table, event, root))


def _make_event(rule: Rule, table: dict[str, Any], root: str) -> Event:
    text = {key: value for key, value in table.items() if isinstance(value, str)}
    common = {
        "cwd": f"{root}/{text['cwd']}" if text.get("cwd", "/")[:1] not in ("/", "~") else text.get("cwd", root),
        "permission_mode": text.get("mode", "default"),
        "agent_id": "example" if table.get("subagent") else "",
        "agent_type": text.get("subagent", ""),
        "session_id": "example",
    }
    if "prompt" in table:
        return UserPromptSubmit(hook_event_name="UserPromptSubmit", prompt=text.get("prompt", ""), **common)
    name = text.get("event") or next((name for name in rule.events if name in EVENTS), "PreToolUse")
    kind = EVENTS.get(name, PreToolUse)
    if not issubclass(kind, ToolEvent):
        return kind(hook_event_name=name, **common)
    tool, given = _choose_tool(table, text, root)
    return kind(hook_event_name=name, tool_name=tool, tool_input=given, **common)


def _choose_tool(table: dict[str, Any], text: dict[str, str], root: str) -> tuple[str, dict[str, Any]]:
    """The call of a tool that does what the example says."""
    given = table.get("input")
    if "tool" in table:
        return text.get("tool", ""), given if isinstance(given, dict) else _describe_file(text, root)
    if "run" in table:
        return "Bash", {"command": text.get("run", "")}
    if "delete" in table:
        return "Bash", {"command": f"rm -- '{text.get('delete', '')}'"}
    if "read" in table:
        return "Read", {"file_path": _make_absolute(text.get("read", ""), root)}
    if "host" in table:
        return "WebFetch", {"url": f"https://{text.get('host', '')}/"}
    return ("Edit" if "edit" in table else "Write"), _describe_file(text, root)


def _describe_file(text: dict[str, str], root: str) -> dict[str, Any]:
    path = text.get("edit") or text.get("write") or text.get("read") or ""
    said = text.get("content", "")
    named = {"file_path": _make_absolute(path, root)} if path else {}
    return {**named, "content": said, "new_string": said} if said else named


def _make_absolute(path: str, root: str) -> str:
    return path if path[:1] in ("/", "~") else f"{root}/{path}"


def _make_facts(rule: Rule, table: dict[str, Any], event: Event, root: str) -> Facts:
    after = table.get("after", ())
    named = (after,) if isinstance(after, str) else tuple(item for item in after if isinstance(item, str))
    try:
        marks = {
            parse_phrase(text, "after", rule.place.root).key + end: HAPPENED_AT + at
            for at, text in enumerate(named)
            for end in ("", ENDED_WELL)
        }
    except ValueError as error:
        raise WrongExampleError(str(error)) from None
    share = table.get("context")
    branch = table.get("branch")
    home = rule.base.home or EXAMPLE_HOME
    tree = Git(top=root, branch=branch if isinstance(branch, str) else "", commit="1")
    return Facts(
        root=root,
        home=home,
        agent=str(table.get("agent", "claude")),
        command=read_command(event, root, home),
        git=tree,
        usage=ContextUsage(float(share)) if isinstance(share, int | float) else ContextUsage(),
        state=State({MARKS: marks}),
    )


def _check_remembered(rule: Rule) -> tuple[RuleProblem, ...]:
    """The examples of one rule: the same rule in the same place is tried once."""
    if not rule.entry.stops and not rule.entry.passes:
        return ()
    key = msgspec.json.encode((rule.place, rule.number, rule.entry))
    if key not in _known:
        if len(_known) >= MAX_REMEMBERED:
            _known.popitem(last=False)
        _known[key] = tuple(_iter_wrong(rule))
    return _known[key]


def _iter_wrong(rule: Rule) -> Iterator[RuleProblem]:
    for key, wanted in (("stops", True), ("passes", False)):
        examples: tuple[Example, ...] = getattr(rule.entry, key)
        for number, example in enumerate(examples, 1):
            if what := _find_fault(rule, example, wanted):
                yield make_problem(rule, key, f"example {number} ({describe_example(example)}) {what}")


def _find_fault(rule: Rule, example: Example, wanted: bool) -> str:
    try:
        speaks = tries_example(rule, example)
    except Exception as error:  # noqa: BLE001 - an example may bring any reader down; that is a problem of its own
        return f"cannot be tried: {error}"
    if speaks is wanted:
        return ""
    return "is not stopped by this rule" if wanted else "is stopped by this rule"


def _check_instead(rule: Rule, stopping: Sequence[Rule], index: RuleIndex) -> Iterator[RuleProblem]:
    """What a rule tells to type instead must be possible."""
    call = make_call(rule, rule.entry.instead)
    for other in (stopping[place] for place in index.find(call.event, call.facts)):
        if _stops_call(other, call):
            name = "this rule itself" if other is rule else f"`{other.id}` ({other.where})"
            yield make_problem(rule, "instead", f"`{rule.entry.instead[:80]}` is stopped by {name}")
            return


def _stops_call(rule: Rule, call: JudgedCall) -> bool:
    try:
        return rule.holds(call)
    except Exception:  # noqa: BLE001 - as above
        return False


def make_problem(rule: Rule, key: str, what: str) -> RuleProblem:
    """A problem of a rule that goes on as it is: it only tightens."""
    return RuleProblem(where=rule.place.file, number=rule.number, id=rule.id, key=key, what=what)


def describe_example(example: Example) -> str:
    """An example in a few words."""
    text = (
        f"`{example}`" if isinstance(example, str) else ", ".join(f"{key} = {value}" for key, value in example.items())
    )
    return text if len(text) <= 100 else f"{text[:97]}..."
