"""Codex: patches are edits, and nothing is said that its strict reader would throw away."""

import pytest

from synaptic.agents.shared.discover import find_adapter
from synaptic.model.decision import Decision, Kind
from tests.agents.codex.reader import hear as reader
from tests.agents.recorded import answer, body, decode, denied, kept, recorded

ADAPTER = find_adapter("codex")
ONE = "*** Begin Patch\n*** Update File: src/a.py\n@@ def f():\n-    old\n+    new\n*** End Patch\n"
TWO = "*** Begin Patch\n*** Delete File: a.py\n*** Add File: b.py\n+x = 1\n*** End Patch\n"


def patch(text, event="PreToolUse"):
    return decode("codex", event, tool_name="apply_patch", tool_input={"command": text}, cwd="/p")


def rewrite(**new) -> Decision:
    return Decision(kind=Kind.REWRITE, by="demo.hook", reason="because", input=new)


def test_a_patch_that_adds_a_file_is_a_write():
    call = recorded("codex", "PreToolUse.apply_patch")
    assert call.event.tool_name == "Write"
    assert call.event.tool_input == {"file_path": "p.txt", "content": "hi\n"}
    assert call.payload["native_tool_name"] == "apply_patch"
    assert call.payload["native_tool_input"]["command"].startswith("*** Begin Patch")


def test_a_patch_that_changes_a_file_is_an_edit():
    event = patch(ONE).event
    assert event.tool_name == "Edit"
    assert event.tool_input == {"file_path": "src/a.py", "old_string": "    old", "new_string": "    new"}


def test_a_patch_of_several_files_names_them_all():
    event = patch(TWO).event
    assert event.tool_name == "ApplyPatch" and event.tool.is_edit
    assert event.tool.paths == ("a.py", "b.py")
    assert event.tool_input["patch"] == TWO


@pytest.mark.parametrize("given", [{}, {"command": 7}, {"command": "no patch"}])
def test_a_patch_that_cannot_be_read_is_still_an_edit(given):
    call = decode("codex", "PreToolUse", tool_name="apply_patch", tool_input=given)
    assert call.event.tool.is_edit and call.warnings == ()


def test_the_other_tools_have_their_canonical_names():
    assert recorded("codex", "PreToolUse.spawn_agent").event.tool_input == {"prompt": "say hi"}
    assert recorded("codex", "PreToolUse.spawn_agent").event.tool_name == "Agent"
    assert recorded("codex", "PreToolUse.view_image").event.tool.paths == ("/nope.png",)
    assert recorded("codex", "PreToolUse.mcp__fm__touch").event.tool_name == "mcp__fm__touch"


def test_a_rewrite_of_a_command_comes_with_the_allow_that_it_needs():
    call = recorded("codex", "PreToolUse.Bash")
    assert body(call, rewrite(command="echo safe")) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": {"command": "echo safe"},
            "additionalContext": "because",
        }
    }


def test_what_codex_would_not_take_over_is_refused():
    call = recorded("codex", "PreToolUse.Bash")
    said = reader("PreToolUse", answer(call, rewrite(command="echo safe", timeout=5)))
    assert said.blocked and said.reason == "because\nUse instead: echo safe"


def test_a_rewritten_file_becomes_a_patch_again():
    call = recorded("codex", "PreToolUse.apply_patch")
    said = reader("PreToolUse", answer(call, rewrite(file_path="p.txt", content="ho\n\n  ho\n")))
    assert said.input == {"command": "*** Begin Patch\n*** Add File: p.txt\n+ho\n+\n+  ho\n*** End Patch\n"}
    assert patch(said.input["command"]).event.tool_input == {"file_path": "p.txt", "content": "ho\n\n  ho\n"}


@pytest.mark.parametrize("new", [{"file_path": "p.txt", "content": "no newline"}, {"file_path": "q"}, {"patch": ONE}])
def test_a_rewrite_that_no_patch_says_exactly_is_refused_with_the_better_input(new):
    said = reader("PreToolUse", answer(recorded("codex", "PreToolUse.apply_patch"), rewrite(**new)))
    assert said.blocked and "Use instead: {" in said.reason


def test_a_rewritten_patch_of_several_files_must_name_the_files_that_it_changes():
    call = patch(TWO)
    other = TWO.replace("x = 1", "x = 2")
    said = reader("PreToolUse", answer(call, rewrite(**call.event.tool.replace_values(patch=other))))
    assert said.input == {"command": other}
    smuggled = other.replace("b.py", "c.py")
    assert reader("PreToolUse", answer(call, rewrite(**call.event.tool.replace_values(patch=smuggled)))).blocked


def test_nobody_is_asked():
    call = recorded("codex", "PreToolUse.Bash")
    said = reader("PreToolUse", answer(call, Decision(kind=Kind.ASK, reason="sure?")))
    assert said.blocked and said.reason == "sure?"


def test_a_permission_prompt_is_answered_or_left_to_the_person():
    call = recorded("codex", "PermissionRequest.Bash")
    said = body(call, denied())["hookSpecificOutput"]["decision"]
    assert said == {"behavior": "deny", "message": "because"}
    allowed = body(call, Decision(kind=Kind.ALLOW, allowed=True, reason="fine"))["hookSpecificOutput"]["decision"]
    assert allowed == {"behavior": "allow"}
    assert body(call, Decision(kind=Kind.ASK, reason="sure?")) is None


def test_feedback_after_a_tool_does_not_replace_what_the_tool_said():
    call = recorded("codex", "PostToolUse.Bash")
    said = body(call, Decision(kind=Kind.ADVISE, feedback=("lint fails",)))
    assert said == {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "lint fails"}}


def test_an_agent_is_kept_from_stopping_and_advice_waits():
    call = recorded("codex", "Stop")
    decision = ADAPTER.degrade(call, Decision(kind=Kind.ADVISE, feedback=("go on",), context=("note",)))
    assert kept(decision) == ["note"]
    assert body(call, decision) == {"decision": "block", "reason": "go on"}


def test_events_whose_answer_nobody_reads_get_none():
    for name in ("SessionEnd", "PreModelRequest"):
        said = answer(recorded("codex", name), Decision(messages=("hello",), warnings=("trouble",), kind=Kind.ADVISE))
        assert said.stdout == b"" and b"hello" in said.stderr and b"trouble" in said.stderr


def test_codex_waits_three_seconds_at_the_end_and_no_longer():
    assert ADAPTER.get_capability("SessionEnd").timeout == 3
    assert ADAPTER.get_capability("PreToolUse").timeout == 600
