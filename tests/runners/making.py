"""Hooks, calls and scripts for the tests of this room."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

import uvloop

from synaptic.model.call import Call
from synaptic.model.environment import build_project_variables
from synaptic.model.event import EVENTS, ToolEvent, Unknown
from synaptic.model.hook import Command, Handler, Hook
from synaptic.runners.base import Invocation
from synaptic.runners.command import run_command

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}


def make_hook(handler: Handler | None = None, **fields: Any) -> Hook:
    return Hook(**{"id": "skill.guard", "events": ("PreToolUse",), "handler": handler or Command(), **fields})


def make_event(name: str = "PreToolUse", **fields: Any):
    kind = EVENTS.get(name, Unknown)
    if issubclass(kind, ToolEvent):
        fields = {"tool_name": "Bash", "tool_input": {"command": "ls"}, **fields}
    return kind(hook_event_name=name, session_id="s1", **fields)


def make_call(root: Path | str = "", name: str = "PreToolUse", **fields: Any) -> Call:
    more = {key: fields.pop(key) for key in ("env", "agent", "payload", "at", "id") if key in fields}
    event = make_event(name, cwd=str(root), **fields)
    payload = more.pop("payload", None) or {
        field: value for field in event.__struct_fields__ if (value := getattr(event, field)) not in ("", {}, ())
    }
    return Call(**{"id": "c1", "agent": "claude", "event": event, "payload": payload, "root": str(root), **more})


def make_invocation(hook: Hook, call: Call, timeout: float = 10.0, **fields: Any) -> Invocation:
    return Invocation(hook, call, build_project_variables(call.root), timeout, **fields)


def write_script(path: Path, text: str, mode: int = 0o755) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def shell_hook(path: Path, body: str, **fields: Any) -> Hook:
    return make_hook(Command(argv=(write_script(path, f"#!/bin/sh\n{body}\n"),)), **fields)


def on_loop(work: Coroutine[Any, Any, Any], loop: str = "asyncio") -> Any:
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        return runner.run(work)


def run_hook(hook: Hook, call: Call, timeout: float = 10.0, loop: str = "asyncio", **fields: Any) -> Any:
    assert isinstance(hook.handler, Command)
    return on_loop(run_command(make_invocation(hook, call, timeout, **fields), hook.handler), loop)


def plain_env(**more: str) -> Mapping[str, str]:
    return {"PATH": os.environ["PATH"], **more}


def eventually(check: Callable[[], bool], seconds: float = 5.0) -> bool:
    async def wait() -> bool:
        for _ in range(int(seconds / 0.02)):
            if check():
                return True
            await asyncio.sleep(0.02)
        return check()

    return asyncio.run(wait())


def alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"
