"""What handlers ask for, as it is written."""

import json

import pytest

from synaptic.model.decision import Decision
from synaptic.model.layers import (
    INJECTIONS,
    STATUSES,
    Beat,
    Discovered,
    EndSession,
    ForgetSkill,
    Loaded,
    Metadata,
    Note,
    OpenSession,
    Restart,
    SetStatus,
    Signal,
    pick_foremost_status,
)
from synaptic.store import deliveries, journal
from synaptic.store.layer_effects import revise_metadata
from tests.store.layered import Layered


@pytest.fixture
def layered(home):
    made = Layered(home)
    yield made
    made.store.close()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"host": "one"}, {"host": "one"}),
        ({"host": "one", "agent": "A"}, {"host": "two", "agent": "A"}),
        ({}, {"host": "two"}),
        ({}, {}),
    ],
    ids=["the same window", "the same agent", "nobody's", "nobody's, by nobody"],
)
def test_a_new_window_ends_the_one_before_and_is_linked_to_it(layered, before, after):
    """S3-002, S3-006, S3-103"""
    effort = layered.effort()
    first = layered.open(effort, **before)
    second = layered.open(effort, **after, follows=first)
    assert layered.one("SELECT prev_session_id FROM sessions WHERE id = ?", second) == first
    assert layered.one("SELECT ended_at FROM sessions WHERE id = ?", first) is not None
    assert layered.at(after.get("agent", ""), host=after.get("host", "")).session.id == second


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"host": "one"}, {"host": "two"}),
        ({"host": "one", "agent": "A"}, {"host": "two"}),
        ({"host": "one"}, {"host": "two", "agent": "A"}),
        ({"host": "one", "agent": "A"}, {"host": "two", "agent": "B"}),
        ({"host": "one"}, {}),
    ],
)
def test_another_window_goes_on_when_one_opens(layered, before, after):
    """S3-001: a session is one process of the agent."""
    effort = layered.effort()
    first = layered.open(effort, **before)
    second = layered.open(effort, **after, follows=first)
    assert layered.one("SELECT ended_at FROM sessions WHERE id = ?", first) is None
    assert layered.at(before.get("agent", ""), host="one").session.id == first
    assert layered.one("SELECT prev_session_id FROM sessions WHERE id = ?", second) == first


def test_a_window_that_was_silent_for_a_day_ends_when_another_opens(layered):
    """S3-026: one that was killed tells nobody."""
    effort = layered.effort()
    silent, quiet = layered.open(effort, host="one"), layered.open(effort, host="two")
    layered.do(Beat(session=silent), Beat(session=quiet))
    layered.write("UPDATE sessions SET last_heartbeat = last_heartbeat - 90000 WHERE id = ?", silent)
    layered.write("UPDATE sessions SET last_heartbeat = last_heartbeat - 40000 WHERE id = ?", quiet)
    layered.open(effort, host="three", follows=quiet)
    assert layered.one("SELECT ended_at FROM sessions WHERE id = ?", silent) is not None
    assert layered.one("SELECT ended_at FROM sessions WHERE id = ?", quiet) is None


def test_an_ended_session_stays_ended_as_it_was(layered):
    """S3-002"""
    session = layered.open(layered.effort())
    layered.do(EndSession(session=session))
    ended = layered.one("SELECT ended_at FROM sessions WHERE id = ?", session)
    layered.do(EndSession(session=session), Beat(session=session))
    assert layered.one("SELECT ended_at FROM sessions WHERE id = ?", session) == ended
    assert layered.one("SELECT heartbeat_counter FROM sessions WHERE id = ?", session) == 0


def test_what_a_window_left_counts_as_told_once_the_next_one_is_open(layered):
    """S3-107"""
    effort = layered.effort()
    first = layered.open(effort)
    layered.write("UPDATE sessions SET dehydration_payload = '{}' WHERE id = ?", first)
    layered.open(effort, follows=first)
    assert layered.one("SELECT handed_over_at FROM sessions WHERE id = ?", first) is not None


def test_no_window_opens_on_a_finished_effort(layered):
    effort = layered.effort()
    layered.finish(effort)
    assert layered.do(OpenSession(effort=effort)) is None
    assert layered.one("SELECT count(*) FROM sessions") == 0


def test_what_a_sub_agent_loaded_is_the_efforts_when_it_ends(layered):
    """S3-130"""
    effort = layered.effort()
    parent, own = layered.open(effort), layered.open(effort, subagent="s")
    layered.do(Loaded(session=own, files=("/a", "/b")), Loaded(session=own, files=("/b", "/c")))
    layered.do(EndSession(session=own, merge_loaded=True))
    assert json.loads(layered.one("SELECT loaded_files FROM efforts")) == ["/a", "/b", "/c"]
    assert layered.one("SELECT loaded_files FROM sessions WHERE id = ?", parent) is None
    layered.do(EndSession(session=own, merge_loaded=True))


def test_beats_add_up_and_a_log_sets_them_back(layered):
    session = layered.open(layered.effort())
    layered.do(*(Beat(session=session) for _ in range(5)))
    assert layered.one("SELECT heartbeat_counter FROM sessions") == 5
    layered.do(Beat(session=session, add=0, usage=0.91))
    assert layered.one("SELECT heartbeat_counter FROM sessions") == 5
    layered.do(Beat(session=session, reset=True))
    assert layered.one("SELECT heartbeat_counter FROM sessions") == 0
    assert layered.one("SELECT context_usage FROM sessions") == 0.91


def test_an_unowned_session_belongs_to_the_window_that_beats_first(layered, record):
    session = layered.open(layered.effort())
    decision = Decision(effects=(Beat(session=session, claim=True),))
    for window in ("window", "another"):
        journal.append_records(layered.store, [record(session=window, decision=decision)])
    assert layered.one("SELECT host_session FROM sessions") == "window"


def test_an_event_and_its_changes_are_one_transaction_and_count_once(layered, record):
    """S3-016, S3-D05: what is written halfway is not there, and the same call again changes nothing."""
    session = layered.open(layered.effort())
    decision = Decision(effects=(Beat(session=session), Note(session=session, role="system", content="x")))
    for _ in range(2):
        journal.append_records(layered.store, [record(call="same", decision=decision)])
    assert layered.one("SELECT heartbeat_counter FROM sessions") == 1
    assert layered.one("SELECT count(*) FROM messages") == 1
    assert layered.at().session.heartbeat == 1

    broken = Decision(effects=(Beat(session=session), SetStatus(agent="A", status="sleepy")))
    with pytest.raises(Exception, match="CHECK"):
        journal.append_records(layered.store, [record(call="other", decision=broken)])
    assert layered.one("SELECT heartbeat_counter FROM sessions") == 1
    assert journal.find_entry(layered.store, "other") is None
    assert layered.at().session.heartbeat == 1


@pytest.mark.parametrize("status", STATUSES)
def test_every_status_of_the_list_is_accepted(layered, status):
    """S3-D10"""
    layered.do(SetStatus(agent="A", status=status))
    assert layered.one("SELECT status FROM agents") == status


def test_a_status_keeps_what_it_does_not_say(layered):
    """S3-207"""
    effort = layered.effort()
    layered.do(SetStatus(agent="A", status="working", label="W1", kind="claude", named=True, effort=effort, host="h"))
    layered.do(SetStatus(agent="A", status="attention", project=layered.root))
    row = layered.store.read(
        lambda c: c.execute("SELECT status, label, kind, named, effort_id, host_session, project_id FROM agents")
    ).fetchone()
    assert row == ("attention", "W1", "claude", 1, effort, "h", 1)


def test_one_status_stands_for_many(layered):
    """S3-230"""
    assert pick_foremost_status(("working", "attention")) == "attention"
    assert pick_foremost_status(("done", "checked", "error")) == "error"
    assert pick_foremost_status(()) == "done"


def test_injections_are_taken_once_and_other_metadata_stays(layered):
    """S3-116"""
    effort = layered.effort(metadata=json.dumps({INJECTIONS: [1, 2, 3], "blockAfter": 4}))
    layered.do(Metadata(effort=effort, take={INJECTIONS: 2}))
    assert json.loads(layered.one("SELECT metadata FROM efforts")) == {INJECTIONS: [3], "blockAfter": 4}
    layered.do(Metadata(effort=effort, take={INJECTIONS: 1}))
    assert json.loads(layered.one("SELECT metadata FROM efforts")) == {"blockAfter": 4}


def test_metadata_first_drops_then_puts(layered):
    """S3-204"""
    assert revise_metadata({"a": 1, "b": 2}, Metadata(effort=1, drop=("a", "b"), put={"b": 3})) == {"b": 3}
    effort = layered.effort()
    layered.do(Metadata(effort=effort, put={"a": 1}))
    assert json.loads(layered.one("SELECT metadata FROM efforts")) == {"a": 1}


def test_damaged_metadata_is_left_as_it_was_found(layered):
    effort = layered.effort(metadata="not-json{{{")
    layered.do(Metadata(effort=effort, put={"a": 1}))
    assert layered.one("SELECT metadata FROM efforts") == "not-json{{{"


def test_directives_and_folders_are_remembered_once(layered):
    effort = layered.effort()
    for _ in range(2):
        layered.do(Discovered(effort=effort, directives=("/d/AGENTS.md",), directories=("/d",)))
    found = layered.at().effort
    assert (found.directives, found.directories) == (("/d/AGENTS.md",), ("/d",))


def test_a_restart_is_asked_of_one_agent(layered):
    """S3-241"""
    layered.bind("A", layered.effort())
    layered.bind("B", 1)
    layered.do(Restart(agent="A", prompt="go on"))
    assert layered.one("SELECT group_concat(id) FROM agents WHERE restart_at IS NOT NULL") == "A"
    assert layered.one("SELECT restart_prompt FROM agents WHERE id = 'A'") == "go on"


def test_a_coordinator_is_counted_and_told_with_its_next_event(layered):
    """S3-126, S3-235"""
    layered.do(SetStatus(agent="boss", status="working", host="window"))
    layered.do(Signal(agent="boss", text="W2 is idle"))
    assert layered.one("SELECT signals FROM agents") == 1
    assert [one.text for one in deliveries.find_pending(layered.store, "window")] == ["W2 is idle"]
    layered.do(Signal(agent="nobody", text="x"))


def test_a_skill_that_changed_is_forgotten(layered):
    """S3-131"""
    sql = "INSERT INTO skills (project_id, name, path, updated_at) VALUES (1, 'fix', '/s/SKILL.md', 0)"
    layered.write(sql)
    layered.do(ForgetSkill(path="/other/SKILL.md"))
    assert layered.one("SELECT count(*) FROM skills") == 1
    layered.do(ForgetSkill(path="/s/SKILL.md"))
    assert layered.one("SELECT count(*) FROM skills") == 0


def test_secrets_do_not_reach_the_dialogue(layered):
    session = layered.open(layered.effort())
    secret = "ghp_" + "a1B2" * 9
    layered.do(Note(session=session, role="user", content=f"token {secret}"))
    assert secret not in layered.one("SELECT content FROM messages")


def test_text_that_no_encoding_holds_is_no_reason_to_fail(layered):
    session = layered.open(layered.effort(), host="\ud800")
    layered.do(
        Note(session=session, role="user", content="\ud800"),
        Loaded(session=session, files=("/\udcff",)),
        SetStatus(agent="\ud800", status="done", label="\udcff", project="/\udcff"),
    )
    assert layered.one("SELECT count(*) FROM messages") == 1


def test_lists_stay_bounded(layered):
    session = layered.open(layered.effort())
    layered.do(Loaded(session=session, files=tuple(f"/f{number}" for number in range(2500))))
    assert len(json.loads(layered.one("SELECT loaded_files FROM sessions"))) == 2000
