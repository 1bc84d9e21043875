"""Every policy against its case file: `tests/policies/<group>/<name>.toml`.

A case names its event by `bash` (a command), `tool` with `input`, or `event` with `payload`; `facts` and `options` are
optional. `want` is allow, deny, ask, rewrite, advise or none. `reason` and `context` are parts of the text that is
said; `input` after a rewrite is `rewritten`; `effects` are parts of the effects in their order, each
as its name and its values: `AppendLine PATH LINE`.
"""

import inspect
from pathlib import Path
from typing import Any

import msgspec
import pytest

from synaptic.model.decision import Kind, Verdict
from synaptic.model.event import EVENTS, Event
from synaptic.model.facts import Facts
from synaptic.policies.base import Policy, policies

HERE = Path(__file__).parent
FACTS = {"root": "/home/u/project", "home": "/home/u", "now": 1736935200.0}


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    want: Kind
    bash: str | None = None
    tool: str = ""
    input: dict[str, Any] = {}
    event: str = "PreToolUse"
    payload: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    options: dict[str, Any] = {}
    reason: str = ""
    context: str = ""
    rewritten: dict[str, Any] | None = None
    effects: list[str] | None = None


def case_file(policy: type[Policy]) -> Path:
    source = Path(inspect.getfile(policy))
    return HERE / source.parent.name / f"{source.stem}.toml"


def cases(policy: type[Policy]) -> list[Case]:
    path = case_file(policy)
    return msgspec.toml.decode(path.read_bytes(), type=dict[str, list[Case]])["case"] if path.exists() else []


ALL = [pytest.param(kind, case, id=f"{kind.id}: {case.name}") for kind in policies().values() for case in cases(kind)]


def happened(case: Case, facts: Facts) -> Event:
    call = {"tool_name": case.tool, "tool_input": case.input}
    if case.bash is not None:
        call = {"tool_name": "Bash", "tool_input": {"command": case.bash}}
    payload = {"hook_event_name": case.event, "cwd": facts.root, **(call if call["tool_name"] else {}), **case.payload}
    return msgspec.convert(payload, EVENTS[case.event])


def opinion(policy: type[Policy], case: Case) -> Verdict | None:
    facts = msgspec.convert({**FACTS, **case.facts}, Facts)
    event = happened(case, facts)
    assert isinstance(event, policy.events), f"{policy.id} does not listen to {case.event}"
    if policy.tools and getattr(event, "tool_name", "") not in policy.tools:
        return None
    return msgspec.convert(case.options, policy).check(event, facts)


@pytest.mark.parametrize(("policy", "case"), ALL)
def test_case(policy: type[Policy], case: Case):
    verdict = opinion(policy, case) or Verdict()
    assert verdict.kind == case.want, verdict
    assert case.reason in verdict.reason
    assert case.context in "\n".join(verdict.context)
    if case.rewritten is not None:
        assert verdict.input == case.rewritten
    if case.effects is not None:
        said = [" ".join((type(e).__name__, *map(str, msgspec.structs.astuple(e)))) for e in verdict.effects]
        assert len(said) == len(case.effects), said
        assert all(part in text for part, text in zip(case.effects, said, strict=True)), said


@pytest.mark.parametrize("policy", policies().values(), ids=lambda policy: policy.id)
def test_every_policy_has_a_case_that_fires_and_one_that_stays_quiet(policy: type[Policy]):
    verdicts = [opinion(policy, case) for case in cases(policy)]
    assert any(verdicts), f"{case_file(policy)}: no case fires"
    assert not all(verdicts), f"{case_file(policy)}: no case stays quiet"


def test_every_case_file_has_its_policy():
    known = {case_file(policy) for policy in policies().values()}
    assert set(HERE.rglob("*.toml")) == known


@pytest.mark.parametrize("policy", policies().values(), ids=lambda policy: policy.id)
def test_no_two_cases_of_a_policy_have_the_same_name(policy: type[Policy]):
    names = [case.name for case in cases(policy)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("policy", [p for p in policies().values() if p.recheck], ids=lambda policy: policy.id)
def test_a_policy_that_sees_its_own_rewrite_again_has_nothing_to_add(policy: type[Policy]):
    for case in cases(policy):
        verdict = opinion(policy, case)
        if verdict is None or verdict.input is None:
            continue
        again = opinion(
            policy, msgspec.structs.replace(case, bash=None, tool=case.tool or "Bash", input=dict(verdict.input))
        )
        assert again is None or again.input in (None, verdict.input), case.name
