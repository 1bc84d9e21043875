"""A short campaign: `make hub-chaos` is the long one."""

import os

import pytest

from synaptic.hub.server.throwaway import find_programs
from synaptic.model.errors import SynapticError
from tests.hub.chaos.campaign import Campaign, tell_on_stderr
from tests.hub.chaos.schedule import CUT, HUB, POSTGRES, SHIPPERS, ChaosOptions, make_schedule

SHORT = ChaosOptions(
    hosts=6, events=300, hub_kills=3, postgres_kills=1, cuts=2, shipper_kills=1, groups=2, before=0.2, write_seconds=6,
    overlaps=0.5, longest=0.5, patience=120,
)  # fmt: skip


def test_nothing_is_lost_doubled_changed_or_put_out_of_order():
    require_postgres()
    found = Campaign(SHORT, tell_on_stderr).run()
    assert not found.violations
    assert found.arrived == SHORT.total
    assert found.happened == {HUB: 3, POSTGRES: 1, CUT: 2, SHIPPERS: 1}


def test_a_seed_says_what_fails_and_when():
    usual = ChaosOptions()
    schedule = make_schedule(usual)
    assert schedule == make_schedule(usual) != make_schedule(ChaosOptions(seed=23))
    assert [fault.share for fault in schedule] == sorted(fault.share for fault in schedule)
    assert sum(fault.kind == HUB for fault in schedule) == usual.hub_kills
    assert {host for group in usual.list_groups() for host in group} == set(range(usual.hosts))


def require_postgres() -> None:
    try:
        find_programs()
    except SynapticError as error:
        if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
            raise
        pytest.skip(f"{error}")
