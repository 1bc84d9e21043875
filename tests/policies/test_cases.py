"""Every policy against its case file: `tests/policies/<group>/<name>.toml`, as `synaptic self-test` reads them."""

from pathlib import Path

import msgspec
import pytest

from synaptic.policies.base import Policy, policies
from synaptic.policies.cases import Case, broken, case_file, cases, opinion

HERE = Path(__file__).parent

ALL = [pytest.param(kind, case, id=f"{kind.id}: {case.name}") for kind in policies().values() for case in cases(kind)]


@pytest.mark.parametrize(("policy", "case"), ALL)
def test_case(policy: type[Policy], case: Case):
    assert not broken(policy, case)


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
