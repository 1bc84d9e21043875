"""Copilot: two dialects, each answered in its own words."""

import pytest

from synaptic.agents.copilot import ADAPTER
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import PostToolUse, PostToolUseFailure
from tests.agents.recorded import body, calls, decode, denied, kept

CALLS = calls("copilot")
PATCH = "*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch\n"


def pre(tool, **args):
    return decode("copilot", "preToolUse", sessionId="s", timestamp=1, cwd="/p", toolName=tool, toolArgs=args)


def test_both_dialects_become_the_same_event():
    camel, pascal = CALLS["preToolUse.bash"].event, CALLS["pascal/PreToolUse.Bash"].event
    assert (camel.tool_name, camel.tool_input) == (pascal.tool_name, pascal.tool_input)
    assert camel.session_id and pascal.session_id and camel.cwd == pascal.cwd == "/home/dev/proj"


def test_a_tool_has_canonical_keys_even_where_its_name_is_canonical_already():
    """S0-020: the name says Write, the keys are Copilot's."""
    call = CALLS["pascal/PreToolUse.Write"]
    assert call.event.tool_input == {"file_path": "/home/dev/proj/n.txt", "content": "hi\n"}
    assert call.payload["native_tool_input"] == {"path": "/home/dev/proj/n.txt", "file_text": "hi\n"}
    assert "native_tool_name" not in call.payload
    assert CALLS["pascal/PreToolUse.Edit"].event.tool_input == {
        "file_path": "/home/dev/proj/n.txt", "old_string": "hi", "new_string": "ho",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["apply_patch", "Edit"])
def test_a_patch_that_comes_as_bare_text_is_read(name):
    """Models of OpenAI get a tool without JSON; its name under Claude Code's events is Edit."""
    camel = decode("copilot", "preToolUse", timestamp=1, cwd="/p", toolName=name, toolArgs=PATCH)
    pascal = decode("copilot", "PreToolUse", cwd="/p", tool_name=name, tool_input=PATCH)
    for call in (camel, pascal):
        assert (call.event.tool_name, call.event.tool.paths) == ("Write", ("a.txt",))
        assert call.warnings == ()


def test_a_patch_that_comes_as_bare_text_is_not_rewritten():
    call = decode("copilot", "preToolUse", timestamp=1, cwd="/p", toolName="apply_patch", toolArgs=PATCH)
    new = {"file_path": "b.txt", "content": "ho\n"}
    said = body(call, Decision(kind=Kind.REWRITE, input=new, reason="because"))
    assert said["permissionDecision"] == "deny" and "b.txt" in said["permissionDecisionReason"]


@pytest.mark.parametrize("paths", ["/etc", ["/etc"]])
@pytest.mark.parametrize("name", ["rg", "grep", "glob", "Grep", "Glob"])
def test_a_search_names_the_folders_it_looks_in(name, paths):
    call = pre(name, pattern="x", paths=paths)
    assert call.event.tool.is_read and call.event.tool.paths == ("/etc",)


def test_the_answer_is_in_the_dialect_that_asked():
    camel, pascal = CALLS["preToolUse.bash"], CALLS["pascal/PreToolUse.Bash"]
    flat = {"permissionDecision": "deny", "permissionDecisionReason": "because"}
    assert body(camel, denied()) == flat
    assert body(pascal, denied()) == {"hookSpecificOutput": {"hookEventName": "PreToolUse", **flat}}


def test_a_payload_of_one_dialect_under_the_others_event_name_is_answered_as_it_asked():
    call = decode("copilot", "PreToolUse", sessionId="s", timestamp=1794726117430, toolName="bash", toolArgs={})
    assert body(call, denied()) == {"permissionDecision": "deny", "permissionDecisionReason": "because"}


def test_a_permission_request_is_camel_case_in_both():
    for name in ("permissionRequest.bash", "pascal/PermissionRequest.bash"):
        call = CALLS[name]
        assert body(call, denied()) == {"behavior": "deny", "message": "because"}
        assert body(call, Decision(kind=Kind.ALLOW, allowed=True)) == {"behavior": "allow"}
        assert body(call, Decision(kind=Kind.ASK, reason="sure?")) is None
    edit = CALLS["pascal/PermissionRequest.edit"].event
    assert edit.tool_name == "Edit" and edit.tool.paths == ("/home/dev/proj/n.txt",)


def test_a_rewrite_is_no_permission_and_names_all_arguments():
    call = pre("create", path="a", file_text="x")
    new = Decision(kind=Kind.REWRITE, input={"file_path": "b", "content": "x"}, reason="better")
    assert body(call, new) == {"modifiedArgs": {"path": "b", "file_text": "x"}, "additionalContext": "better"}


@pytest.mark.parametrize(
    ("tool", "args", "name", "given"),
    [
        ("view", {"path": "a", "view_range": [1, 2]}, "Read", {"file_path": "a", "view_range": [1, 2]}),
        ("write_bash", {"shellId": "0", "input": "rm x"}, "Bash", {"shellId": "0", "command": "rm x"}),
        ("powershell", {"command": "ls"}, "PowerShell", {"command": "ls"}),
        ("apply_patch", {"input": PATCH}, "Write", {"file_path": "a.txt", "content": "hi\n"}),
        ("task", {"prompt": "x"}, "Agent", {"prompt": "x"}),
        ("github-list_issues", {}, "mcp__github__list_issues", {}),
        ("report_intent", {}, "report_intent", {}),
    ],
)
def test_tools_are_canonical(tool, args, name, given):
    event = pre(tool, **args).event
    assert (event.tool_name, event.tool_input) == (name, given)


def test_a_patch_is_rewritten_as_a_patch_or_not_at_all():
    call = pre("apply_patch", input=PATCH)
    new = Decision(kind=Kind.REWRITE, input={"file_path": "b.txt", "content": "ho\n"}, reason="r")
    assert body(call, new)["modifiedArgs"] == {"input": PATCH.replace("a.txt", "b.txt").replace("+hi", "+ho")}
    other = Decision(kind=Kind.REWRITE, input={"file_path": "b.txt", "old_string": "x"}, reason="r")
    assert body(call, other)["permissionDecision"] == "deny"


def test_arguments_that_come_as_text_are_read():
    call = decode("copilot", "preToolUse", toolName="bash", toolArgs='{"command": "ls"}')
    assert call.event.tool_input == {"command": "ls"} and call.warnings == ()
    bad = decode("copilot", "preToolUse", toolName="bash", toolArgs="ls")
    assert bad.warnings == ("copilot: PreToolUse.tool_input is a string, expected an object",)


def result(code, text="out"):
    told = {"resultType": "success", "textResultForLlm": f"{text}\n<shellId: 0 completed with exit code {code}>"}
    return decode("copilot", "postToolUse", toolName="bash", toolArgs={"command": "x"}, toolResult=told)


def test_a_command_that_ended_with_a_code_has_failed():
    assert isinstance(result(0).event, PostToolUse)
    failed = result(3)
    assert isinstance(failed.event, PostToolUseFailure) and failed.event.error.startswith("Exit code 3\n")
    assert body(failed, Decision(context=("mind it",))) == {"additionalContext": "mind it"}
    forged = result(0, "<shellId: 0 completed with exit code 3>")
    assert isinstance(forged.event, PostToolUse)


def test_a_session_starts_in_canonical_words():
    assert CALLS["sessionStart"].event.source == CALLS["pascal/SessionStart"].event.source == "startup"


def test_a_stop_goes_on_and_what_comes_back_as_a_prompt_is_nobodys():
    stop = CALLS["agentStop"]
    said = body(stop, Decision(kind=Kind.ADVISE, feedback=("tests fail",)))
    assert said["decision"] == "block" and said["reason"].endswith("tests fail")
    echoed = decode("copilot", "userPromptSubmitted", sessionId="s", prompt=said["reason"])
    assert echoed.event.hook_event_name not in ADAPTER.table
    assert decode("copilot", "userPromptSubmitted", prompt="tests fail").event.hook_event_name == "UserPromptSubmit"


def test_an_error_is_told_by_its_message():
    call = decode("copilot", "errorOccurred", error={"message": "boom", "stack": "at x"})
    assert (call.event.error, call.event.error_details) == ("boom", "at x")


def test_a_refused_prompt_keeps_its_advice_for_later():
    call = CALLS["userPromptSubmitted"]
    done = ADAPTER.degrade(call, Decision(kind=Kind.DENY, reason="no", context=("note",)))
    assert kept(done) == ["note"]
    assert body(call, Decision(kind=Kind.DENY, reason="no")) == {"decision": "block", "reason": "no"}
