"""Amp: a delegate that answers by exit code."""

import json

import pytest

from synaptic.agents.amp import ADAPTER, ALLOW, ASK, REFUSE
from synaptic.model.call import Request
from synaptic.model.decision import Decision, Kind
from tests.agents.recorded import answer, calls, denied


def asked(tool="Bash", cwd="/p", **given):
    env = {"AGENT": "amp", "AGENT_TOOL_NAME": tool, "PWD": cwd}
    return ADAPTER.decode(Request("amp", "PreToolUse", json.dumps(given).encode(), "1", env))


def test_the_recorded_call_is_a_shell_command():
    event = calls("amp")["Bash"].event
    assert (event.tool_name, event.tool.command, event.session_id) == ("Bash", "rm -rf /", "")


@pytest.mark.parametrize(
    ("tool", "given", "name", "want"),
    [
        ("create_file", {"path": "a", "content": "x"}, "Write", {"file_path": "a", "content": "x"}),
        (
            "edit_file",
            {"path": "a", "old_str": "x", "new_str": "y"},
            "Edit",
            {"file_path": "a", "old_string": "x", "new_string": "y"},
        ),
        ("Read", {"path": "a"}, "Read", {"file_path": "a"}),
        ("mcp__fs__touch", {"path": "a"}, "mcp__fs__touch", {"path": "a"}),
    ],
)
def test_tools_are_canonical(tool, given, name, want):
    event = asked(tool, **given).event
    assert (event.tool_name, event.tool_input) == (name, want)


def test_a_command_is_judged_where_it_runs():
    assert asked(cmd="ls").event.cwd == "/p"
    assert asked(cmd="ls", cwd="sub").event.cwd == "sub"
    env = {"AGENT_TOOL_NAME": "Bash", "PWD": "/p"}
    call = ADAPTER.decode(Request("amp", "PreToolUse", b'{"cmd": "ls", "cwd": "sub"}', "1", env))
    assert call.event.cwd == "/p/sub"


def test_the_answer_is_an_exit_code_and_a_reason():
    call = asked(cmd="git push --force")
    refused = answer(call, denied("no force\nat all"))
    assert (refused.exit, refused.stderr, refused.stdout) == (REFUSE, b"no force\nat all\n", b"")
    assert answer(call, Decision(kind=Kind.ASK, reason="sure?")).exit == ASK
    assert answer(call, Decision(kind=Kind.ALLOW, allowed=True)).exit == ALLOW


def test_silence_grants_nothing_that_amp_would_ask_about():
    assert answer(asked(cmd="ls"), Decision()).exit == ASK
    assert answer(asked("mcp__fs__touch"), Decision()).exit == ASK
    assert answer(asked("Read", path="a"), Decision()).exit == ALLOW
    assert answer(asked("edit_file", path="a"), Decision(kind=Kind.ADVISE, context=("x",))).exit == ALLOW


def test_a_rewrite_is_a_refusal_that_names_it():
    said = answer(asked(cmd="a"), Decision(kind=Kind.REWRITE, input={"command": "b"}, reason="better"))
    assert (said.exit, said.stderr) == (REFUSE, b"better\nUse instead: b\n")


def test_a_call_without_a_tools_name_is_told_and_asked_about():
    call = ADAPTER.decode(Request("amp", "PreToolUse", b"{}", "1"))
    assert "AGENT_TOOL_NAME is missing" in call.warnings[0]
    assert answer(call, Decision()).exit == ASK


def test_a_call_that_nobody_can_read_is_refused_when_failing_closed():
    assert (ADAPTER.refuse("PreToolUse", "x").exit, ADAPTER.refuse("PreToolUse", "x").stdout) == (REFUSE, b"")
