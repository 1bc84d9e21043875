"""What a supervisor says about its agent, and what it is asked to do."""

from synaptic.model.layers import Restart, SetStatus
from synaptic.store import fleet, layers, supervision
from synaptic.store.db import Store
from synaptic.store.supervision import SupervisedAgent

A = SupervisedAgent(agent="a", label="API", kind="claude", project="/p", pane="/s,1:%1", pid=7)
B = SupervisedAgent(agent="b", pane="/s,1:%2", pid=8)


def row(store: Store, agent: str = "a"):
    return next(one for one in fleet.list_members(store) if one.agent == agent)


def test_an_agent_that_begins_is_known_and_has_its_pane_for_itself(store: Store):
    supervision.begin_supervision(store, SupervisedAgent(agent="old", pane=A.pane, pid=1), "done", 1.0)
    supervision.begin_supervision(store, A, "working", 2.0)
    found = row(store)
    assert (found.label, found.kind, found.project, found.status, found.pane) == (
        "API",
        "claude",
        "/p",
        "working",
        A.pane,
    )
    assert (found.named, found.supervised, found.since) == (True, True, 2.0)
    assert row(store, "old").pane == ""


def test_without_a_status_it_keeps_the_one_it_has(store: Store):
    supervision.begin_supervision(store, A, "done", 1.0)
    supervision.report_status(store, A, "error", "was ended by SIGKILL", 2.0)
    supervision.begin_supervision(store, A, None, 3.0)
    assert (row(store).status, row(store).note) == ("error", "was ended by SIGKILL")


def test_a_request_is_handed_out_once_and_only_to_its_agent(store: Store):
    """S3-241"""
    for charge in (A, B):
        supervision.begin_supervision(store, charge, "done", 1.0)
    layers.write_layer_effects(store, (Restart(agent="a", prompt="go on"),), 2.0)
    assert supervision.take_restart_prompt(store, "b") is None
    assert supervision.find_restart_prompt(store, "a") == "go on"
    assert supervision.take_restart_prompt(store, "a") == "go on"
    assert supervision.take_restart_prompt(store, "a") is None


def test_a_request_from_before_a_start_is_no_request_any_more(store: Store):
    supervision.begin_supervision(store, A, "done", 1.0)
    layers.write_layer_effects(store, (Restart(agent="a", prompt="go on"),), 2.0)
    supervision.begin_supervision(store, A, None, 3.0)
    assert supervision.find_restart_prompt(store, "a") is None


def test_one_that_ended_well_gives_its_pane_back_and_one_in_error_shows_it_there(store: Store):
    supervision.begin_supervision(store, A, "working", 1.0)
    supervision.begin_supervision(store, B, "working", 1.0)
    supervision.end_supervision(store, A, "done", "", 2.0)
    supervision.end_supervision(store, B, "error", "exit 3", 2.0)
    assert (row(store).pane, row(store).supervised, row(store).named) == ("", False, True)
    assert (row(store, "b").pane, row(store, "b").note) == (B.pane, "exit 3")


def test_a_name_that_was_made_up_is_no_name_afterwards(store: Store):
    made_up = SupervisedAgent(agent="claude-1a2b3c", pid=1, chosen=False)
    supervision.begin_supervision(store, made_up, "working", 1.0)
    assert row(store, made_up.agent).named is True
    supervision.end_supervision(store, made_up, "done", "", 2.0)
    assert row(store, made_up.agent).named is False


def test_whoever_coordinates_it_hears_of_an_error(store: Store):
    """S3-235"""
    layers.write_layer_effects(store, (SetStatus(agent="lead", status="working", named=True, host="h1"),), 1.0)
    child = SupervisedAgent(agent="c", label="Worker", parent="lead", pid=1)
    supervision.begin_supervision(store, child, "working", 1.0)
    supervision.report_status(store, child, "error", "was ended by SIGKILL", 2.0)
    sql = "SELECT signals FROM agents WHERE id = 'lead'"
    assert store.read(lambda connection: connection.execute(sql).fetchone()) == (1,)
    sql = "SELECT session, text FROM deliveries"
    told = store.read(lambda connection: connection.execute(sql).fetchall())
    assert told == [("h1", "Agent Worker: was ended by SIGKILL")]
