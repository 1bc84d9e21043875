"""Qwen Code: Claude Code's protocol with Gemini's tools, and what it reads but does not honour."""

from synaptic.agents.shared.discover import find_adapter
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import EVENTS, Unknown
from tests.agents.recorded import body, decode, kept, recorded

ADAPTER = find_adapter("qwen")


def shell(event="PreToolUse", **more):
    given = {"command": "rm -rf build", "directory": "/p/sub"}
    return decode("qwen", event, tool_name="run_shell_command", tool_input=given, cwd="/p", **more)


def test_the_shell_is_bash_in_the_folder_that_the_call_names():
    call = shell()
    assert (call.event.tool_name, call.event.cwd) == ("Bash", "/p/sub")
    assert recorded("qwen", "PreToolUse.run_shell_command").event.tool_input["run_in_background"] is False


def test_a_monitor_is_a_shell_command():
    call = decode("qwen", "PreToolUse", tool_name="monitor", tool_input={"command": "ls", "directory": "/q"}, cwd="/p")
    assert (call.event.tool.command, call.event.cwd) == ("ls", "/q")


def test_a_file_is_read_by_the_key_that_the_client_reads():
    given = {"absolute_path": "/harmless", "file_path": "/p/.env"}
    assert decode("qwen", "PreToolUse", tool_name="read_file", tool_input=given).event.tool.paths == ("/p/.env",)


def test_a_rewrite_is_a_refusal_that_names_the_better_command():
    new = shell().event.tool.replace_values(command="rm -r build")
    said = body(shell(), Decision(kind=Kind.REWRITE, input=new, reason="because"))["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert said["permissionDecisionReason"] == "because\nUse instead: rm -r build"


def test_a_person_can_be_asked():
    said = body(shell(), Decision(kind=Kind.ASK, reason="sure?"))["hookSpecificOutput"]
    assert (said["permissionDecision"], said["permissionDecisionReason"]) == ("ask", "sure?")


def test_a_permission_prompt_takes_a_new_input_with_the_allow_only():
    call = shell("PermissionRequest")
    new = call.event.tool.replace_values(command="ls")
    said = body(call, Decision(kind=Kind.REWRITE, input=new, allowed=True, reason="because"))
    assert said["hookSpecificOutput"]["decision"] == {
        "behavior": "allow",
        "updatedInput": {"command": "ls", "directory": "/p/sub"},
    }
    said = body(call, Decision(kind=Kind.REWRITE, input=new, reason="because"))
    assert said["hookSpecificOutput"]["decision"]["behavior"] == "deny"


def test_advice_before_a_tool_is_kept_and_given_after_it():
    assert kept(ADAPTER.degrade(shell(), Decision(kind=Kind.ADVISE, context=("note",)))) == ["note"]
    call = recorded("qwen", "PostToolUse.run_shell_command")
    said = body(call, Decision(kind=Kind.ADVISE, context=("note",), feedback=("tests fail",)))
    assert said["hookSpecificOutput"]["additionalContext"] == "note\ntests fail"


def test_the_prompt_that_comes_after_every_round_of_tools_is_none():
    """It would count as the user's word: a new turn, and a new allowance of stops."""
    call = decode("qwen", "UserPromptSubmit", hook_event_name="UserPromptSubmit", prompt="", session_id="s")
    assert call.event == Unknown(hook_event_name="ToolRound", session_id="s")
    assert call.payload["native_event_name"] == "UserPromptSubmit"
    assert type(recorded("qwen", "UserPromptSubmit").event) is EVENTS["UserPromptSubmit"]


def test_a_command_that_failed_is_a_failure():
    content = "Command: false\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 1\nSignal: (none)\n"
    call = shell("PostToolUse", tool_response={"llmContent": content + "Process Group PGID: (none)"})
    assert type(call.event) is EVENTS["PostToolUseFailure"] and call.event.error.startswith("Exit code 1\n")
    assert type(recorded("qwen", "PostToolUse.run_shell_command").event) is EVENTS["PostToolUse"]


def test_what_is_said_before_a_compaction_becomes_its_instructions():
    call = decode("qwen", "PreCompact", trigger="auto")
    said = body(call, Decision(kind=Kind.ADVISE, context=("keep the plan",)))
    assert said["hookSpecificOutput"] == {"hookEventName": "PreCompact", "additionalContext": "keep the plan"}
    assert not ADAPTER.get_capability("PreCompact").context, "nothing that waits is put into a summary"


def test_what_kept_it_going_comes_back_as_a_prompt_that_is_not_the_users():
    said = body(recorded("qwen", "Stop"), Decision(kind=Kind.ADVISE, feedback=("go on",)))
    assert said == {"decision": "block", "reason": "[synaptic: before you stop] go on"}
    call = decode("qwen", "UserPromptSubmit", prompt=said["reason"])
    assert call.event.hook_event_name == "StopContinued"
