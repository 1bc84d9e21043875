"""Scripts that somebody had in the agent's settings, with the shipped libraries: they run as the agent ran them."""

import asyncio
import json
import time
from pathlib import Path

import pytest

import synaptic
from synaptic.daemon.client import new_call_id
from synaptic.engine.walk import open_engine
from synaptic.model.call import Answer, Request
from synaptic.store import journal
from synaptic.store.db import Store
from tests.cli.conftest import User
from tests.daemon.setting import output, specific

LIBRARY = Path(synaptic.__file__).parent / "lib/log.sh"
OUTPUT = """printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse",%s}}'"""
SCRIPTS = {
    "advises": OUTPUT % '"additionalContext":"Tests fail."',
    "denies": 'test "$(get_field .tool_input.content)" = good || '
    + OUTPUT % '"permissionDecision":"deny","permissionDecisionReason":"Not on main."',
    "notes": 'log_json notes "a \\"quote\\""',
    "lint": 'test "$(get_field .tool_input.content)" = good || { echo "a.py:1 E501" >&2; exit 2; }',
    "breaks": "log_info breaks trouble; exit 1",
    "hangs": "sleep 600",
    "later": "",
    "planner": "",
    "guardian": "",
    "starts": "",
    "asks": "",
}
"""Each begins by noting its name, what it was given and the project that it found."""


def group(matcher: str, *names: str, **more: object) -> dict[str, object]:
    hooks = [{"type": "command", "command": f"$HOME/.claude/hooks/{name}.sh", "timeout": 60, **more} for name in names]
    return {**({"matcher": matcher} if matcher else {}), "hooks": hooks}


SETTINGS = {
    "SessionStart": [group("startup", "starts")],
    "Notification": [group("permission_prompt|idle_prompt", "asks")],
    "PreToolUse": [group("Write|Edit", "advises", "denies", "notes")],
    "PostToolUse": [
        group("Write|Edit", "lint", "breaks"),
        group("Write", "hangs", timeout=1),
        group("Write|Edit", "later", **{"async": True}),
    ],
    "SubagentStop": [group("planner|Plan", "planner"), group("guardian", "guardian")],
}


class Owner:
    """Somebody whose hooks were taken over."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.ran = user.folder / "ran"

    def sends(self, event: str, **fields: object) -> Answer:
        payload = {"session_id": "s1", "cwd": str(self.user.project), "hook_event_name": event, **fields}
        env = {"HOME": str(self.user.folder), "PATH": "/usr/bin:/bin"}
        request = Request("claude", event, json.dumps(payload).encode(), new_call_id(), env)
        return asyncio.run(self._answer(request))

    async def _answer(self, request: Request) -> Answer:
        engine = open_engine(self.user.home)
        try:
            return await engine.answer(request)
        finally:
            await engine.close()

    def tool(self, event: str, name: str = "Write", content: str = "good") -> Answer:
        given = {"file_path": str(self.user.project / "a.py"), "content": content}
        return self.sends(event, tool_name=name, tool_input=given, tool_response={}, tool_use_id="t1")

    def order(self) -> list[str]:
        """Who has run since this was asked last."""
        names = self.ran.read_text().split("\n")[:-1] if self.ran.exists() else []
        self.ran.unlink(missing_ok=True)
        return names

    def faults(self) -> list[str]:
        store = Store.open(self.user.home)
        (entry,) = journal.read_last_entries(store, 1)
        store.close()
        return [step.fault for step in entry.decision.trace if step.fault]


@pytest.fixture
def owner(user: User) -> Owner:
    for name, body in SCRIPTS.items():
        script = user.folder / f".claude/hooks/{name}.sh"
        script.parent.mkdir(parents=True, exist_ok=True)
        noted = f'read_input >/dev/null; echo "{name} $(get_field .tool_name)$(get_field .agent_type)"'
        script.write_text(f'#!/bin/bash\nsource "{LIBRARY}"\n{noted.strip()} >> "$HOME/ran"\n{body}\n')
        script.chmod(0o755)
    user.settings.write_text(json.dumps({"hooks": SETTINGS}))
    user.types("bootstrap")
    assert user.types("import", "claude").code == 0
    return Owner(user)


def test_the_order_is_the_arrays_and_a_deny_ends_it(owner: Owner):
    """S4-006, S4-008, S4-041, S4-042: an advice does not, and without a deny everybody is heard."""
    denied = specific(owner.tool("PreToolUse", content="bad"))
    assert (denied["permissionDecision"], denied["permissionDecisionReason"]) == ("deny", "Not on main.")
    assert owner.order() == ["advises Write", "denies Write"]
    free = output(owner.tool("PreToolUse", "Edit"))
    assert free == {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "Tests fail."}}
    assert owner.order() == ["advises Edit", "denies Edit", "notes Edit"]


def test_matchers_are_lists_of_tools_agents_and_subtypes(owner: Owner):
    """S4-005, S4-043"""
    for tool in ("MultiEdit", "NotebookEdit", "Bash"):
        assert owner.tool("PreToolUse", tool).stdout == b""
    assert owner.order() == []
    for kind in ("Plan", "planner", "guardian", "implementer", "planners"):
        owner.sends("SubagentStop", subagent_type=kind, response="done")
    assert owner.order() == ["planner Plan", "planner planner", "guardian guardian"]
    for source in ("resume", "startup", "compact"):
        owner.sends("SessionStart", source=source)
    assert owner.order() == ["starts "]
    for kind in ("auth_success", "idle_prompt", "permission_prompt"):
        owner.sends("Notification", notification_type=kind, message="m")
    assert owner.order() == ["asks ", "asks "]


def test_exit_two_after_the_act_feeds_the_text_back_and_other_exits_only_warn(owner: Owner):
    """S4-002, S4-003, S4-023"""
    answer = owner.tool("PostToolUse", "Edit", "bad")
    assert (output(answer)["decision"], output(answer)["reason"]) == ("block", "a.py:1 E501")
    assert b"imported:PostToolUse:2" in answer.stderr and owner.faults() == ["crash"]
    assert owner.order()[:2] == ["lint Edit", "breaks Edit"]
    assert "decision" not in output(owner.tool("PostToolUse", "Edit"))


def test_a_timeout_ends_the_hook_and_an_async_one_is_not_waited_for(owner: Owner):
    """S4-044: the tool has been used, and the agent goes on."""
    answer = owner.tool("PostToolUse")
    assert answer.exit == 0 and "decision" not in output(answer)
    assert b"no answer within 1 s" in answer.stderr and sorted(owner.faults()) == ["crash", "timeout"]
    end = time.monotonic() + 60
    while "later Write" not in owner.ran.read_text() and time.monotonic() < end:
        time.sleep(0.05)
    assert "later Write" in owner.order()
