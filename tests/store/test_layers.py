"""Where an event belongs."""

import sqlite3

import pytest

from synaptic.model.errors import StoreError
from synaptic.model.layers import Beat, EndSession, SetStatus
from synaptic.store import fleet, layers
from tests.store.layered import Layered


@pytest.fixture
def layered(home):
    made = Layered(home)
    yield made
    made.store.close()


def columns(layered: Layered, table: str) -> set[str]:
    return set(layered.store.read(lambda c: [row[1] for row in c.execute(f"PRAGMA table_info({table})")]))


def test_the_tables_have_what_the_layers_own(layered):
    """S3-001, S3-005, S3-020, S3-021, S3-022, S3-023, S3-024"""
    assert columns(layered, "sessions") >= {
        "id", "effort_id", "prev_session_id", "heartbeat_counter", "context_usage", "loaded_files",
        "dehydration_payload", "ended_at", "transcript_path", "transcript_offset",
    }  # fmt: skip
    assert columns(layered, "efforts") >= {
        "id", "task_id", "skill", "mode", "ordinal", "lifecycle", "current_phase", "discovered_directives", "metadata",
    }  # fmt: skip
    assert columns(layered, "tasks") >= {"dir_path", "project_id", "title", "keywords"}
    assert columns(layered, "agents") >= {"id", "status", "effort_id"}
    assert columns(layered, "messages") >= {"session_id", "role", "content", "tool_name", "timestamp"}
    assert columns(layered, "phase_history") >= {"effort_id", "phase_label", "proof"}


def test_a_task_has_no_life_of_its_own_and_an_effort_has_two_states(layered):
    """S3-003, S3-004"""
    assert not {"lifecycle", "status", "finished_at"} & columns(layered, "tasks")
    effort = layered.effort()
    assert layered.one("SELECT active_count FROM task_summary") == 1
    layered.finish(effort)
    assert layered.one("SELECT active_count FROM task_summary") == 0
    with pytest.raises(StoreError):
        layered.write("UPDATE efforts SET lifecycle = 'paused'")


def test_a_session_needs_an_effort_and_takes_its_messages_along(layered):
    """S3-025"""
    with pytest.raises((StoreError, sqlite3.Error)):
        layered.write("INSERT INTO sessions (effort_id, task_id, created_at) VALUES (99, 'x', 0)")
    session = layered.open(layered.effort())
    layered.write("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'x', 0)", session)
    layered.write("DELETE FROM sessions WHERE id = ?", session)
    assert layered.one("SELECT count(*) FROM messages") == 0


def test_a_session_without_a_sign_of_life_is_stale_after_five_minutes(layered):
    """S3-026"""
    effort = layered.effort()
    old, new = layered.open(effort), layered.open(effort)
    layered.do(Beat(session=new))
    layered.write("UPDATE sessions SET last_heartbeat = created_at - 600 WHERE id = ?", old)
    assert layered.one("SELECT group_concat(id) FROM stale_sessions") == str(old)


def test_the_chain_breaks_where_something_is_missing(layered):
    """S3-009, S3-070, S3-111"""
    nowhere = layered.at(root="/nonexistent")
    assert (nowhere.project, nowhere.effort, nowhere.session) == (None, None, None)
    bare = layered.at()
    assert (bare.project, bare.effort, bare.session) == (1, None, None)
    effort = layered.effort()
    found = layered.at()
    assert found.effort is not None
    assert (found.effort.id, found.session) == (effort, None)


def test_an_agent_with_a_name_works_on_its_own_effort_and_everybody_else_on_the_newest(layered):
    """S3-007, S3-071, S3-072"""
    first, second = layered.effort("a"), layered.effort("b")
    layered.bind("A", first)
    layered.bind("B", second)
    efforts = {name: layered.at(name).effort.id for name in ("A", "B", "", "ghost", "default")}
    assert efforts == {"A": first, "B": second, "": second, "ghost": second, "default": second}


def test_an_agent_whose_effort_is_finished_works_on_the_newest(layered):
    """S3-072"""
    first, second = layered.effort("a"), layered.effort("b")
    layered.bind("A", first)
    layered.finish(first)
    assert layered.at("A").effort.id == second
    layered.finish(second)
    assert layered.at("A").effort is None


def test_the_newest_open_session_of_the_effort_is_meant(layered):
    """S3-073"""
    effort = layered.effort()
    first, second = layered.open(effort), layered.open(effort)
    assert layered.at().session.id == second
    layered.do(EndSession(session=second))
    assert layered.at().session.id == first


def test_a_window_keeps_its_effort_when_somebody_starts_another_one(layered):
    first = layered.effort("a")
    mine = layered.open(first, host="w1")
    layered.open(layered.effort("b"), host="w2")
    assert layered.at(host="w1").session.id == mine


def test_a_session_that_nobody_owns_yet_is_the_windows_that_beats_first(layered):
    """An effort that is started inside of a running window."""
    layered.open(layered.effort("a"), host="w1")
    fresh = layered.open(layered.effort("b"))
    assert layered.at(host="w1").session.id == fresh


def test_a_subfolder_belongs_to_the_project_around_it(layered):
    """S3-075"""
    assert layered.at(root="/home/dev/shop/src/deep").project == 1
    inner = layered.project("/home/dev/shop/src")
    assert layered.at(root="/home/dev/shop/src/deep").project == inner
    assert layered.at(root="/home/dev/shopping").project is None


def test_a_folder_that_a_link_leads_to_is_the_project_itself(layered, tmp_path):
    """S3-070, S3-075"""
    root = tmp_path / "true" / "shop"
    (root / "src").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "true")
    project = layered.project(str(root))
    other = layered.project(str(tmp_path / "other"))
    assert layered.at(root=f"{tmp_path}/link/shop/src").project == project
    assert layered.at(root=f"{tmp_path}/other").project == other
    assert layered.at(root=f"{tmp_path}/link/sho\0p").project is None


def test_a_host_id_that_looks_like_a_number_is_never_taken_for_one_of_ours(layered):
    """S3-064"""
    effort = layered.effort()
    first = layered.open(effort, host="x")
    layered.open(effort, host="y")
    assert layered.at(host=str(first)).session is None


@pytest.mark.parametrize("name", ["", "A"])
def test_a_window_never_counts_on_the_session_of_another(layered, name):
    """S3-001, S3-111: also a nested one that has the same name."""
    effort = layered.effort()
    if name:
        layered.bind(name, effort)
    first = layered.open(effort, host="one", agent=name)
    assert layered.at(name, host="two").session is None
    assert layered.at(name, host="two").effort.id == effort
    second = layered.open(effort, host="two", agent=name)
    assert (layered.at(name, host="one").session.id, layered.at(name, host="two").session.id) == (first, second)
    assert layered.at(name).session.id == second


def test_a_hand_over_that_waits_is_found_behind_windows_that_run(layered):
    """S3-104, S3-191"""
    effort = layered.effort()
    first, second = layered.open(effort, host="one"), layered.open(effort, host="two")
    layered.write("UPDATE sessions SET dehydration_payload = '{}', ended_at = 1 WHERE id = ?", first)
    newest = layers.find_newest_session
    assert newest(layered.store, effort, "", "three").id == first
    assert newest(layered.store, effort, "", "two").id == second
    layered.write("UPDATE sessions SET handed_over_at = 2 WHERE id = ?", first)
    assert newest(layered.store, effort, "", "three").id == second


def test_a_sub_agent_has_a_session_of_its_own_on_the_same_effort(layered):
    """S3-011"""
    effort = layered.effort()
    parent = layered.open(effort, host="w")
    assert layered.at(host="w", subagent="s1").session is None
    own = layered.open(effort, host="w", subagent="s1")
    assert layered.at(host="w", subagent="s1").session.id == own
    assert layered.at(host="w").session.id == parent
    assert layered.one("SELECT ended_at FROM sessions WHERE id = ?", parent) is None


def test_damaged_json_is_nothing_and_no_reason_to_fail(layered):
    """S3-029"""
    layered.effort(metadata="not-json{{{")
    found = layered.at().effort
    assert (found.metadata, found.limit) == ({}, 10)


@pytest.mark.parametrize(("given", "limit"), [("5", 5), ("0", 0), ("-1", -1), ("true", 10), ('"7"', 10), ("null", 10)])
def test_an_effort_may_have_another_limit(layered, given, limit):
    """S3-123, S3-142"""
    layered.effort(metadata=f'{{"blockAfter": {given}}}')
    assert layered.at().effort.limit == limit


def test_what_is_in_memory_follows_our_own_changes_and_those_of_others(layered, home):
    effort = layered.effort()
    session = layered.open(effort, host="w")
    assert layered.at(host="w").session.heartbeat == 0
    layered.do(Beat(session=session, usage=0.5, offset=10))
    now = layered.at(host="w").session
    assert (now.heartbeat, now.usage, now.offset) == (1, 0.5, 10)
    with sqlite3.connect(home.database) as other:
        other.execute("UPDATE sessions SET heartbeat_counter = 7")
    other.close()
    assert layered.at(host="w").session.heartbeat == 7


def test_memory_and_database_agree_after_any_beats(layered):
    session = layered.open(layered.effort(), host="w")
    layered.at(host="w")
    for beat in (
        Beat(session=session),
        Beat(session=session, add=0, usage=0.2),
        Beat(session=session, edited="/a"),
        Beat(session=session, reset=True),
        Beat(session=session, offset=3),
    ):
        layered.do(beat)
        remembered = layered.at(host="w").session
        layered.store.cache(layers._LayerCache).places.clear()
        read = layered.at(host="w").session
        assert (remembered.heartbeat, remembered.usage, remembered.offset, remembered.edited) == (
            read.heartbeat, read.usage, read.offset, read.edited,
        )  # fmt: skip


def test_a_broken_chain_is_no_error_and_a_broken_database_says_so(layered):
    layered.store.close()
    with pytest.raises(StoreError):
        layered.at()


def test_the_fleet_shows_the_open_session_of_every_agent(layered):
    """S3-026"""
    effort = layered.effort()
    session = layered.open(effort, host="w", agent="A")
    layered.do(
        SetStatus(agent="A", status="working", named=True, effort=effort, project=layered.root, label="W1"),
        Beat(session=session, usage=0.4),
    )
    (shown,) = fleet.list_members(layered.store)
    told = (shown.agent, shown.label, shown.status, shown.skill, shown.session, shown.heartbeat, shown.usage)
    assert told == ("A", "W1", "working", "implement", session, 1, 0.4)
