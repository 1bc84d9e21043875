"""Who is shown, in which order and in which words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.fleet import roster
from synaptic.fleet.roster import MemberChange
from synaptic.model.layers import STATUSES
from synaptic.store.fleet import FleetMember

NOW = 1_000_000.0


def member(agent: str = "a", **fields) -> FleetMember:
    return FleetMember(**{"agent": agent, "since": NOW - 5, "seen": NOW - 5, **fields})


def test_a_window_shows_the_foremost_status_of_its_panes():
    """S3-230"""
    placed = [("@1", "working"), ("@1", "attention"), ("@2", "done"), ("@2", "checked"), ("@3", "error")]
    assert roster.find_window_statuses(placed) == {"@1": "attention", "@2": "checked", "@3": "error"}


@given(st.lists(st.sampled_from(STATUSES), min_size=1))
def test_no_status_of_a_window_is_more_urgent_than_the_one_it_shows(statuses):
    shown = roster.find_window_statuses(("@1", status) for status in statuses)["@1"]
    assert all(STATUSES.index(shown) <= STATUSES.index(status) for status in statuses)


def test_whoever_needs_somebody_comes_first():
    many = [member(status, status=status) for status in reversed(STATUSES)]
    assert [one.agent for one in roster.order_members(many)] == list(STATUSES)


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({}, True),
        ({"named": False}, False),
        ({"named": False, "session": 3}, True),
        ({"named": False, "status": "working"}, True),
        ({"seen": NOW - 90_000, "status": "error"}, False),
    ],
)
def test_who_is_present(fields, shown: bool):
    assert bool(roster.keep_present([member(**fields)], NOW)) is shown


def test_a_row_says_what_an_agent_does():
    one = member(
        label="API",
        status="working",
        project="/home/me/shop",
        task="/home/me/shop/.tasks/move",
        skill="implement",
        phase="2: Build",
        session=4,
        heartbeat=3,
        limit=8,
        usage=0.456,
        since=NOW - 7300,
    )
    row = ("a", "API", "working", "shop", "move/implement", "2: Build", "3/8", "46%", "2h", "")
    assert roster.make_row(one, NOW) == row


def test_columns_that_nobody_uses_are_left_out():
    head, rows = roster.make_table([member(), member("b", note="why")], NOW)
    assert head == ("AGENT", "STATUS", "SINCE", "NOTE")
    assert rows == [("a", "done", "5s", ""), ("b", "done", "5s", "why")]


@pytest.mark.parametrize(("seconds", "text"), [(-3, "0s"), (59, "59s"), (60, "1m"), (7199, "1h"), (200_000, "2d")])
def test_an_age_is_told_in_its_largest_unit(seconds: float, text: str):
    assert roster.describe_age(seconds) == text


def test_changes_are_told_once_an_agent():
    a, b, c = member("a"), member("b"), member("c")
    failed = member("b", status="error")
    assert roster.find_changes([a, b], [a, failed, c]) == (MemberChange("b", b, failed), MemberChange("c", None, c))
    assert roster.find_changes([a], []) == (MemberChange("a", a, None),)
    assert [one.new_status for one in roster.find_changes([a, b], [failed, c])] == ["error", "done", None]
    assert MemberChange("a", a, member("a", phase="2")).new_status is None
