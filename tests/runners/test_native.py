"""Claude Code's own JSON."""

import json

import pytest

from synaptic.model.decision import Fault, Kind, Verdict
from synaptic.model.event import EVENTS
from synaptic.runners.dialect import interpret_output
from synaptic.runners.output import ProcessOutput
from tests.runners.making import make_hook
from tests.runners.saying import say, specific


def test_native_exit_two_blocks_with_stderr_as_reason():
    """C-01, S4-003: the linter's text reaches the model."""
    assert say("ignored text", "native", exit=2, stderr="lint: line 3") == Verdict(
        says=Kind.DENY, reason="lint: line 3"
    )
    assert say("", "native", "PostToolUse", exit=2, stderr="lint").says is Kind.DENY


def test_native_exit_two_keeps_what_the_json_says_but_never_its_allow():
    verdict = say(
        specific(permissionDecision="allow", additionalContext="c", updatedInput={"command": "x"}),
        "native",
        exit=2,
        stderr="no",
    )
    assert (verdict.says, verdict.reason, verdict.context, verdict.input) == (Kind.DENY, "no", ("c",), None)
    assert say({"decision": "block", "reason": "mine"}, "native", exit=2, stderr="other").reason == "mine"
    assert say('{"broken', "native", exit=2, stderr="no").says is Kind.DENY


def test_native_other_exits_honour_json_and_fail_without():
    """S4-002"""
    assert say(specific(permissionDecision="deny"), "native", exit=1).says is Kind.DENY
    assert say("text", "native", exit=1).fault is Fault.CRASH
    assert say("{]}", "native", exit=7).fault is Fault.CRASH


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PostModelSwitch"])
def test_native_plain_text_is_context_where_the_agent_says_so(event):
    assert say("hello\nworld\n", "native", event) == Verdict(context=("hello\nworld",))


def test_native_plain_text_elsewhere_is_ignored_or_special():
    assert say("hello", "native", "PreToolUse") is None
    assert say("focus on x", "native", "PreCompact").context == ("focus on x",)
    assert say("/tmp/tree\n", "native", "WorktreeCreate").extras == {"worktreePath": "/tmp/tree"}


def test_native_broken_json_is_a_failure():
    assert say('{"decision": block}', "native").fault is Fault.OUTPUT
    assert say({"decision": "maybe"}, "native").fault is Fault.OUTPUT
    assert say({"hookSpecificOutput": "x"}, "native").fault is Fault.OUTPUT
    assert "PostToolUse" in say(specific("PostToolUse", permissionDecision="deny"), "native").message


def test_native_words_become_verdicts():
    assert say(specific(permissionDecision="ask", permissionDecisionReason="sure?"), "native") == Verdict(
        says=Kind.ASK, reason="sure?"
    )
    assert say({"decision": "approve"}, "native").says is Kind.ALLOW
    assert say(specific(additionalContext="mind the gap"), "native") == Verdict(context=("mind the gap",))
    assert say(specific(permissionDecision="defer"), "native").extras == {"permissionDecision": "defer"}


def test_native_extras_and_messages_are_kept():
    answer = {"continue": False, "stopReason": "enough", "systemMessage": "hi", "suppressOutput": True, "unknown": 1}
    verdict = say({**answer, **specific("PostToolUse", updatedToolOutput={"a": 1})}, "native", "PostToolUse")
    assert verdict.messages == ("hi",)
    assert verdict.extras == {
        "continue": False,
        "stopReason": "enough",
        "suppressOutput": True,
        "updatedToolOutput": {"a": 1},
    }
    assert say({"continue": True, "suppressOutput": False}, "native") is None


def test_native_permission_request_is_answered_one_level_deeper():
    request = specific("PermissionRequest", decision={"behavior": "deny", "message": "never", "interrupt": True})
    verdict = say(request, "native", "PermissionRequest")
    assert (verdict.says, verdict.reason, verdict.extras) == (Kind.DENY, "never", {"interrupt": True})
    allow = {"behavior": "allow", "updatedInput": {"a": 1}, "updatedPermissions": []}
    hook = make_hook(protocol="native")
    event = EVENTS["PermissionRequest"](tool_name="Bash", tool_input={"command": "ls"})
    output = ProcessOutput(json.dumps(specific("PermissionRequest", decision=allow)).encode())
    verdict = interpret_output(hook, event, output)
    assert (verdict.says, verdict.input) == (Kind.ALLOW, {"command": "ls", "a": 1})
    assert verdict.extras == {"updatedPermissions": []}


def test_native_async_is_nothing():
    assert say({"async": True, "asyncTimeout": 5}, "native") is None
