"""droid: its own tools, a rewrite that is merged, and a prompt that only an exit code refuses."""

import pytest

from synaptic.agents.shared.discover import find_adapter
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import EVENTS
from tests.agents.recorded import answer, body, decode, denied, kept, recorded

ADAPTER = find_adapter("droid")
PATCH = "*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch"


def tool(name, event="PreToolUse", **given):
    return decode("droid", event, tool_name=name, tool_input=given, cwd="/p")


@pytest.mark.parametrize(
    ("name", "given", "canonical", "read"),
    [
        ("Execute", {"command": "ls", "summary": "s"}, "Bash", {"command": "ls", "description": "s"}),
        ("Create", {"file_path": "a", "content": "x"}, "Write", {"file_path": "a", "content": "x"}),
        (
            "Edit",
            {"file_path": "a", "old_str": "x", "new_str": "y", "change_all": True},
            "Edit",
            {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": True},
        ),
        ("ApplyPatch", {"input": PATCH}, "Write", {"file_path": "a.txt", "content": "hi\n"}),
        ("Glob", {"patterns": ["*.py"], "folder": "/p"}, "Glob", {"pattern": ["*.py"], "path": "/p"}),
        ("fm___touch", {"path": "a"}, "mcp__fm__touch", {"path": "a"}),
        ("Task", {"subagent_type": "x", "prompt": "y"}, "Agent", {"subagent_type": "x", "prompt": "y"}),
    ],
)
def test_tools_and_their_keys_are_canonical(name, given, canonical, read):
    event = tool(name, **given).event
    assert (event.tool_name, event.tool_input) == (canonical, read)


def test_a_rewrite_goes_back_under_droids_own_keys():
    call = recorded("droid", "PreToolUse.Execute")
    new = call.event.tool.replace_values(command="echo safe")
    said = body(call, Decision(kind=Kind.REWRITE, input=new, reason="because"))["hookSpecificOutput"]
    assert said["updatedInput"] == {**call.payload["native_tool_input"], "command": "echo safe"}
    assert "permissionDecision" not in said


def test_an_allowed_rewrite_permits():
    call = recorded("droid", "PreToolUse.Execute")
    new = call.event.tool.replace_values(command="echo safe")
    said = body(call, Decision(kind=Kind.REWRITE, input=new, reason="because", allowed=True))["hookSpecificOutput"]
    assert said["permissionDecision"] == "allow"


def test_an_argument_cannot_be_taken_away_because_the_rest_is_merged():
    call = tool("Edit", file_path="a", old_str="x", new_str="y", change_all=True)
    new = {"file_path": "a", "old_string": "x", "new_string": "z"}
    said = body(call, Decision(kind=Kind.REWRITE, input=new, reason="because"))["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny" and "Use instead" in said["permissionDecisionReason"]


def test_a_rewritten_patch_stays_under_its_key():
    call = tool("ApplyPatch", input=PATCH)
    new = {"file_path": "b.txt", "content": "ho\n"}
    said = body(call, Decision(kind=Kind.REWRITE, input=new, reason="because"))["hookSpecificOutput"]
    assert said["updatedInput"] == {"input": "*** Begin Patch\n*** Add File: b.txt\n+ho\n*** End Patch\n"}


def test_a_prompt_is_refused_by_exit_code_and_words():
    call = decode("droid", "UserPromptSubmit", prompt="x", session_id="s")
    said = answer(call, denied("not today\nreally"))
    assert (said.exit, said.stdout, said.stderr) == (2, b"", b"not today\nreally\n")


def test_nobody_is_asked():
    call = recorded("droid", "PreToolUse.Execute")
    said = body(call, Decision(kind=Kind.ASK, reason="sure?"))["hookSpecificOutput"]
    assert (said["permissionDecision"], said["permissionDecisionReason"]) == ("deny", "sure?")


def test_advice_before_a_tool_waits_and_a_block_after_it_is_advice():
    call = recorded("droid", "PreToolUse.Execute")
    assert kept(ADAPTER.degrade(call, Decision(kind=Kind.ADVISE, context=("note",)))) == ["note"]
    said = body(recorded("droid", "PostToolUse.Execute"), Decision(kind=Kind.ADVISE, feedback=("tests fail",)))
    assert said == {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "tests fail"}}


def test_a_command_that_failed_is_a_failure_and_answered_as_the_event_that_it_came_with():
    call = decode(
        "droid", "PostToolUse", tool_name="Execute", tool_input={"command": "false"},
        tool_response="Error: failed\n\n[Process exited with code 1]",
    )  # fmt: skip
    assert type(call.event) is EVENTS["PostToolUseFailure"] and call.event.error.startswith("Exit code 1\n")
    said = body(call, Decision(kind=Kind.ADVISE, context=("note",)))
    assert said["hookSpecificOutput"]["hookEventName"] == "PostToolUse"


def test_a_patch_is_read_from_its_own_key():
    """Another text that looks like one, or a patch without marks, hides nothing."""
    decoy = "*** Begin Patch\n*** Add File: fine.txt\n+x\n*** End Patch"
    for text in ("*** Begin Patch\n*** Add File: /evil\n+x\n*** End Patch", "*** Add File: /evil\n+x"):
        given = {"note": decoy, "input": text}
        call = decode("droid", "PreToolUse", tool_name="ApplyPatch", tool_input=given)
        assert call.event.tool.paths == ("/evil",)
