"""One name, one adapter, and nothing else loaded."""

import subprocess
import sys

import pytest

from synaptic.agents.shared.discover import (
    OWN_NAME,
    find_adapter,
    find_agent,
    find_by_program,
    has_dialect,
    list_agent_names,
)
from synaptic.model.errors import PayloadError


def test_every_module_is_an_agent_of_its_name_and_claude_code_comes_first():
    assert list_agent_names()[0] == "claude"
    assert list(list_agent_names()[1:]) == sorted(list_agent_names()[1:])
    assert [find_agent(name).name for name in list_agent_names()] == list(list_agent_names())
    assert [find_adapter(name).name for name in (*list_agent_names(), OWN_NAME)] == [*list_agent_names(), OWN_NAME]


def test_an_agent_nobody_knows_is_refused_with_the_known_names():
    for find in (find_adapter, find_agent):
        with pytest.raises(PayloadError, match=r"agent 'other' is not known \(known: claude, amp, .*, synaptic\)"):
            find("other")
    assert has_dialect("synaptic") and has_dialect("codex") and not has_dialect("other")


@pytest.mark.parametrize("name", ["base", "shared", "claude.entries", "../x"])
def test_what_is_no_agent_is_not_taken_for_one(name):
    with pytest.raises(PayloadError):
        find_agent(name)


def test_a_program_starts_the_agent_that_has_it():
    assert find_by_program("cursor-agent") is find_agent("cursor")
    assert find_by_program("codex") is find_agent("codex")
    assert find_by_program("vim") is None


def test_one_agent_does_not_load_another():
    code = "import sys; from synaptic.agents.shared.discover import *; find_adapter('claude'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "synaptic.agents.claude" in loaded
    assert not {f"synaptic.agents.{name}" for name in list_agent_names() if name != "claude"} & loaded
    assert "synaptic.agents.shared.own_dialect" not in loaded
    assert "synaptic.agents.shared.settings" not in loaded, "nobody edits settings to answer an event"
