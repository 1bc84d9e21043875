"""Which fault comes when follows from the seed alone."""

from collections import Counter

import pytest

from tests.faults.deck import EPOCH, find_epoch, list_steps
from tests.faults.kind import EXCUSES, KINDS, kind
from tests.faults.kinds import load_kinds
from tests.faults.table import Findings, format_table, format_violations

load_kinds()


def test_there_are_at_least_sixty_kinds_and_each_says_what_it_does() -> None:
    assert len(KINDS) >= 60
    assert all(one.note for one in KINDS.values())


def test_the_same_seed_deals_the_same_faults_and_another_one_others() -> None:
    dealt = [one.name for _, one in list_steps(15, 500)]
    assert dealt == [one.name for _, one in list_steps(15, 500)]
    assert dealt != [one.name for _, one in list_steps(16, 500)]


def test_a_longer_campaign_begins_as_a_shorter_one() -> None:
    assert list_steps(15, 1000)[:100] == list_steps(15, 100)


def test_ten_thousand_faults_hold_every_kind() -> None:
    count = Counter(one.name for _, one in list_steps(15, 10_000))
    assert set(count) == set(KINDS)


def test_kinds_that_wait_for_seconds_are_dealt_less_often() -> None:
    count = Counter(one.name for _, one in list_steps(15, 10_000))
    assert count["kill.daemon-idle"] > 4 * count["hang.daemon-long"] > 0


def test_kinds_that_are_asked_for_come_equally_often() -> None:
    count = Counter(one.name for _, one in list_steps(15, 20, ["kill.daemon-idle", "hang.daemon-long"], evenly=True))
    assert count["kill.daemon-idle"] == count["hang.daemon-long"] == 10


def test_an_epoch_begins_with_a_new_home() -> None:
    assert find_epoch(1) == (1, EPOCH)
    assert find_epoch(EPOCH) == (1, EPOCH)
    assert find_epoch(EPOCH + 1) == (EPOCH + 1, 2 * EPOCH)


def test_only_known_excuses_are_taken() -> None:
    assert {excuse for one in KINDS.values() for excuse in one.excuses} <= set(EXCUSES)
    with pytest.raises(ValueError, match="no such excuse"):
        kind("new.kind", "mercy")


def test_a_violation_is_shown_with_the_line_that_shows_it_again() -> None:
    found = Findings(15, " --kinds kill.")
    found.take({"step": 7, "kind": "kill.daemon-idle", "calls": 6, "seconds": 0.1})
    found.take({"violation": "one daemon", "step": 7, "batch": [7], "what": "2 daemons run"})
    assert "--seed 15 --kinds kill. --only-step 7 --with-earlier" in format_violations(found)
    assert "| kill.daemon-idle | " in format_table(found)
    assert "| 1 | 6 | 0 | 1 |" in format_table(found)
    found.take({"crowded_out": 7})
    assert "| 1 | 6 | 1 | 1 |" in format_table(found)
