"""Lanes: who needs a person first, and how a session stands of which the fleet knows nothing."""

import json
import time

import pytest

from synaptic.fleet.lanes import judge_step, make_lanes
from synaptic.fleet.sessions import HeardSession
from synaptic.model.decision import Decision
from synaptic.model.layers import Status
from synaptic.policies.fleet.stop import RATE_LIMIT_NOTE
from synaptic.store.fleet import FleetMember
from synaptic.store.living import OpenWindow
from synaptic.store.record import JournalEntry

NOW = time.time()


def entry(event: str, **payload: object) -> JournalEntry:
    return JournalEntry(
        id=1, call="c", at=NOW, agent="claude", event=event, session="s", agent_id="", tool="Bash", root="/p", micros=1,
        size=1, payload=json.dumps(payload), decision=Decision(), answer=None,
    )  # fmt: skip


def heard(session: str, age: float = 0.0, last: JournalEntry | None = None) -> HeardSession:
    return HeardSession(
        session=session, agent="claude", root="/p", at=NOW - age, last_id=1, step_id=1, last=last, step=last
    )


@pytest.mark.parametrize(
    ("last", "status", "note"),
    [
        (entry("PermissionRequest"), "attention", "asks for permission: Bash"),
        (entry("Notification", message="waits"), "attention", "waits"),
        (entry("Notification", message="hello", notification_type="auth_success"), "done", ""),
        (entry("StopFailure", error="server_error", error_details="it said no"), "error", "it said no"),
        (
            entry("StopFailure", error="rate_limit"),
            "attention",
            RATE_LIMIT_NOTE,
        ),
        (entry("Stop"), "done", ""),
        (entry("SessionStart"), "done", ""),
        (entry("PreToolUse"), "working", ""),
        (entry("PostToolUse"), "working", ""),
        (entry("UserPromptSubmit", prompt="go"), "working", ""),
        (entry("Notification", message=[1], title={"a": 2}, notification_type=7), "attention", ""),
        (entry("SomethingNew"), "working", ""),
    ],
    ids=lambda one: one.event if isinstance(one, JournalEntry) else "",
)
def test_a_session_stands_as_the_fleets_policies_say(last: JournalEntry, status: Status, note: str) -> None:
    assert judge_step(last) == (status, note)


def test_who_needs_a_person_comes_first_then_who_was_heard_of_last() -> None:
    sessions = [heard("a", 5), heard("b", 50, entry("PermissionRequest")), heard("c", 1), heard("d", 9)]
    members = [FleetMember(agent="d", host="d", status="error", note="lost", seen=NOW, since=NOW)]
    lanes = make_lanes(sessions, members, (), NOW)
    assert [lane.session for lane in lanes] == ["d", "b", "c", "a"]
    assert (lanes[0].note, lanes[0].needs_person, lanes[2].needs_person) == ("lost", True, False)


def test_what_the_fleet_says_counts_before_the_last_event() -> None:
    members = [FleetMember(agent="x", host="s", status="checked", seen=NOW, since=NOW)]
    (lane,) = make_lanes([heard("s", 1, entry("PermissionRequest"))], members, (), NOW)
    assert (lane.status, lane.note) == ("checked", "")


def test_an_agent_without_a_session_has_a_lane_too_and_one_that_is_gone_has_none() -> None:
    members = [
        FleetMember(agent="here", label="Here", kind="codex", status="attention", seen=NOW, since=NOW, project="/q"),
        FleetMember(agent="gone", status="error", seen=NOW - 1e6, since=NOW - 1e6),
    ]
    (lane,) = make_lanes([], members, (), NOW)
    assert (lane.name, lane.agent, lane.root, lane.status) == ("Here", "codex", "/q", "attention")


def test_the_open_window_says_what_is_worked_on_and_how_full_it_is() -> None:
    window = OpenWindow(
        session="s",
        heartbeat=7,
        beat_at=NOW - 3,
        usage=0.5,
        effort=3,
        skill="build",
        phase="1: Do",
        task="/p/t",
        limit=8,
    )
    (lane,) = make_lanes([heard("s")], (), [window], NOW)
    work = lane.work
    assert (work.usage, work.heartbeat, work.limit, work.phase, work.effort) == (0.5, 7, 8, "1: Do", 3)
