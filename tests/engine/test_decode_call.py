"""Where a call is about: what the event says, else where the dispatcher was run."""

import json

import pytest

from synaptic.agents.shared.discover import find_adapter
from synaptic.engine.decode_call import decode_call
from synaptic.model.call import Call, Request


def decode(agent: str, event: str, payload: dict[str, object], cwd: str) -> Call:
    request = Request(agent, event, json.dumps(payload).encode(), "1", cwd=cwd)
    return decode_call(find_adapter(agent), request)


@pytest.mark.parametrize(
    ("named", "ran", "want"),
    [
        (None, "/work", "/work"),
        ("", "/work", "/work"),
        ("/own", "/work", "/own"),
        ("sub/../x", "/work", "/work/x"),
        (None, "", ""),
        ("sub", "", "sub"),
        (None, "(unreachable)/x", ""),
        (7, "/work", "/work"),
    ],
)
def test_the_events_own_folder_counts_before_the_dispatchers(named: object, ran: str, want: str) -> None:
    """S4-005, S4-022"""
    shell = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    call = decode("claude", "PreToolUse", {**shell, **({} if named is None else {"cwd": named})}, ran)
    assert call.event.cwd == want
    if ran == "/work":
        assert call.payload["cwd"] == want


def test_a_folder_that_the_tool_input_names_is_below_it() -> None:
    payload = {"tool_name": "run_shell_command", "tool_input": {"command": "ls", "dir_path": "sub"}}
    assert decode("gemini", "BeforeTool", payload, "/work").event.cwd == "/work/sub"
