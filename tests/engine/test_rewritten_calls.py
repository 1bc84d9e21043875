"""A call that a hook rewrote is judged like the same call made directly: with facts about what it has become."""

import json
from pathlib import Path

import pytest

from tests.daemon.setting import Setting, modify, specific
from tests.lib.shell import repository


@pytest.mark.parametrize("priority", [1, 90])
def test_a_push_that_a_hook_made_of_something_else_is_denied_like_any_other(setting: Setting, priority: int) -> None:
    """The branch that is checked out is a fact about the new command, not about the first one."""
    repo = repository(setting.project, "main")
    setting.register("turns", modify("git push --force"), priority=priority)
    told = specific(setting.answer(setting.request(cwd=str(repo), tool_input={"command": "ls"})))
    assert told.get("permissionDecision") == "deny"
    assert "main" in told["permissionDecisionReason"]


@pytest.mark.parametrize("priority", [1, 90])
def test_a_link_that_a_hook_leads_a_read_to_is_followed(setting: Setting, priority: int) -> None:
    key = setting.user / ".ssh" / "id_rsa"
    key.parent.mkdir(parents=True)
    key.write_text("secret")
    link = setting.project / "notes.txt"
    link.symlink_to(key)
    turned = json.dumps({"action": "modify", "input": {"file_path": str(link)}})
    setting.register("turns", f"echo '{turned}'", matcher="Read", priority=priority)
    direct = setting.request(tool_name="Read", tool_input={"file_path": str(link)})
    other = setting.request(tool_name="Read", tool_input={"file_path": f"{setting.project}/a.txt"})
    Path(setting.project, "a.txt").write_text("plain")
    assert specific(setting.answer(other))["permissionDecision"] == "deny"
    assert specific(setting.answer(direct))["permissionDecision"] == "deny"
