"""One name, one adapter, and nothing else loaded."""

import subprocess
import sys

import pytest

from synaptic.agents.adapters import AGENTS, adapter, agents
from synaptic.model.errors import PayloadError


def test_every_agent_has_an_adapter_of_its_name():
    assert agents() == (*AGENTS, "synaptic")
    assert [adapter(name).name for name in agents()] == list(agents())


def test_an_agent_nobody_knows_is_refused_with_the_known_names():
    with pytest.raises(PayloadError, match=r"agent 'other' is not known \(known: claude, codex, .*, synaptic\)"):
        adapter("other")


def test_one_agent_does_not_load_another():
    code = "import sys; from synaptic.agents.adapters import adapter; adapter('claude'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "synaptic.agents.claude" in done.stdout.split()
    others = {f"synaptic.agents.{name}" for name in ("ability", *AGENTS) if name != "claude"}
    assert not others & set(done.stdout.split())
