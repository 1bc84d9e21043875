"""Cases of policies of one's own: the format of ours, in a file of the same name beside them, run in their worker.

A case may name its `policy`; without it all policies of the file are asked, and the strongest verdict counts. A case's
`facts` may hold `own` (facts of one's own by name; those that are not there are looked for) and `remembered`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from synaptic.model.decision import Verdict
from synaptic.policies.cases import DEFAULT_FACTS, Case, apply_given, build_event, compare_verdict
from synaptic.policies.facts import read_command
from synaptic.runners.policy_wire import CaseResult
from synaptic.sdk.facts import Facts
from synaptic.sdk.load import PolicyFileError
from synaptic.sdk.policy import Policy


class OwnCase(Case, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One event, and what the policies of a file must say about it."""

    policy: str = ""


class OwnCaseFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cases of one file, and facts that they share."""

    case: list[OwnCase] = []
    given: dict[str, dict[str, Any]] = {}


def read_cases(text: str) -> list[OwnCase]:
    """The cases of a text. Raises PolicyFileError."""
    try:
        file = msgspec.toml.decode(text, type=OwnCaseFile)
        return [apply_given(case, file.given) for case in file.case]
    except (msgspec.MsgspecError, KeyError) as error:
        raise PolicyFileError(f"the file of cases cannot be used: {error}") from error


def run_case_file(policies: Mapping[str, type[Policy]], text: str) -> tuple[CaseResult, ...]:
    """How each policy of a file does. One needs a case in which it fires, and one in which it stays quiet."""
    cases = read_cases(text)
    return tuple(_run_cases(policies, name, cases) for name in policies)


def evaluate_own_case(policies: Mapping[str, type[Policy]], case: OwnCase) -> Verdict | None:
    """What the policies that a case is about say. Raises ValueError for an event that none of them listens to."""
    facts = msgspec.convert({**DEFAULT_FACTS, **case.facts}, Facts)
    event = build_event(case, facts)
    whole = msgspec.structs.replace(facts, command=read_command(event, facts.root, facts.home))
    names = {event.subject, *event.roles}
    asked = [one for one in _iter_asked(policies, case) if isinstance(event, one.events)]
    if not asked:
        raise ValueError(f"no policy of this file listens to {case.event}")
    said = [
        verdict
        for one in asked
        if not one.tools or names.intersection(one.tools)
        if (verdict := msgspec.convert(case.options, one).judge(event, whole)) is not None
    ]
    return max(said, key=lambda verdict: verdict.kind.rank, default=None)


def _iter_asked(policies: Mapping[str, type[Policy]], case: OwnCase) -> Iterator[type[Policy]]:
    if case.policy and case.policy not in policies:
        raise ValueError(f"there is no policy {case.policy} in this file")
    yield from (policies[case.policy],) if case.policy else policies.values()


def _run_cases(policies: Mapping[str, type[Policy]], name: str, cases: list[OwnCase]) -> CaseResult:
    """A case without a name counts for the first policy of the file."""
    is_first = name == next(iter(policies))
    mine = [case for case in cases if case.policy == name or (not case.policy and is_first)]
    outcomes = [_find_outcome(policies, case) for case in mine]
    wrong = [f"{case.name}: {why}" for case, (why, _) in zip(mine, outcomes, strict=True) if why]
    passed = len(mine) - len(wrong)
    if not wrong and mine:
        wrong += [] if any(fires for _, fires in outcomes) else ["no case fires"]
        wrong += [] if not all(fires for _, fires in outcomes) else ["no case stays quiet"]
    return CaseResult(policy=name, passed=passed, failed=tuple(wrong))


def _find_outcome(policies: Mapping[str, type[Policy]], case: OwnCase) -> tuple[str, bool]:
    """Why a case is not met, and whether something was said."""
    try:
        verdict = evaluate_own_case(policies, case)
    except Exception as error:  # noqa: BLE001 - one case that crashes is a broken case, and the others are still run
        return f"{type(error).__name__}: {error}", False
    return compare_verdict(verdict, case), verdict is not None
