"""What an agent is called, and where it can be seen."""

import os
from pathlib import Path

import pytest

from synaptic.fleet import identity
from synaptic.fleet.identity import AgentIdentity, choose_identity, read_pane
from synaptic.model.errors import LayerError, SynapticError
from synaptic.store import lease
from synaptic.store.supervision import SupervisedAgent
from tests.fleet.server import Server

CLAUDE = ("claude",)


def test_a_name_that_was_given_comes_first():
    assert choose_identity("option", CLAUDE, {"AGENT_ID": "variable"}) == AgentIdentity("option")
    assert choose_identity("", CLAUDE, {"AGENT_ID": "variable"}) == AgentIdentity("variable")


@pytest.mark.parametrize(
    "environ", [{}, {"AGENT_ID": ""}, {"AGENT_ID": "default"}, {"TMUX": "/no/socket,1,0", "TMUX_PANE": "%0"}]
)
def test_without_one_it_is_made_up(environ: dict[str, str]):
    found = choose_identity("", ("/usr/bin/claude", "-p"), environ)
    assert found.agent.startswith("claude-")
    assert not found.chosen


def test_in_tmux_it_is_the_pane(server: Server):
    """S3-007"""
    pane = server.shows("work", "#{pane_id}")
    environ = {"TMUX": server.variable, "TMUX_PANE": pane}
    assert choose_identity("", CLAUDE, environ) == AgentIdentity("work:0.0", chosen=False)
    assert read_pane(environ) == f"{server.socket.resolve()},{server.shows('work', '#{pid}')}:{pane}"
    assert read_pane({"TMUX": server.variable}) == ""


@pytest.mark.parametrize("name", ["default", "\t", "a\x1bb", "\udc80"])
def test_what_cannot_be_a_name_is_refused(name: str):
    with pytest.raises(LayerError, match="cannot name an agent"):
        choose_identity(name, CLAUDE, {})


def test_an_agent_that_another_one_starts_belongs_to_it(tmp_path: Path):
    _, held = identity.claim_name(tmp_path, AgentIdentity("lead"))
    assert identity.find_outer_agent(tmp_path, "helper", {"AGENT_ID": "lead"}) == "lead"
    assert identity.find_outer_agent(tmp_path, "lead", {"AGENT_ID": "lead"}) == ""
    assert identity.find_outer_agent(tmp_path, "helper", {"AGENT_ID": "nobody"}) == ""
    assert identity.find_outer_agent(tmp_path, "helper", {}) == ""
    os.close(held)
    assert identity.make_agent_variables(SupervisedAgent(agent="a", parent="b", pid=1)) == {
        "AGENT_ID": "a",
        "AGENT_PARENT": "b",
    }


def test_a_name_that_is_taken_is_refused_or_made_up_differently(tmp_path: Path):
    first, held = identity.claim_name(tmp_path, AgentIdentity("a"))
    assert first == "a"
    with pytest.raises(SynapticError, match="supervised already"):
        identity.claim_name(tmp_path, AgentIdentity("a"))
    second, other = identity.claim_name(tmp_path, AgentIdentity("a", chosen=False))
    assert second.startswith("a-")
    assert lease.is_lease_held(tmp_path, second)
    for descriptor in (held, other):
        os.close(descriptor)
    assert not lease.is_lease_held(tmp_path, "a")
