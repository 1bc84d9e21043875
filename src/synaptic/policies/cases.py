"""Cases as data: what each policy must say, one file a policy, shipped with the program.

A case names its event by `bash` (a command), `tool` with `input`, or `event` with `payload`; `facts` and `options` are
optional. `given` names facts that several cases share, from the file's table `[given.NAME]`; a case's own come on top.
`want` is allow, deny, ask, rewrite, advise or none. `reason` and `context` are parts of the text that is said; `input`
after a rewrite is `rewritten`; `effects` are parts of the effects in their order, each as its name and its values:
`AppendLine PATH LINE`.
"""

import inspect
from pathlib import Path
from typing import Any, TypeVar

import msgspec

import synaptic.policies
from synaptic.model.decision import Kind, Verdict
from synaptic.model.event import EVENTS, Event
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts, with_command

DEFAULT_FACTS = {"root": "/home/u/project", "home": "/home/u", "now": 1736935200.0}
POLICIES_FOLDER = Path(synaptic.policies.__file__).parent
CASE_FOLDERS = (POLICIES_FOLDER.parent / "_cases", POLICIES_FOLDER.parents[2] / "tests" / "policies")
"""In an installed program, and in a checkout."""


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One call, and what the policy must say about it."""

    name: str
    want: Kind
    bash: str | None = None
    tool: str = ""
    input: dict[str, Any] = {}
    event: str = "PreToolUse"
    payload: dict[str, Any] = {}
    given: str = ""
    facts: dict[str, Any] = {}
    options: dict[str, Any] = {}
    reason: str = ""
    context: str = ""
    rewritten: dict[str, Any] | None = None
    effects: list[str] | None = None


CaseKind = TypeVar("CaseKind", bound=Case)


class CaseFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cases of one policy, and facts that they share."""

    case: list[Case]
    given: dict[str, dict[str, Any]] = {}


def find_case_file(policy: type[Policy]) -> Path:
    """Where the cases of a policy are."""
    source = Path(inspect.getfile(policy))
    place = next((place for place in CASE_FOLDERS if place.is_dir()), CASE_FOLDERS[0])
    return place / source.parent.name / f"{source.stem}.toml"


def load_cases(policy: type[Policy]) -> list[Case]:
    """The cases of a policy; none when it has no file."""
    path = find_case_file(policy)
    if not path.exists():
        return []
    file = msgspec.toml.decode(path.read_bytes(), type=CaseFile)
    return [apply_given(case, file.given) for case in file.case]


def apply_given(case: CaseKind, given: dict[str, dict[str, Any]]) -> CaseKind:
    """The case with the facts that it shares with others."""
    return msgspec.structs.replace(case, facts=_merge_tables(given[case.given], case.facts)) if case.given else case


def _merge_tables(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Merge two tables recursively; where both have a value, `above` wins."""
    both = {
        key: _merge_tables(below[key], above[key])
        for key in below.keys() & above.keys()
        if _are_tables(below[key], above[key])
    }
    return {**below, **above, **both}


def _are_tables(*values: object) -> bool:
    return all(isinstance(value, dict) for value in values)


def evaluate_case(policy: type[Policy], case: Case) -> Verdict | None:
    """What the policy says about a case. Raises ValueError for an event that it does not listen to."""
    facts = msgspec.convert({**DEFAULT_FACTS, **case.facts}, Facts)
    event = build_event(case, facts)
    if not isinstance(event, policy.events):
        raise ValueError(f"{policy.id} does not listen to {case.event}")
    if policy.tools and not {event.subject, *event.roles}.intersection(policy.tools):
        return None
    return msgspec.convert(case.options, policy).check(event, with_command(facts, event))


def find_mismatch(policy: type[Policy], case: Case) -> str:
    """How the policy's verdict differs from what the case wants; empty when it does not."""
    return compare_verdict(evaluate_case(policy, case), case)


def compare_verdict(said: Verdict | None, case: Case) -> str:
    """How a verdict differs from what a case wants; empty when it does not."""
    verdict = said or Verdict()
    if verdict.kind is not case.want:
        return f"wanted {case.want}, got {verdict.kind} ({verdict.reason or verdict.context or 'nothing was said'})"
    if case.reason not in verdict.reason:
        return f"the reason lacks {case.reason!r}: {verdict.reason!r}"
    if case.context not in "\n".join(verdict.context):
        return f"the context lacks {case.context!r}: {verdict.context!r}"
    if case.rewritten is not None and verdict.input != case.rewritten:
        return f"wanted the input {case.rewritten}, got {verdict.input}"
    return _compare_effects(verdict, case)


def _compare_effects(verdict: Verdict, case: Case) -> str:
    if case.effects is None:
        return ""
    said = [" ".join((type(effect).__name__, *map(str, msgspec.structs.astuple(effect)))) for effect in verdict.effects]
    same = len(said) == len(case.effects)
    same = same and all(part in text for part, text in zip(case.effects, said, strict=True))
    return "" if same else f"wanted the effects {case.effects}, got {said}"


def build_event(case: Case, facts: Facts) -> Event:
    """The event of a case."""
    call = {"tool_name": case.tool, "tool_input": case.input}
    if case.bash is not None:
        call = {"tool_name": "Bash", "tool_input": {"command": case.bash}}
    payload = {"hook_event_name": case.event, "cwd": facts.root, **(call if call["tool_name"] else {}), **case.payload}
    return msgspec.convert(payload, EVENTS[case.event])
