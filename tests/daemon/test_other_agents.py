"""Agents that run the entries in Claude Code's settings: understood, answered in their own words, judged once."""

import json
from pathlib import Path

import msgspec
import pytest

from synaptic.agents.base import UserEnvironment
from synaptic.agents.shared.discover import find_agent, list_agent_names
from synaptic.agents.shared.ours import EntryPlan
from synaptic.model.call import Request
from synaptic.setup import settings
from synaptic.setup.settings import FileOwner
from tests.daemon.setting import Setting

WIRE = Path(__file__).parents[1] / "agents"


@pytest.fixture
def setting(tmp_path: Path):
    made = Setting(tmp_path)
    yield made
    made.close()


def cursor(setting: Setting, command: str) -> Request:
    payload = json.loads((WIRE / "cursor" / "preToolUse.Shell.json").read_text())
    payload |= {
        "tool_input": {"command": command},
        "workspace_roots": [str(setting.project)],
        "cwd": str(setting.project),
    }
    return setting.raw("PreToolUse", json.dumps(payload).encode())


def copilot(setting: Setting, command: str) -> Request:
    payload = json.loads((WIRE / "copilot" / "pascal" / "PreToolUse.Bash.json").read_text())
    payload |= {"tool_input": {"command": command}, "cwd": str(setting.project)}
    request = setting.raw("PreToolUse", json.dumps(payload).encode())
    return msgspec.structs.replace(request, env={**request.env, "COPILOT_CLI": "1"})


def wire_natively(setting: Setting, agent: str) -> Path:
    (file,) = find_agent(agent).list_files(
        UserEnvironment(setting.user), EntryPlan(str(setting.home.dispatch), "0" * 32)
    )
    settings.register_entries(setting.home, file.path, file.wanted, FileOwner(agent))
    return file.path


def test_cursor_is_refused_in_its_own_words_and_journalled_under_its_name(setting):
    answer = setting.answer(cursor(setting, "git reset --hard"))
    told = json.loads(answer.stdout)
    assert told["permission"] == "deny"
    assert told["agent_message"]
    assert [entry.agent for entry in setting.entries()] == ["cursor"]


def test_copilot_is_refused_in_the_dialect_of_the_entry(setting):
    answer = setting.answer(copilot(setting, "git reset --hard"))
    assert b'"deny"' in answer.stdout
    assert [entry.agent for entry in setting.entries()] == ["copilot"]


@pytest.mark.parametrize(("agent", "make"), [("cursor", cursor), ("copilot", copilot)])
def test_an_agent_that_has_entries_of_its_own_is_judged_there_alone(setting, agent, make):
    wire_natively(setting, agent)
    answer = setting.answer(make(setting, "git reset --hard"))
    assert answer.stdout in (b"", b"{}")
    assert answer.exit == 0
    assert setting.entries() == ()


@pytest.mark.parametrize(("agent", "make"), [("cursor", cursor), ("copilot", copilot)])
def test_an_agent_whose_own_entry_is_gone_is_judged_here(setting, agent, make):
    """The record still has it: somebody took it out by hand, or emptied the file."""
    file = wire_natively(setting, agent)
    assert setting.answer(make(setting, "git reset --hard")).stdout in (b"", b"{}")
    for text in ('{"version": 1, "hooks": {}}', "{", None):
        file.write_text(text) if text else file.unlink()
        assert b'"deny"' in setting.answer(make(setting, "git reset --hard")).stdout


def test_an_agent_that_looks_into_another_folder_than_the_one_that_was_wired_is_judged_here(setting):
    wire_natively(setting, "copilot")
    request = copilot(setting, "git reset --hard")
    moved = msgspec.structs.replace(request, env={**request.env, "COPILOT_HOME": str(setting.user / "other")})
    assert b'"deny"' in setting.answer(moved).stdout


def test_only_agents_that_read_claudes_settings_are_silenced_there(setting):
    """A newer Claude Code may send a field of another agent, from a folder that nobody knows: it is judged."""
    wire_natively(setting, "codex")
    payload = {"turn_id": "t", "transcript_path": "/elsewhere/x.jsonl", "session_id": "s", "cwd": str(setting.project)}
    payload |= {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git reset --hard"}}
    assert b'"deny"' in setting.answer(setting.raw("PreToolUse", json.dumps(payload).encode())).stdout


def test_the_variables_of_another_agent_do_not_silence_claudes_entries(setting):
    """A repository can set a hook's environment."""
    wire_natively(setting, "copilot")
    request = setting.request(tool_input={"command": "git reset --hard"})
    request = msgspec.structs.replace(request, env={**request.env, "COPILOT_CLI": "1"})
    assert b'"deny"' in setting.answer(request).stdout


@pytest.mark.parametrize("agent", list_agent_names())
def test_what_no_agent_could_have_sent_is_a_refusal_in_its_own_words(setting, agent):
    answer = setting.answer(setting.raw("PreToolUse", b"garbage", agent))
    assert b"could not be read" in answer.stderr + answer.stdout
    assert b"deny" in answer.stdout or b"cancel" in answer.stdout or answer.exit == 2
    assert setting.last().agent == agent


@pytest.mark.parametrize("agent", list_agent_names())
@pytest.mark.parametrize("other", list_agent_names())
def test_a_payload_of_one_agent_sent_as_anothers_is_read_as_far_as_it_goes(setting, agent, other):
    """No crash, an answer that the agent can read, and a journal line under its name."""
    file = next(file for file in sorted((WIRE / other).rglob("*.json")) if "schemas" not in file.parts)
    answer = setting.answer(setting.raw("PreToolUse", file.read_bytes(), agent))
    assert isinstance(json.loads(answer.stdout or b"{}"), dict)
    assert answer.exit in (0, 1, 2)
    (entry,) = setting.entries()
    assert entry.agent == agent if agent != "claude" else entry.agent in (agent, other)


@pytest.mark.parametrize("agent", [agent for agent in list_agent_names() if agent not in ("amp", "cline", "opencode")])
def test_a_key_that_cannot_be_read_is_named_with_its_agent_in_the_journal(setting, agent):
    payload = {"hook_event_name": "PreToolUse", "session_id": ["not", "text"], "tool_name": "Bash", "cwd": "/"}
    setting.answer(setting.raw("PreToolUse", json.dumps(payload).encode(), agent))
    assert f"{agent}: PreToolUse.session_id is a list, expected a string" in setting.last().answer.stderr.decode()
