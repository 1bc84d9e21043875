"""Everybody who works, as a display shows them."""

import pytest

from synaptic.model.layers import Beat, OpenSession, SetStatus
from synaptic.store import fleet, layers
from synaptic.store.db import Store

EFFORT = """
INSERT INTO projects (id, path, created_at) VALUES (1, '/p', 1);
INSERT INTO tasks (dir_path, project_id, created_at) VALUES ('/p/.tasks/move', 1, 1);
INSERT INTO efforts (id, task_id, skill, ordinal, current_phase, metadata, created_at)
VALUES (1, '/p/.tasks/move', 'implement', 1, '2: Build', '{"blockAfter": 5}', 1);
"""


@pytest.fixture
def at_work(store: Store) -> Store:
    store.read(lambda connection: connection.executescript(EFFORT))
    opened = layers.write_layer_effects(store, (OpenSession(effort=1, agent="a", host="h"),), 10.0)
    status = SetStatus(agent="a", status="working", named=True, project="/p", effort=1)
    layers.write_layer_effects(store, (status, Beat(session=opened.session or 0, add=3, usage=0.5)), 20.0)
    return store


def test_a_member_knows_its_work(at_work: Store):
    (one,) = fleet.list_members(at_work)
    assert (one.agent, one.status, one.project, one.task, one.skill) == (
        "a",
        "working",
        "/p",
        "/p/.tasks/move",
        "implement",
    )
    assert (one.phase, one.heartbeat, one.limit, one.usage, one.seen) == ("2: Build", 3, 5, 0.5, 20.0)
    assert one.session is not None
    assert not one.supervised


@pytest.mark.parametrize("metadata", [None, "not-json{{{", "{}", '{"blockAfter": "many"}'])
def test_metadata_that_says_nothing_leaves_the_usual_limit(at_work: Store, metadata: str | None):
    at_work.write(lambda connection: connection.execute("UPDATE efforts SET metadata = ?", (metadata,)))
    assert fleet.list_members(at_work)[0].limit == 10


@pytest.mark.parametrize(
    ("before", "after"),
    [("attention", "checked"), ("error", "error"), ("working", "working"), ("done", "done"), ("checked", "checked")],
)
def test_only_attention_is_checked_by_looking(store: Store, before: str, after: str):
    """S3-232"""
    layers.write_layer_effects(store, (SetStatus(agent="a", status=before, named=True),), 1.0)  # type: ignore[arg-type]
    assert fleet.mark_checked(store, "a", 2.0) == after
    assert fleet.mark_checked(store, "nobody", 2.0) is None


def test_the_version_moves_with_commits_of_others_only(store: Store, home):
    before = fleet.read_data_version(store)
    assert fleet.read_data_version(store) == before
    other = Store.open(home)
    layers.write_layer_effects(other, (SetStatus(agent="a", status="working"),), 1.0)
    other.close()
    assert fleet.read_data_version(store) != before


def test_a_window_without_a_name_is_not_shown_by_the_session_of_another(at_work: Store):
    """Two windows on one effort: the one that has ended is gone, and each shows its own heartbeat."""
    for host, count in (("w1", 2), ("w2", 4)):
        opened = layers.write_layer_effects(at_work, (OpenSession(effort=1, host=host),), 30.0)
        status = SetStatus(agent=host, status="working", host=host, project="/p", effort=1)
        layers.write_layer_effects(at_work, (status, Beat(session=opened.session or 0, add=count)), 31.0)
    assert {one.agent: one.heartbeat for one in fleet.list_members(at_work)} == {"a": 3, "w1": 2, "w2": 4}
    at_work.write(lambda connection: connection.execute("UPDATE sessions SET ended_at = 40 WHERE host_session = 'w1'"))
    assert {one.agent: one.session is None for one in fleet.list_members(at_work)} == {
        "a": False,
        "w1": True,
        "w2": False,
    }


def test_an_effort_that_nobody_has_claimed_yet_shows_with_its_agent(at_work: Store):
    """A person has started it for an agent without a window."""
    at_work.write(lambda connection: connection.execute("UPDATE sessions SET fleet_agent = '', host_session = ''"))
    assert fleet.list_members(at_work)[0].heartbeat == 3


def test_an_effort_that_is_finished_is_nobodys_work_any_more(at_work: Store):
    """The agent's row keeps the last one that it was given."""
    at_work.write(lambda connection: connection.execute("UPDATE efforts SET lifecycle = 'finished'"))
    (one,) = fleet.list_members(at_work)
    assert (one.task, one.skill, one.phase, one.limit) == ("", "", "", 10)
    assert (one.agent, one.status, one.project) == ("a", "working", "/p")
