"""Law: every door is the same engine. No verdict depends on how the event came in."""

import asyncio
import json
from typing import Any

import pytest

from synaptic.daemon.app import build_application
from synaptic.daemon.client import new_call_id
from synaptic.daemon.hook_methods import call_hook
from synaptic.engine import check
from synaptic.engine.check import Checker, summarize_decision
from synaptic.engine.walk import Engine, open_engine
from synaptic.model.call import Request
from synaptic.model.decision import Decision
from tests.daemon.setting import Setting, modify
from tests.engine.calls import ToolCall, sample_calls
from tests.lib.shell import repository

FORCED = ("Bash", {"command": "git push --force origin main"})
Verdict = tuple[str, Any]


class Doors:
    """One engine, asked about the same call in every way there is."""

    def __init__(self, setting: Setting, engine: Engine) -> None:
        self.setting = setting
        self.engine = engine
        self.checker = Checker(setting.home)

    async def verdicts(self, call: ToolCall) -> dict[str, Verdict]:
        return {
            "dispatch": _of_answer((await self.engine.answer(self._request(call))).stdout),
            "http": _of_answer(await self._post(call)),
            "rpc": _of_method(await call_hook(self.engine, "preToolUse", self.event(call))),
            "try": _of_decision((await self.engine.rehearse(self._request(call))).decision),
            "check": _of_decision(await self.checker.decide(self.event(call))),
        }

    def event(self, call: ToolCall) -> dict[str, Any]:
        name, given = call
        event = {"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": given, "permission_mode": "default"}
        return {**event, "cwd": str(self.setting.project), "session_id": new_call_id()}

    def _request(self, call: ToolCall) -> Request:
        return self.setting.raw("PreToolUse", json.dumps(self.event(call)).encode())

    async def _post(self, call: ToolCall) -> bytes:
        """The ASGI application, without a server."""
        sent: list[dict[str, Any]] = []
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/hook/claude/PreToolUse",
            "headers": [],
            "query_string": b"",
        }
        body = {"type": "http.request", "body": json.dumps(self.event(call)).encode()}

        async def receive() -> dict[str, Any]:
            return body

        async def send(message: Any) -> None:
            sent.append(message)

        service = type("Service", (), {"engine": self.engine})()
        await build_application(service)(scope, receive, send)
        return b"".join(message.get("body", b"") for message in sent)


@pytest.fixture
def guarded(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> Setting:
    """A project on its main branch, and one user for all doors."""
    monkeypatch.setenv("HOME", str(setting.user))
    monkeypatch.setattr(check, "CHECK_ENVIRONMENT", {"HOME": str(setting.user)})
    repository(setting.project, "main")
    return setting


def differing(setting: Setting, calls: list[ToolCall]) -> list[object]:
    async def ask() -> list[object]:
        engine = open_engine(setting.home)
        doors = Doors(setting, engine)
        try:
            found = [(call, await doors.verdicts(call)) for call in calls]
        finally:
            await engine.close()
        return [(call, said) for call, said in found if any(one != said["dispatch"] for one in said.values())]

    return asyncio.run(ask())


@pytest.mark.parametrize("preset", ["essentials", "strict"])
def test_every_door_gives_the_same_verdict(guarded: Setting, preset: str) -> None:
    guarded.config(f'presets = ["{preset}"]\n')
    calls = [FORCED, *sample_calls(str(guarded.project), every=41)]
    assert differing(guarded, calls) == []


def test_a_method_denies_what_dispatch_denies_and_says_so_in_its_own_answer(guarded: Setting) -> None:
    answer = _method(guarded, FORCED)
    assert answer["allow"] is False
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert answer["reason"] == answer["hookSpecificOutput"]["permissionDecisionReason"]
    assert answer["heartbeatCount"] == 0
    entry = guarded.last()
    assert (entry.event, entry.decision.kind, entry.decision.by) == ("PreToolUse", "deny", "git.force-push")


def test_a_script_that_rewrites_is_asked_by_a_method_too_and_only_when_it_is_trusted(guarded: Setting) -> None:
    guarded.register("turns", modify("git push --force origin main"))
    assert _method(guarded, ("Bash", {"command": "ls"}))["allow"] is False
    assert guarded.order == ["turns"]
    guarded.config('trust = "ask"\n')
    assert _method(guarded, ("Bash", {"command": "ls"}))["allow"] is True
    assert guarded.order == ["turns"]


def test_a_call_that_a_method_refuses_again_and_again_is_refused_more_firmly(guarded: Setting) -> None:
    answers = [_method(guarded, FORCED) for _ in range(3)]
    said = [answer["hookSpecificOutput"]["permissionDecision"] for answer in answers]
    assert said == ["deny", "deny", "ask"]
    assert [answer["allow"] for answer in answers] == [False] * 3, "nobody is there who could be asked"


def _method(setting: Setting, call: ToolCall) -> dict[str, Any]:
    async def ask() -> Any:
        engine = open_engine(setting.home)
        doors = Doors(setting, engine)
        try:
            return await call_hook(engine, "preToolUse", {**doors.event(call), "session_id": "s1"})
        finally:
            await engine.close()

    return asyncio.run(ask())


def _of_answer(stdout: bytes) -> Verdict:
    said = json.loads(stdout)["hookSpecificOutput"] if b"hookSpecificOutput" in stdout else {}
    return _verdict(said)


def _of_method(answer: Any) -> Verdict:
    verdict = _verdict(answer.get("hookSpecificOutput", {}))
    assert answer["allow"] is (verdict[0] not in ("deny", "ask"))
    return verdict


def _verdict(said: dict[str, Any]) -> Verdict:
    new = said.get("updatedInput")
    word = said.get("permissionDecision") or ("rewrite" if new is not None else "allow")
    return word, new


def _of_decision(decision: Decision) -> Verdict:
    said = summarize_decision(decision)
    return str(said["decision"]), said["updated_input"]
