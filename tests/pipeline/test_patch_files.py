"""A patch of several files: every file reaches the hooks and policies that judge one file at a time."""

import json

import pytest

from synaptic.model.patch import make_adding_patch
from tests.daemon.setting import Setting, specific
from tests.lib.shell import git, repository

BLOCK = """case "$HOOK_INPUT" in *kept.py*) echo '{"action": "block", "reason": "kept.py is kept"}';; esac"""
TEXT = "*** Begin Patch\n*** Update File: {0}\n@@\n-a\n+b\n*** Add File: {1}\n+x = 1\n*** End Patch\n"


def patch(setting: Setting, text: str, event: str = "PreToolUse", tool: str = "apply_patch"):
    fields = setting.payload(event, tool_name=tool, tool_input={"command": text})
    return setting.answer(setting.raw(event, json.dumps(fields).encode(), "codex"))


def shell(setting: Setting, text: str, before: str = ""):
    return patch(setting, f"{before}apply_patch <<'EOF'\n{text}EOF", tool="Bash")


def reason(answer) -> str:
    return specific(answer).get("permissionDecisionReason", "")


def test_a_hook_for_write_and_edit_sees_each_file(setting):
    setting.register("keeper", BLOCK, matcher="Write|Edit")
    assert reason(patch(setting, TEXT.format("a.py", "kept.py"))) == "kept.py is kept"
    assert setting.order == ["keeper", "keeper"]
    assert patch(setting, TEXT.format("a.py", "b.py")).stdout == b""


def test_after_a_deny_no_further_file_is_looked_at(setting):
    setting.register("keeper", BLOCK, matcher="Write|Edit")
    assert reason(patch(setting, TEXT.format("kept.py", "b.py"))) == "kept.py is kept"
    assert setting.order == ["keeper"]


def test_a_hook_that_saw_the_whole_patch_is_not_asked_again(setting):
    setting.register("all", "", matcher="*")
    setting.register("patches", "", matcher="ApplyPatch")
    assert patch(setting, TEXT.format("a.py", "b.py")).stdout == b""
    assert sorted(setting.order) == ["all", "patches"]


def test_one_file_is_one_call(setting):
    setting.register("keeper", BLOCK, matcher="Write|Edit")
    text = "*** Begin Patch\n*** Add File: kept.py\n+x\n*** End Patch\n"
    assert reason(patch(setting, text)) == "kept.py is kept"
    assert setting.order == ["keeper"]


def test_a_patch_that_a_shell_command_applies_is_an_edit_of_its_files(setting):
    """No event comes after it, so this is the only look at it."""
    setting.register("keeper", BLOCK, matcher="Write|Edit")
    (setting.project / "sub").mkdir()
    assert reason(shell(setting, TEXT.format("a.py", "kept.py"))) == "kept.py is kept"
    assert reason(shell(setting, TEXT.format("kept.py", "a.py"), before="cd sub && ")) == "kept.py is kept"
    assert setting.order == ["keeper"] * 3


def test_text_that_only_looks_like_a_patch_is_none(setting):
    setting.register("keeper", BLOCK, matcher="Write|Edit")
    quoted = TEXT.format("kept.py", "b.py")
    assert patch(setting, f"git commit -m '{quoted}'", tool="Bash").stdout == b""
    assert setting.order == []


def test_a_rewrite_of_one_file_is_a_refusal_that_names_it(setting):
    new = """echo '{"action": "modify", "input": {"file_path": "b.py", "content": "x = 2"}}'"""
    setting.register("better", new, matcher="Write")
    told = reason(patch(setting, TEXT.format("a.py", "b.py")))
    assert "Use instead: " in told and "x = 2" in told


def test_an_allow_for_one_file_permits_nothing(setting):
    allow = """echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'"""
    setting.register("yes", allow, matcher="Write", protocol="native")
    for text, permitted in ((TEXT.format("a.py", "b.py"), False), (make_adding_patch("b.py", "x\n"), True)):
        fields = setting.payload(tool_name="ApplyPatch", tool_input={"input": text})
        answer = setting.answer(setting.raw("PreToolUse", json.dumps(fields).encode(), "droid"))
        assert (specific(answer).get("permissionDecision") == "allow") is permitted
    assert setting.order == ["yes", "yes"]


def test_what_is_said_after_the_patch_is_said_about_each_file(setting):
    setting.register(
        "critic", """echo '{"action": "block", "reason": "untidy"}'""", event="PostToolUse", matcher="Write|Edit"
    )
    told = specific(patch(setting, TEXT.format("a.py", "b.py"), "PostToolUse"))
    assert told["additionalContext"] == "untidy\nuntidy"


@pytest.mark.parametrize("send", [patch, shell], ids=["tool", "shell"])
@pytest.mark.parametrize("place", [("/etc/cron.d/x", "b.py"), ("a.py", "/etc/cron.d/x")])
def test_path_policies_judge_every_file(setting, send, place):
    assert "/etc/cron.d/x" in reason(send(setting, TEXT.format(*place)))


@pytest.mark.parametrize("send", [patch, shell], ids=["tool", "shell"])
def test_write_gates_judge_every_file(setting, send):
    setting.config('presets = ["practice"]\n')
    repository(setting.project, "main")
    assert "main checked out" in reason(send(setting, TEXT.format("notes.md", "src/b.py")))
    git(setting.project, "checkout", "-q", "-b", "feature")
    assert "b.py must begin with a comment" in reason(send(setting, TEXT.format("notes.md", "src/b.py")))


def test_the_journal_has_one_entry_for_the_patch(setting):
    setting.register("keeper", BLOCK, matcher="Write|Edit")
    patch(setting, TEXT.format("a.py", "kept.py"))
    (entry,) = setting.entries()
    assert (entry.agent, entry.tool) == ("codex", "ApplyPatch")
