"""Calls that cannot be read: no JSON, no tool, no input, more than is read. None of them is an allow."""

import json

import pytest

from synaptic.agents.shared.discover import find_agent, list_agent_names
from synaptic.daemon.client import main as run_python_client
from synaptic.daemon.frame import STDIN_LIMIT, TOO_LARGE_STDIN
from synaptic.model.call import Answer
from tests.daemon.setting import Setting

PAYLOADS = {
    "nothing": b"",
    "a blank": b" \n",
    "garbage": b"rm -rf ~",
    "cut off": b'{"tool_name": "Bash", "tool_input": {"command": "rm -rf ~',
    "null": b"null",
    "a list": b'[{"tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}}]',
    "a string": b'"rm -rf ~"',
    "a number": b"1",
    "an empty object": b"{}",
    "two objects": b'{"tool_name": "Bash"}{"tool_name": "Bash"}',
    "nested too deep": b'{"a":' * 100_000,
    "no UTF-8": b"\xff\xfe\x00",
    "zeros": b"\0" * 1000,
    "more than is read": TOO_LARGE_STDIN,
}
CALLS = {
    "no tool": {"tool_input": {"command": "rm -rf ~"}},
    "an empty tool": {"tool_name": "", "tool_input": {"command": "rm -rf ~"}},
    "a number as tool": {"tool_name": 3, "tool_input": {"command": "rm -rf ~"}},
    "a list as tool": {"tool_name": ["Bash"], "tool_input": {"command": "rm -rf ~"}},
    "text as input": {"tool_name": "Bash", "tool_input": "rm -rf ~"},
    "a list as input": {"tool_name": "Bash", "tool_input": ["rm", "-rf", "~"]},
    "text in a list as input": {"tool_name": "Bash", "tool_input": ["rm -rf ~"]},
}


def _is_refused(answer: Answer) -> bool:
    return answer.exit == 2 or any(
        word in answer.stdout for word in (b'"deny"', b'"ask"', b'"deny":', b'"cancel":true')
    )


@pytest.mark.parametrize("agent", list_agent_names())
@pytest.mark.parametrize("name", PAYLOADS)
def test_what_cannot_be_read_is_refused_in_the_agents_words(setting: Setting, agent: str, name: str) -> None:
    wire = find_agent(agent).adapter
    events = getattr(getattr(wire, "dialect", None), "events", {})
    native = next((event for event, canonical in events.items() if canonical == "PreToolUse"), "PreToolUse")
    assert _is_refused(setting.answer(setting.raw(native, PAYLOADS[name], agent)))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "nobody"])
def test_a_call_that_does_not_say_what_it_does_is_refused(setting: Setting, agent: str, name: str) -> None:
    event = "BeforeTool" if agent == "gemini" else "PreToolUse"
    payload = {"session_id": "s", "cwd": str(setting.project), "hook_event_name": event, **CALLS[name]}
    assert _is_refused(setting.answer(setting.raw(event, json.dumps(payload).encode(), agent)))


@pytest.mark.parametrize("given", [7, "x", ["ls"]])
def test_an_input_of_another_shape_is_told_and_stops_no_tool_by_itself(setting: Setting, given: object) -> None:
    """S3-065"""
    payload = {"session_id": "s", "cwd": str(setting.project), "tool_name": "Bash", "tool_input": given}
    answer = setting.answer(setting.raw("PreToolUse", json.dumps(payload).encode()))
    assert not _is_refused(answer)
    assert b"tool_input is" in answer.stderr


def test_the_python_client_refuses_more_than_is_read(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    setting.without_daemon()
    monkeypatch.setattr("synaptic.daemon.client._read_stdin", lambda: b"x" * (STDIN_LIMIT + 1))
    monkeypatch.setenv("HOME", str(setting.user))
    run_python_client([str(setting.home.dispatch), "PreToolUse"])
    assert '"permissionDecision":"deny"' in capfd.readouterr().out


@pytest.mark.parametrize("event", ["PostToolUse", "SessionStart", "Stop"])
def test_after_the_act_nobody_is_kept_from_working(setting: Setting, event: str) -> None:
    assert not _is_refused(setting.answer(setting.raw(event, b"garbage")))
