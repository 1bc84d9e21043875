"""Cline: one refused command is another command, anything else ends the run."""

import os
import subprocess

import pytest

from synaptic.agents.cline import ADAPTER, REFUSED_EVENT
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import PostToolUse, PostToolUseFailure, SessionStart, Stop, StopFailure, UserPromptSubmit
from tests.agents.recorded import body, calls, decode, denied, kept

CALLS = calls("cline")


def pre(name, given):
    return decode("cline", "PreToolUse", hookName="tool_call", taskId="t", tool_call={"name": name, "input": given})


def post(given, output, **more):
    told = {"name": "run_commands", "input": given, "output": output, **more}
    return decode("cline", "PostToolUse", hookName="tool_result", taskId="t", tool_result=told)


def rewrite(**new):
    return Decision(kind=Kind.REWRITE, input=new, reason="better")


def test_the_recorded_payloads_become_their_events():
    before, after = CALLS["tool_call.run_commands"].event, CALLS["tool_result.run_commands"].event
    assert before.tool.command == after.tool.command == "echo orig > orig.txt"
    assert (before.session_id, before.cwd, before.tool_use_id) == (
        "conv_1794726588852_wvplgs3", "/home/dev/proj", "call_0_0",
    )  # fmt: skip
    assert isinstance(after, PostToolUse) and after.duration_ms == 69
    end = CALLS["agent_end"].event
    assert isinstance(end, Stop) and end.last_assistant_message == "done"
    start = CALLS["agent_start"].event
    assert isinstance(start, SessionStart) and start.source == "startup"


def test_only_a_sub_agent_has_an_agent_id():
    assert CALLS["tool_call.run_commands"].event.agent_id == ""
    assert CALLS["tool_call.run_commands"].payload["native_agent_id"] == "agent_1794726588553_3qbnpr"
    child = decode("cline", "PreToolUse", agent_id="a2", parent_agent_id="a1", tool_call={"name": "x", "input": {}})
    assert child.event.agent_id == "a2"


@pytest.mark.parametrize("event", ["TaskStart", "TaskResume", "TaskComplete", "TaskError", "SessionShutdown"])
def test_the_name_of_the_file_is_enough(event):
    assert decode("cline", event, taskId="t").event.hook_event_name in ADAPTER.table


def test_prompts_and_errors_are_found_where_they_are():
    prompt = decode("cline", "UserPromptSubmit", hookName="prompt_submit", userPromptSubmit={"prompt": "hello"}).event
    assert isinstance(prompt, UserPromptSubmit) and prompt.prompt == "hello"
    error = decode("cline", "TaskError", hookName="agent_error", error={"message": "boom", "stack": "x"}).event
    assert isinstance(error, StopFailure) and (error.error, error.error_details) == ("boom", "x")


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({"commands": ["ls -a"]}, "ls -a"),
        ({"commands": "ls -a"}, "ls -a"),
        (["ls -a"], "ls -a"),
        ("ls -a", "ls -a"),
        ({"command": "ls -a"}, "ls -a"),
        ({"cmd": "ls -a"}, "ls -a"),
        ({"commands": [{"command": "rm", "args": ["-rf", "it's; $HOME"]}]}, "rm -rf 'it'\"'\"'s; $HOME'"),
        ({"commands": ["cd /", {"command": "ls"}]}, "bash -c 'cd /'\nbash -c ls"),
        ({"commands": 5, "command": "ls"}, "ls"),
        ({"cmd": "true", "command": "ls"}, "bash -c ls\nbash -c true"),
    ],
)
def test_commands_are_read_in_all_their_forms(given, command):
    assert pre("run_commands", given).event.tool.command == command


def test_a_quote_in_one_command_hides_no_other():
    assert pre("run_commands", ["echo '", "rm x", "echo '"]).event.tool.command.split("\n")[1] == "bash -c 'rm x'"


def test_lines_of_a_here_document_that_are_sent_one_by_one_are_one_command():
    """The client joins them, and what follows the document is part of the same command."""
    sent = ["cat <<'E'", "x\nE\ngit push \\", "--force", "E", "ls"]
    joined = "cat <<'\"'\"'E'\"'\"'\nx\nE\ngit push \\\n--force\nE"
    assert pre("run_commands", sent).event.tool.command == f"bash -c '{joined}'\nbash -c ls"


def test_every_file_is_seen_whatever_the_key():
    given = {"files": 5, "file_paths": ["a"], "paths": ["b", {"path": "c"}], "path": "d"}
    assert set(pre("read_files", given).event.tool.paths) == {"a", "b", "c", "d"}


def test_the_path_of_an_edit_is_the_one_that_the_client_reads():
    given = {"path": "/evil", "file_path": "/fine", "new_text": "x", "content": "y"}
    assert pre("editor", given).event.tool_input == {"file_path": "/evil", "content": "x"}


@pytest.mark.parametrize(
    ("name", "given", "tool", "want"),
    [
        ("editor", {"path": "a", "new_text": "x", "old_text": None}, "Write", {"file_path": "a", "content": "x"}),
        (
            "editor",
            {"path": "a", "old_text": "x", "new_text": "y"},
            "Edit",
            {"file_path": "a", "old_string": "x", "new_string": "y"},
        ),
        (
            "editor",
            {"path": "a", "new_text": "y", "insert_line": 3},
            "Edit",
            {"file_path": "a", "new_string": "y", "insert_line": 3},
        ),
        (
            "apply_patch",
            "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch",
            "Write",
            {"file_path": "a", "content": "x\n"},
        ),
    ],
)
def test_an_edit_is_an_edit(name, given, tool, want):
    event = pre(name, given).event
    assert (event.tool_name, event.tool_input) == (tool, want) and event.tool.is_edit


def test_every_file_that_is_read_is_named():
    for given in ({"files": ["a", {"path": "b"}]}, ["a", "b"], {"file_paths": ["a", "b"]}, {"paths": ["a", "b"]}):
        event = pre("read_files", given).event
        assert event.tool_name == "Read" and event.tool.paths == ("a", "b")


def test_tools_of_the_editors_extension_are_known_too():
    said = {"toolName": "write_to_file", "parameters": {"path": "a", "content": "x"}}
    event = decode("cline", "PreToolUse", hookName="PreToolUse", taskId="t", preToolUse=said).event
    assert (event.tool_name, event.tool_input) == ("Write", {"file_path": "a", "content": "x"})
    mcp = {"server_name": "fs", "tool_name": "touch", "arguments": '{"path": "a"}'}
    served = decode("cline", "PreToolUse", preToolUse={"toolName": "use_mcp_tool", "parameters": mcp}).event
    assert (served.tool_name, served.tool_input) == ("mcp__fs__touch", {"path": "a"})
    assert pre("fs__touch", {}).event.tool_name == "mcp__fs__touch"


def test_the_extension_takes_no_other_input_so_everything_is_cancelled():
    said = {"toolName": "execute_command", "parameters": {"command": "ls"}}
    call = decode("cline", "PreToolUse", taskId="t", preToolUse=said)
    assert body(call, denied()) == {"cancel": True, "errorMessage": "because"}
    assert body(call, rewrite(command="ls -a")) == {"cancel": True, "errorMessage": "better\nUse instead: ls -a"}


@pytest.mark.parametrize("reason", ["no", 'it\'s $HOME `id` \\ "x"', "two\nlines", "%s %d", "; touch pwned; '"])
def test_a_refused_command_prints_why_and_does_nothing_else(reason, tmp_path):
    said = body(CALLS["tool_call.run_commands"], denied(reason))
    [command] = said["overrideInput"]["commands"]
    env = {"PATH": os.environ["PATH"]}
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, env=env)
    assert (done.returncode, done.stdout) == (1, f"BLOCKED: {reason}\n")
    assert list(tmp_path.iterdir()) == []
    assert post({"commands": [command]}, []).event.hook_event_name == REFUSED_EVENT


def test_a_command_that_only_looks_like_a_refusal_is_judged():
    command = "printf '%s\\n' 'BLOCKED: x'; rm -rf y; exit 1"
    assert post({"commands": [command]}, []).event.hook_event_name == "PostToolUse"
    assert post({"commands": ["printf '%s\\n' 'BLOCKED: x' > y; exit 1"]}, []).event.hook_event_name == "PostToolUse"


def test_what_is_no_command_is_cancelled_and_its_advice_kept():
    call = pre("editor", {"path": "a", "new_text": "x"})
    decision = Decision(kind=Kind.DENY, reason="no", context=("note",))
    assert body(call, decision) == {"cancel": True, "errorMessage": "no"}
    assert kept(ADAPTER.degrade(call, decision)) == ["note"]


def test_a_rewrite_replaces_one_command_and_refuses_to_merge_several():
    assert body(pre("run_commands", ["ls"]), rewrite(command="ls -a"))["overrideInput"] == {"commands": ["ls -a"]}
    several = body(pre("run_commands", ["ls", "pwd"]), rewrite(command="ls -a"))
    assert "Use instead: ls -a" in several["overrideInput"]["commands"][0]
    edit = body(pre("editor", {"path": "a", "new_text": "x"}), rewrite(file_path="b", content="x"))
    assert edit["overrideInput"] == {"path": "b", "new_text": "x"}


def test_a_command_that_failed_is_a_failure():
    told = [{"query": "x", "result": "[Command exited with code 3]", "error": "Command exited with code 3",
             "success": False}]  # fmt: skip
    event = post({"commands": ["x"]}, told).event
    assert isinstance(event, PostToolUseFailure) and event.error.startswith("Exit code 3\n")
    thrown = post({"commands": ["x"]}, "boom", error="boom").event
    assert isinstance(thrown, PostToolUseFailure) and thrown.error == "boom"


def test_nobody_waits_for_an_answer_to_anything_else():
    stop = CALLS["agent_end"]
    done = ADAPTER.degrade(stop, Decision(kind=Kind.ADVISE, feedback=("tests fail",)))
    assert kept(done) == ["tests fail"] and body(stop, Decision(feedback=("x",))) is None


@pytest.mark.parametrize("named", [{"absolutePath": "/a"}, {"path": "", "absolutePath": "/a"}, {"path": "/a"}])
@pytest.mark.parametrize("tool", ["write_to_file", "replace_in_file", "new_rule"])
def test_the_extension_names_a_file_by_either_key(tool, named):
    said = {"toolName": tool, "parameters": {**named, "file_path": "/fine", "content": "x"}}
    call = decode("cline", "PreToolUse", hookName="PreToolUse", taskId="t", preToolUse=said)
    assert call.event.tool.is_edit and call.event.tool.paths == ("/a",)
