"""A user with a project: scripts, a registry, and the ways an event can reach the engine."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import synaptic
from synaptic.daemon import client, frame, lifecycle
from synaptic.daemon.client import new_call_id
from synaptic.engine.commit import DecidedEvent
from synaptic.engine.walk import Engine, open_engine
from synaptic.model.call import Answer, Request
from synaptic.model.home import Home
from synaptic.setup import dispatcher
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry

HANDLE = re.compile(r"\n?\[synaptic [^\n]*\]$")


class Setting:
    """Everything lives below one temporary folder."""

    def __init__(self, folder: Path, trust: str = "all") -> None:
        self.user = folder / "user"
        self.home = Home(self.user / ".synaptic")
        self.project = folder / "project"
        self.hooks = self.project / ".synaptic" / "hooks"
        self.hooks.mkdir(parents=True)
        self.home.root.mkdir(parents=True)
        self.config(f'trust = "{trust}"\n')
        self.ran = self.project / "ran"

    def config(self, text: str) -> None:
        self.home.config.write_text(text)

    def script(self, name: str, body: str) -> Path:
        """A script that notes its name in `ran` and then does what the body says."""
        path = self.project / ".synaptic" / "skills" / name / "hooks" / f"{name}.sh"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\nprintf '%s\\n' {name} >> '{self.ran}'\n{body}\n")
        path.chmod(0o755)
        return path

    def register(self, name: str, body: str = "", **keys: object) -> Path:
        """A hook of a skill of that name, as an installer writes it."""
        path = self.script(name, body)
        entry = {
            "event": "PreToolUse",
            "matcher": "Bash",
            "skill": name,
            "script": str(path),
            "priority": 50,
            "blocking": True,
            **keys,
        }
        lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in entry.items() if value is not None)
        with (self.hooks / "registry.toml").open("a") as file:
            file.write(f"[[hook]]\n{lines}\n\n")
        return path

    @property
    def order(self) -> list[str]:
        return self.ran.read_text().split() if self.ran.exists() else []

    def payload(self, event: str = "PreToolUse", **fields: object) -> dict[str, object]:
        tool = (
            {"tool_name": "Bash", "tool_input": {"command": "ls -la"}, "tool_use_id": "t1"} if "Tool" in event else {}
        )
        base = {"session_id": "s1", "cwd": str(self.project), "hook_event_name": event}
        return {**base, **tool, **fields}

    def elsewhere(self, event: str = "PreToolUse", **fields: object) -> Request:
        """The same in a session of its own, where nothing has happened yet."""
        return self.request(event, session_id=new_call_id(), **fields)

    def request(self, event: str = "PreToolUse", **fields: object) -> Request:
        return self.raw(event, json.dumps(self.payload(event, **fields)).encode())

    def raw(self, event: str, stdin: bytes, agent: str = "claude") -> Request:
        env = {"HOME": str(self.user), "PATH": os.environ["PATH"]}
        return Request(agent=agent, event=event, stdin=stdin, id=new_call_id(), env=env)

    def answer(self, request: Request) -> Answer:
        """In this process."""
        return asyncio.run(self._with_engine(lambda engine: engine.answer(request)))

    def rehearse(self, request: Request) -> DecidedEvent:
        return asyncio.run(self._with_engine(lambda engine: engine.rehearse(request)))

    async def _with_engine(self, work):
        engine: Engine = open_engine(self.home)
        try:
            return await work(engine)
        finally:
            await engine.close()

    def fallback(self, request: Request) -> Answer:
        """In a process of its own, as `dispatch` does without a daemon."""
        packed = frame.pack_request(frame.RequestDelivery(synaptic.__version__, request))
        command = [sys.executable, "-I", "-m", "synaptic.daemon.fallback", str(self.home.root)]
        done = subprocess.run(command, input=packed, capture_output=True, env=dict(request.env), timeout=60)
        reply = frame.AnswerReader().feed(done.stdout)
        assert reply is not None, done.stderr
        return reply.answer

    def daemon(self, request: Request) -> Answer:
        """Through the socket."""
        found = client.send_request(self.home, request)
        assert found is not None
        return found

    def dispatch(self, event: str, payload: Mapping[str, object] | bytes) -> subprocess.CompletedProcess[bytes]:
        """Through the installed program, as an agent runs it."""
        stdin = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        env = {"HOME": str(self.user), "PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(self.project)}
        return subprocess.run([self.home.dispatch, event], input=stdin, capture_output=True, env=env, timeout=60)

    def start(self) -> None:
        lifecycle.start_daemon(self.home)
        assert lifecycle.wait_ready(self.home, 20)

    def install(self) -> None:
        dispatcher.install_dispatcher(self.home)

    def without_daemon(self) -> None:
        """Calls that find no daemon start none."""
        self.install()
        text = self.home.engine.read_text()
        self.home.engine.write_text(f"{text}daemon=false\n")

    def stop(self) -> None:
        lifecycle.stop_daemon(self.home)

    def close(self) -> None:
        """End every daemon, also one that a call which is still on its way would start."""
        self.home.engine.unlink(missing_ok=True)
        self.stop()
        if (self.home.run / "start.lock").exists():
            time.sleep(0.2)
            self.stop()

    def last(self) -> JournalEntry:
        return self.entries()[0]

    def entries(self, n: int = 50) -> tuple[JournalEntry, ...]:
        store = Store.open(self.home)
        try:
            return journal.read_last_entries(store, n)
        finally:
            store.close()

    def wait_for(self, condition, seconds: float = 60.0) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.05)
        return False


def output(answer: Answer) -> dict:
    """The JSON an agent would read."""
    return json.loads(answer.stdout) if answer.stdout else {}


def specific(answer: Answer) -> dict:
    """The part for one event, its reason without the handle: tests/engine/test_grants.py is about that line."""
    said = output(answer).get("hookSpecificOutput", {})
    reasons = {key: without_handle(text) for key, text in said.items() if key == "permissionDecisionReason"}
    return {**said, **reasons}


def without_handle(reason: str) -> str:
    """A reason as its hook has given it."""
    return HANDLE.sub("", reason)


BLOCK = """echo '{"action": "block", "reason": "Banned command pattern detected."}'"""


def modify(command: str) -> str:
    return f"""echo '{{"action": "modify", "input": {{"command": "{command}"}}}}'"""
