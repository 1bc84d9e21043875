"""Every policy against its case file: `tests/policies/<group>/<name>.toml`, as `synaptic self-test` reads them."""

from pathlib import Path

import msgspec
import pytest

from synaptic.policies.base import Policy, load_policies
from synaptic.policies.cases import Case, evaluate_case, find_case_file, find_mismatch, load_cases

HERE = Path(__file__).parent

ALL = [
    pytest.param(kind, case, id=f"{kind.id}: {case.name}")
    for kind in load_policies().values()
    for case in load_cases(kind)
]


@pytest.mark.parametrize(("policy", "case"), ALL)
def test_case(policy: type[Policy], case: Case):
    assert not find_mismatch(policy, case)


@pytest.mark.parametrize("policy", load_policies().values(), ids=lambda policy: policy.id)
def test_every_policy_has_a_case_that_fires_and_one_that_stays_quiet(policy: type[Policy]):
    verdicts = [evaluate_case(policy, case) for case in load_cases(policy)]
    assert any(verdicts), f"{find_case_file(policy)}: no case fires"
    assert not all(verdicts), f"{find_case_file(policy)}: no case stays quiet"


def test_every_case_file_has_its_policy():
    known = {find_case_file(policy) for policy in load_policies().values()}
    assert set(HERE.rglob("*.toml")) == known


@pytest.mark.parametrize("policy", load_policies().values(), ids=lambda policy: policy.id)
def test_no_two_cases_of_a_policy_have_the_same_name(policy: type[Policy]):
    names = [case.name for case in load_cases(policy)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("policy", [p for p in load_policies().values() if p.recheck], ids=lambda policy: policy.id)
def test_a_policy_that_sees_its_own_rewrite_again_has_nothing_to_add(policy: type[Policy]):
    for case in load_cases(policy):
        verdict = evaluate_case(policy, case)
        if verdict is None or verdict.input is None:
            continue
        again = evaluate_case(
            policy, msgspec.structs.replace(case, bash=None, tool=case.tool or "Bash", input=dict(verdict.input))
        )
        assert again is None or again.input in (None, verdict.input), case.name
