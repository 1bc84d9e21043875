"""Cursor: its own words, whichever settings file its hook came from."""

import pytest

from synaptic.agents.cursor import ADAPTER, CONTEXT_LIMIT
from synaptic.model.call import Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import PostToolUseFailure, PreToolUse, Stop
from tests.agents.recorded import HERE, answer, body, calls, decode, denied, kept

CALLS = calls("cursor")


def pre(tool, **given):
    return decode("cursor", "preToolUse", session_id="s", cwd="/p", tool_name=tool, tool_input=given)


def rewrite(**new):
    return Decision(kind=Kind.REWRITE, input=new, reason="better")


def test_a_hook_in_claude_codes_settings_gets_the_same_event_and_answer():
    raw = (HERE / "cursor" / "preToolUse.Shell.json").read_bytes()
    call = ADAPTER.decode(Request("cursor", "PreToolUse", raw, "1"))
    assert call.event == CALLS["preToolUse.Shell"].event and call.warnings == ()
    assert body(call, denied())["permission"] == "deny"


def test_a_command_is_judged_where_it_runs():
    event = CALLS["preToolUse.Shell"].event
    assert (event.tool_name, event.tool.command, event.cwd) == ("Bash", "echo orig > orig.txt", "/home/dev/proj/sub")
    assert CALLS["beforeSubmitPrompt"].event.cwd == "/home/dev/proj"


def test_events_with_words_of_their_own_are_tool_calls():
    shell, mcp, read = (CALLS[name].event for name in ("beforeShellExecution", "beforeMCPExecution", "beforeReadFile"))
    assert all(isinstance(event, PreToolUse) for event in (shell, mcp, read))
    assert shell.tool.command == "echo orig > orig.txt"
    assert (mcp.tool_name, mcp.tool_input) == ("mcp__unknown__touch", {"path": "a.txt"})
    assert read.tool.is_read and read.tool.paths == ("/home/dev/proj/.env",)
    edited = CALLS["afterFileEdit"].event
    assert edited.tool.is_edit and edited.tool.paths == ("/home/dev/proj/n.txt",)


def test_a_deletion_is_judged_as_the_command_that_it_is():
    call = CALLS["preToolUse.Delete"]
    assert call.event.tool.command == "rm -- '/home/dev/proj/it'\"'\"'s.txt'"
    assert "Use instead: rm x" in body(call, rewrite(command="rm x"))["user_message"]


def test_silence_is_an_empty_object():
    """An entry that fails closed takes an empty stdout for a failure."""
    assert all(answer(call, Decision()).stdout == b"{}" for call in CALLS.values())


def test_a_person_is_asked_where_one_is_and_the_call_refused_where_not():
    ask = Decision(kind=Kind.ASK, reason="sure?")
    assert body(CALLS["beforeShellExecution"], ask)["permission"] == "ask"
    assert body(CALLS["beforeMCPExecution"], ask)["permission"] == "ask"
    for name in ("preToolUse.Shell", "beforeReadFile"):
        assert body(CALLS[name], ask)["permission"] == "deny"


def test_only_what_cursor_takes_over_is_rewritten():
    shell = CALLS["preToolUse.Shell"]
    said = body(
        shell, Decision(kind=Kind.REWRITE, input=shell.event.tool.replace_values(command="ls"), reason="better")
    )
    assert said["updated_input"] == {"command": "ls", "cwd": "/home/dev/proj/sub", "timeout": 30000}
    write = pre("Write", file_path="a", content="x")
    assert body(write, rewrite(file_path="b", content="x"))["updated_input"] == {"file_path": "b"}
    assert body(write, rewrite(file_path="a", content="y"))["permission"] == "deny"
    assert body(pre("MCP:touch", path="a"), rewrite(path="b"))["permission"] == "deny"


def test_a_stop_goes_on_and_says_when_it_did_before():
    stop = CALLS["stop"]
    assert isinstance(stop.event, Stop) and stop.event.stop_hook_active
    assert body(stop, Decision(feedback=("tests fail",)))["followup_message"].endswith("tests fail")
    assert not decode("cursor", "stop", loop_count=0).event.stop_hook_active


def test_what_comes_back_as_a_prompt_is_nobodys():
    said = body(CALLS["stop"], Decision(feedback=("tests fail",)))["followup_message"]
    assert decode("cursor", "beforeSubmitPrompt", prompt=said).event.hook_event_name not in ADAPTER.table


def test_a_prompt_is_refused_and_advised():
    prompt = CALLS["beforeSubmitPrompt"]
    assert body(prompt, denied()) == {"continue": False, "user_message": "because"}
    assert body(prompt, Decision(context=("note",))) == {"additional_context": "note"}


def test_advice_that_would_be_cut_off_is_kept():
    long = "x" * (CONTEXT_LIMIT + 1)
    done = ADAPTER.degrade(CALLS["sessionStart"], Decision(context=(long,)))
    assert kept(done) == [long]


def test_results_are_read():
    event = CALLS["postToolUse.Shell"].event
    assert event.tool_response == {"exitCode": 1, "stdout": ""} and event.duration_ms == 12
    failed = CALLS["postToolUseFailure.Shell"].event
    assert isinstance(failed, PostToolUseFailure) and failed.error == "timed out"


def test_sub_agents_are_named():
    start, stop = CALLS["subagentStart"].event, CALLS["subagentStop"].event
    assert (start.agent_id, start.agent_type) == ("sub1", "explore")
    assert stop.last_assistant_message == "found it"


@pytest.mark.parametrize("key", ["session_id", "conversation_id"])
def test_a_session_is_known_by_either_name(key):
    assert decode("cursor", "stop", **{key: "s"}).event.session_id == "s"
