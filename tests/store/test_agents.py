"""Agents by name."""

import pytest

from synaptic.model.errors import LayerError
from synaptic.model.layers import Restart, SetStatus
from synaptic.store import agents, fleet, layers, supervision
from synaptic.store.agents import AgentRegistration
from synaptic.store.db import Store
from synaptic.store.supervision import SupervisedAgent
from tests.store.efforts_kit import begin, tables


def code(work) -> str:
    with pytest.raises(LayerError) as caught:
        work()
    return caught.value.code


def test_a_registration_replaces_everything(store: Store):
    """S3-208"""
    effort = begin(store).effort.id
    whole = AgentRegistration(
        id="A", label="L", kind="claude", effort=effort, status="error", parent="P", note="n", pane="x"
    )
    found = agents.register_agent(store, whole, 1.0)
    assert (found.label, found.kind, found.effort, found.status, found.parent, found.named) == (
        "L",
        "claude",
        effort,
        "error",
        "P",
        True,
    )
    after = agents.register_agent(store, AgentRegistration(id="A", claims=("src",)), 2.0)
    assert (after.label, after.effort, after.status, after.parent, after.note) == ("", None, "done", "", "")
    assert len(layers.list_agents(store)) == 1


@pytest.mark.parametrize("status", ["error", "attention", "working", "checked", "done"])
def test_every_status_of_the_list_can_be_said(store: Store, status: str):
    """S3-208, S3-D10"""
    agents.register_agent(store, AgentRegistration(id="A"), 1.0)
    assert agents.set_agent_status(store, "A", status, "why", 2.0).status == status


def test_unknown_statuses_agents_and_efforts_are_refused(store: Store):
    """S3-208"""
    agents.register_agent(store, AgentRegistration(id="A"), 1.0)
    before = tables(store)
    assert code(lambda: agents.set_agent_status(store, "A", "sleepy", "", 2.0)) == "VALIDATION_ERROR"
    assert code(lambda: agents.set_agent_status(store, "ghost", "done", "", 2.0)) == "NOT_FOUND"
    assert (
        code(lambda: agents.register_agent(store, AgentRegistration(id="B", status="idle"), 2.0)) == "VALIDATION_ERROR"
    )
    assert code(lambda: agents.register_agent(store, AgentRegistration(id="B", effort=9), 2.0)) == "NOT_FOUND"
    assert code(lambda: agents.require_agent(store, "ghost")) == "NOT_FOUND"
    assert tables(store) == before


@pytest.mark.parametrize("name", ["", " ", "default", "x" * 201, "a\nb"])
def test_not_everything_is_a_name(store: Store, name: str):
    assert code(lambda: agents.register_agent(store, AgentRegistration(id=name), 1.0)) == "VALIDATION_ERROR"


def test_a_registration_takes_nothing_from_an_agent_that_runs(store: Store):
    """What its supervisor and its events say is not part of it: a restart that was asked for is carried out."""
    supervision.begin_supervision(store, SupervisedAgent(agent="A", pid=7, pane="s,1:%3"), "working", 1.0)
    asked = (SetStatus(agent="A", status="working", host="w1"), Restart(agent="A", prompt="go on"))
    layers.write_layer_effects(store, asked, 2.0)
    agents.register_agent(store, AgentRegistration(id="A", label="API"), 3.0)
    assert supervision.find_restart_prompt(store, "A") == "go on"
    (one,) = fleet.list_members(store)
    assert (one.label, one.supervised, one.pane) == ("API", True, "s,1:%3")
    assert layers.find_agent(store, "A").host == "w1"
    agents.register_agent(store, AgentRegistration(id="A", pane="s,1:%4"), 4.0)
    assert layers.find_agent(store, "A").pane == "s,1:%4"
