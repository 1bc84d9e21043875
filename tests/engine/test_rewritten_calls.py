"""A call that a hook rewrote is judged like the same call made directly: with facts about what it has become."""

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from synaptic.engine.check import Checker
from synaptic.engine.runtime import PoliciesOnly
from synaptic.engine.walk import Engine
from synaptic.hooks.select import SelectedHooks, compile_selection
from synaptic.model.call import Call, Request
from synaptic.model.decision import Decision, Kind, Verdict, rewrite
from synaptic.model.event import PreToolUse
from synaptic.model.home import Home
from synaptic.model.hook import Builtin, Command, Hook
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.runners.base import Invocation
from tests.daemon.setting import Setting, modify, specific
from tests.engine.calls import sample_calls
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


class TurnsInto(Policy):
    """Makes one call of another.

    ## What it does
    Rewrites an input.
    ## Why
    To see what the others say about it.
    """

    id = "test.turns-into"
    events = (PreToolUse,)

    first: dict[str, Any] = {}
    target: dict[str, Any] = {}

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        return rewrite(self.target, "turned") if event.tool_input == self.first else None


class Turning(PoliciesOnly):
    """All policies, and a hook that makes one call of another."""

    def __init__(self, turn: TurnsInto, hook: Hook, *rest: Any) -> None:
        super().__init__(*rest)
        self._turn = turn
        self._hook = hook

    def select(self, call: Call) -> SelectedHooks:
        selected = super().select(call)
        if not isinstance(call.event, PreToolUse):
            return selected
        hooks = (*selected.hooks, self._hook)
        return compile_selection(tuple(sorted(hooks, key=lambda hook: hook.rank)))

    async def execute(self, invocation: Invocation) -> Verdict | None:
        return self._turn.check(invocation.call.event, Facts())


FIRST: dict[str, dict[str, Any]] = {"Bash": {"command": "ls"}}
PLACES = [("policy", 0), ("policy", 99), ("script", 0), ("script", 30), ("script", 99)]


@pytest.mark.parametrize(("kind", "priority"), PLACES)
def test_a_rewritten_call_is_judged_at_least_as_strictly_as_the_same_call_made_directly(
    tmp_path: Path, kind: str, priority: int
) -> None:
    """Law, over all policies and a sample of the corpora."""
    root = repository(tmp_path / "project", "main")
    home = Home(tmp_path / "home")
    home.root.mkdir()
    home.config.write_text('presets = ["strict"]\n')
    engine = Checker(home).engine
    laxer = asyncio.run(_find_laxer(engine, str(root), kind, priority))
    assert laxer == []


async def _find_laxer(engine: Engine, root: str, kind: str, priority: int) -> list[object]:
    found: list[object] = []
    for name, target in sample_calls(root, every=17):
        first = FIRST.get(name, {"file_path": f"{root}/nothing.txt"})
        turn = TurnsInto(first=first, target=target)
        handler = Builtin(turn) if kind == "policy" else Command(shell="turn")
        hook = Hook(id=turn.id, events=("PreToolUse",), handler=handler, priority=priority)
        direct = await engine.judge(_request(root, name, target), PoliciesOnly)
        turned = await engine.judge(_request(root, name, first), partial(Turning, turn, hook))
        if not _is_as_strict(turned, direct, target):
            found.append((name, target, direct, turned))
    return found


def _is_as_strict(turned: Decision, direct: Decision, target: dict[str, Any]) -> bool:
    if Kind.DENY in (turned.kind, direct.kind):
        return turned.kind is Kind.DENY
    if direct.kind is Kind.ASK and turned.kind is not Kind.ASK:
        return False
    final = target if direct.input is None else direct.input
    return turned.input is None or (turned.input == final and turned.allowed <= direct.allowed)


def _request(root: str, name: str, given: dict[str, Any]) -> Request:
    event = {"hook_event_name": "PreToolUse", "cwd": root, "tool_name": name, "tool_input": given}
    return Request("claude", "PreToolUse", json.dumps(event).encode(), "c1", {"HOME": "/home/u", "PATH": "/bin"})
