"""Who truly speaks through an entry in Claude Code's settings."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.agents.shared.recognise import identify_sender
from synaptic.model.call import Request

HERE = Path(__file__).parents[1]
ENV = {
    "copilot": {"COPILOT_CLI": "1"},
    "codex": {},
    "cline": {},
    "droid": {"FACTORY_PROJECT_DIR": "/p"},
    "qwen": {"QWEN_PROJECT_DIR": "/p", "GEMINI_PROJECT_DIR": "/p", "GEMINI_SESSION_ID": "s"},
    "gemini": {"GEMINI_SESSION_ID": "s"},
    "cursor": {"CURSOR_VERSION": "3"},
}
EVERYBODY = {name: "1" for env in ENV.values() for name in env} | {"AGENT": "amp", "AGENT_TOOL_NAME": "Bash"}


def compact(path: Path) -> bytes:
    return json.dumps(json.loads(path.read_bytes()), separators=(",", ":")).encode()


def asked(stdin: bytes, env=None, agent="claude", event="PreToolUse") -> Request:
    return Request(agent, event, stdin, "1", {"CLAUDE_PROJECT_DIR": "/p", **(env or {})})


CLAUDE = sorted((HERE / "claude").glob("*.json"))
COPILOT = HERE / "copilot" / "pascal" / "PreToolUse.Bash.json"


@pytest.mark.parametrize("file", CLAUDE, ids=lambda file: file.stem)
def test_claude_code_is_claude_code_whatever_the_environment_says(file):
    """A repository can set a hook's environment, and nobody may be silenced by it."""
    for env in ({}, EVERYBODY):
        assert identify_sender(asked(compact(file), env)) == "claude"
        assert identify_sender(asked(file.read_bytes(), env)) == "claude"
        elsewhere = compact(file).replace(b"/.claude/projects", b"/config/projects")
        assert identify_sender(asked(elsewhere, env)) == "claude"


@pytest.mark.parametrize("agent", ["copilot/pascal", "codex", "droid", "qwen", "gemini", "cursor", "cline"])
def test_others_are_known_by_their_payload(agent):
    files = sorted((HERE / agent).glob("*.json"))
    assert files
    name = agent.partition("/")[0]
    for file in files:
        if name == "codex" and "SessionEnd" in file.stem:
            continue  # without a turn; its transcript may be null
        assert identify_sender(asked(compact(file), ENV[name])) == name, file.stem


def test_amp_passes_a_bare_input_and_says_who_it_is():
    assert identify_sender(asked(b'{"cmd":"ls"}', {"AGENT": "amp", "AGENT_TOOL_NAME": "Bash"})) == "amp"
    assert identify_sender(asked(b'{"cmd":"ls"}')) == "claude"


def test_an_agent_that_was_named_is_believed():
    assert identify_sender(asked(compact(COPILOT), ENV["copilot"], agent="codex")) == "codex"


@given(
    st.dictionaries(st.sampled_from(["cursor_version", "turn_id", "timestamp", "hookName", "clineVersion"]), st.text())
)
def test_no_tool_input_makes_claude_code_anybody_else(keys):
    """A model chooses the input of a tool, and with it which keys are in the payload."""
    payload = {
        "session_id": "s", "transcript_path": "/config/projects/x.jsonl", "cwd": "/p", "hook_event_name": "PreToolUse",
        "tool_name": "mcp__a__b", "tool_input": {**keys, "text": json.dumps(keys), "deep": [keys]},
    }  # fmt: skip
    assert identify_sender(asked(json.dumps(payload).encode(), EVERYBODY)) == "claude"


@pytest.mark.parametrize("stdin", [b"", b"garbage", b"[]", b"\xff", b"{" * 5000, b'{"cursor_version":'])
def test_what_nobody_can_read_stays_with_whoever_was_named(stdin):
    assert identify_sender(asked(stdin, EVERYBODY)) == "claude"
