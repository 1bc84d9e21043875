"""Gemini CLI: its own names for events, tools and answers."""

import pytest

from synaptic.agents.shared.discover import find_adapter
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import EVENTS, Unknown
from tests.agents.recorded import answer, body, decode, denied, kept, recorded

ADAPTER = find_adapter("gemini")


@pytest.mark.parametrize(
    ("file", "event"),
    [
        ("BeforeTool.write_file", "PreToolUse"), ("AfterTool.write_file", "PostToolUse"), ("AfterAgent", "Stop"),
        ("BeforeAgent", "UserPromptSubmit"), ("SessionStart", "SessionStart"),
        ("Notification", "Notification"), ("SessionEnd", "SessionEnd"),
    ],
)  # fmt: skip
def test_events_are_canonical_and_their_native_name_is_kept(file, event):
    call = recorded("gemini", file)
    assert type(call.event) is EVENTS[event]
    native = file.partition(".")[0]
    assert call.payload.get("native_event_name", native) == native


def test_only_a_compaction_that_somebody_asked_for_is_one():
    """The other kind is told before every request."""
    assert recorded("gemini", "PreCompress").event == Unknown(
        hook_event_name="PreCompress",
        **{key: recorded("gemini", "PreCompress").payload[key] for key in ("session_id", "transcript_path", "cwd")},
    )
    assert type(decode("gemini", "PreCompress", trigger="manual").event) is EVENTS["PreCompact"]


@pytest.mark.parametrize(
    ("name", "given", "tool", "canonical"),
    [
        ("write_file", {"file_path": "a", "content": "x"}, "Write", {"file_path": "a", "content": "x"}),
        (
            "replace",
            {"file_path": "a", "old_string": "x", "new_string": "y", "allow_multiple": True},
            "Edit",
            {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": True},
        ),
        ("read_many_files", {"include": ["a", "b"]}, "Read", {"paths": ["a", "b"]}),
        ("grep_search", {"pattern": "x", "dir_path": "src"}, "Grep", {"pattern": "x", "path": "src"}),
        ("google_web_search", {"query": "x"}, "WebSearch", {"query": "x"}),
    ],
)
def test_tools_and_their_keys_are_canonical(name, given, tool, canonical):
    event = decode("gemini", "BeforeTool", tool_name=name, tool_input=given).event
    assert (event.tool_name, event.tool_input) == (tool, canonical)


def test_a_command_is_judged_in_the_folder_that_it_names():
    given = {"command": "rm -rf build", "dir_path": "sub"}
    call = decode("gemini", "BeforeTool", tool_name="run_shell_command", tool_input=given, cwd="/p")
    assert (call.event.cwd, call.event.tool.command) == ("/p/sub", "rm -rf build")


def test_the_server_of_an_mcp_tool_comes_from_its_context():
    call = recorded("gemini", "BeforeTool.mcp_fm_touch")
    assert call.event.tool_name == "mcp__fm__touch"
    assert decode("gemini", "BeforeTool", tool_name="mcp_fm_touch", tool_input={}).event.tool_name == "mcp_fm_touch"


def test_the_turns_last_words_are_where_policies_look_for_them():
    call = recorded("gemini", "AfterAgent")
    assert call.event.last_assistant_message == "done" and call.event.stop_hook_active is False


def test_a_tool_that_failed_is_a_failure():
    response = {"llmContent": "x", "error": {"type": "e", "message": "no such file"}}
    call = decode("gemini", "AfterTool", tool_name="read_file", tool_input={}, tool_response=response)
    assert type(call.event) is EVENTS["PostToolUseFailure"] and call.event.error == "no such file"
    said = body(call, Decision(kind=Kind.ADVISE, context=("look again",)))
    assert said["hookSpecificOutput"] == {"hookEventName": "AfterTool", "additionalContext": "look again"}


def test_a_call_is_denied_in_geminis_own_words():
    assert body(recorded("gemini", "BeforeTool.write_file"), denied()) == {"decision": "deny", "reason": "because"}


def test_ask_is_never_said_because_it_hangs_without_a_terminal():
    call = recorded("gemini", "BeforeTool.run_shell_command")
    assert body(call, Decision(kind=Kind.ASK, reason="sure?")) == {"decision": "deny", "reason": "sure?"}


def test_a_rewrite_carries_every_argument():
    given = {"command": "ls", "description": "d", "dir_path": "sub", "is_background": False}
    call = decode("gemini", "BeforeTool", tool_name="run_shell_command", tool_input=given, cwd="/p")
    new = call.event.tool.replace_values(command="ls -a")
    said = body(call, Decision(kind=Kind.REWRITE, input=new, reason="because"))
    assert said["hookSpecificOutput"] == {"hookEventName": "BeforeTool", "tool_input": {**given, "command": "ls -a"}}


def test_advice_before_a_tool_waits_for_the_event_after_it():
    call = recorded("gemini", "BeforeTool.run_shell_command")
    done = ADAPTER.degrade(call, Decision(kind=Kind.ADVISE, context=("note",)))
    assert kept(done) == ["note"] and answer(call, done).stdout == b""
    assert ADAPTER.get_capability("AfterTool").context


def test_an_agent_is_kept_going_by_a_deny_of_its_end():
    said = body(recorded("gemini", "AfterAgent"), Decision(kind=Kind.ADVISE, feedback=("go on",)))
    assert said == {"decision": "deny", "reason": "[synaptic: before you stop] go on"}


def test_what_kept_it_going_comes_back_as_a_prompt_that_is_not_the_users():
    """As a prompt it would start the count of refused stops anew, each time."""
    call = decode("gemini", "BeforeAgent", prompt="[synaptic: before you stop] go on", session_id="s")
    assert call.event == Unknown(hook_event_name="StopContinued", session_id="s")
    assert answer(call, denied()).stdout == b'{"systemMessage":"because"}'
