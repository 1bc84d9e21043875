"""A hub that is away changes no decision, and everything arrives once it is back. How fast: `make hub-away`."""

from contextlib import ExitStack
from pathlib import Path

from bench.hub_away import AwayRun

from tests.hub.chaos.test_campaign import require_postgres

EVENTS = 60


def test_decisions_are_those_of_a_home_without_a_hub_and_all_of_it_arrives_later(tmp_path: Path):
    require_postgres()
    with ExitStack() as stack:
        found = AwayRun(stack, tmp_path).run(EVENTS, groups=0)
    assert not found.differences
    assert (found.waiting, found.arrived, found.written) == (EVENTS, EVENTS, EVENTS)
    assert found.is_equal
