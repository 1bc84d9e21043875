"""Every agent says something about everything: no field has a default, and what is said holds together."""

import msgspec
import pytest

from synaptic.agents.base import UNKNOWN_COMMAND_LINE, Agent, UserEnvironment
from synaptic.agents.shared.discover import find_agent, list_agent_names, load_agents
from synaptic.agents.shared.guarded import list_guarded_names
from synaptic.agents.shared.ours import EntryPlan, has_own_note
from synaptic.model.event import EVENTS
from tests.agents.recorded import payloads

PLAN = EntryPlan("/home/ann/.synaptic/bin/dispatch", "0123456789abcdef" * 2)
OPTIONAL = {
    "note": {"amp"},
    "unseen": {*list_agent_names()} - {"claude"},
    "absence": {"claude", "copilot", "qwen"},
    "reported_version": {"claude", "cline", "codex", "cursor", "opencode"},
    "sign": {"claude", "amp", "cline", "codex", "copilot", "cursor", "droid", "gemini", "qwen"},
    "reads_claude_settings": {"claude", "copilot", "cursor"},
    "imitates": {"qwen"},
    "named_files": {"amp"},
    "strict_events": {"cursor"},
    "agreement": {"codex"},
    "switches": {"claude", "amp", "codex", "copilot", "droid", "gemini", "qwen"},
    "guards": {"claude", "cline", "copilot", "opencode"},
    "shell_variables": {"claude", "cline", "codex", "copilot", "cursor", "gemini", "opencode", "qwen"},
    "session_variables": {"claude", "codex", "copilot", "qwen"},
}
"""What an agent may have nothing of, and who has something. Every other field is filled in by everybody."""
FIELDS = [field.name for field in msgspec.structs.fields(Agent)]


def test_no_field_has_a_default_so_that_nobody_can_forget_one():
    assert all(field.required for field in msgspec.structs.fields(Agent))
    assert OPTIONAL.keys() <= set(FIELDS)


@pytest.mark.parametrize("agent", list_agent_names())
@pytest.mark.parametrize("field", FIELDS)
def test_every_field_of_every_agent_is_filled_in(agent, field):
    needed = field not in OPTIONAL or agent in OPTIONAL[field]
    assert getattr(find_agent(agent), field) or not needed, f"{agent} says nothing about {field}"


@pytest.mark.parametrize("agent", list_agent_names())
def test_an_agent_is_called_like_its_module_and_its_dialect(agent):
    found = find_agent(agent)
    assert found.name == found.adapter.name == agent
    assert found.folder.usual_path.startswith(".")


@pytest.mark.parametrize("agent", list_agent_names())
def test_every_event_that_is_asked_for_has_a_capability_and_stands_for_something(agent):
    found = find_agent(agent)
    for event in found.events:
        here = found.adapter.to_canonical(event)
        assert here in EVENTS or here == "Interrupt", event
    assert found.adapter.get_capability("PreToolUse").deny


@pytest.mark.parametrize("agent", list_agent_names())
def test_every_file_of_ours_is_recognised_and_carries_the_mark(agent, tmp_path):
    found = find_agent(agent)
    files = found.list_files(UserEnvironment(tmp_path), PLAN)
    assert files
    entries = list(found.iter_settings_files(UserEnvironment(tmp_path), PLAN))
    assert all(has_own_note(file.text) for file in files if file not in entries)
    for file in entries:
        for group in file.wanted.groups.values():
            hooks = group["hooks"] if file.wanted.shape.nested else [group]
            assert all(file.wanted.has_written(hook) for hook in hooks)
            assert found.mark in msgspec.json.encode(group).decode()


@pytest.mark.parametrize("agent", list_agent_names())
def test_every_variable_moves_a_file_of_the_agent(agent, tmp_path):
    found = find_agent(agent)
    usual = {file.path for file in found.list_files(UserEnvironment(tmp_path), PLAN)}
    for variable in found.variables:
        moved = UserEnvironment(tmp_path, {variable: str(tmp_path / "elsewhere")})
        assert {file.path for file in found.list_files(moved, PLAN)} != usual, variable


@pytest.mark.parametrize("agent", list_agent_names())
def test_what_holds_entries_switches_and_agreements_is_guarded(agent, tmp_path):
    found = find_agent(agent)
    here = UserEnvironment(tmp_path)
    names = [switch.file for switch in found.switches] + ([found.agreement.file] if found.agreement else [])
    paths = [found.locate_file(name, here) for name in names] + [file.path for file in found.list_files(here, PLAN)]
    guarded = [found.folder.locate(here) / name for name in list_guarded_names(agent)]
    bare = [path for path in paths if not any(path.is_relative_to(one) for one in guarded)]
    assert [path for path in bare if not str(path).startswith("/home/ann/.synaptic/")] == []


def test_agents_are_told_apart_by_their_shell_programs_and_imitated_ones_exist():
    for field in ("shell_variables", "programs"):
        known = [name for agent in load_agents() for name in getattr(agent, field)]
        assert len(known) == len(set(known))
    assert {agent.imitates for agent in load_agents()} - {""} <= set(list_agent_names())


@pytest.mark.parametrize("agent", list_agent_names())
def test_every_agent_has_goldens(agent):
    assert payloads(agent)


def test_the_command_line_of_nobody_is_the_one_that_is_compared_by_identity():
    unknown = {agent.name for agent in load_agents() if agent.command_line is UNKNOWN_COMMAND_LINE}
    assert {"amp", "cline", "cursor"} <= unknown
