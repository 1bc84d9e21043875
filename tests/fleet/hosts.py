"""Agents of straw, run by the real command line: what they were started with, and what becomes of them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from synaptic.daemon import lifecycle
from synaptic.model.home import Home
from synaptic.model.layers import LayerEffect, Restart
from synaptic.setup import dispatcher
from synaptic.store import fleet, layers
from synaptic.store.db import Store
from synaptic.store.fleet import FleetMember

SYNAPTIC = (sys.executable, "-m", "synaptic.cli.main")
HOST = """
import json, os, signal, sys, time
line = {"pid": os.getpid(), "argv": sys.argv[1:], "agent": os.environ.get("AGENT_ID"), "ppid": os.getppid()}
if os.environ.get("IGNORE_TERM"):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(os.environ["STARTS"], "a") as file:
    file.write(json.dumps(line) + "\\n")
code = os.environ.get("EXIT")
if code is not None:
    sys.exit(int(code))
while True:
    time.sleep(0.05)
"""


class Fleet:
    """A user, a project, and a way to start supervised programs."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.home = Home(base / "home" / ".synaptic")
        self.project = base / "project"
        (self.project / ".git").mkdir(parents=True)
        self.store = Store.open(self.home)
        self.running: list[subprocess.Popen[bytes]] = []
        self.hangup = signal.SIG_DFL
        """What a hang-up does to those started from here on, whatever it does to the tests (nohup)."""
        self.host = base / "host.py"
        self.host.write_text(HOST)

    @property
    def environ(self) -> dict[str, str]:
        dropped = ("TMUX", "TMUX_PANE", "AGENT_ID", "SYNAPTIC_HOME", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
        kept = {name: value for name, value in os.environ.items() if name not in dropped}
        return {**kept, "HOME": str(self.home.root.parent)}

    def program(self, name: str = "mine") -> str:
        """The host under a name of its own, such as that of a real agent."""
        path = self.base / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\nexec {sys.executable} {self.host} "$@"\n')
        path.chmod(0o755)
        return str(path)

    def run(self, agent: str, *words: str, options: tuple[str, ...] = (), **env: str) -> subprocess.Popen[bytes]:
        """`synaptic run`, in the background of the test."""
        command = (*SYNAPTIC, "run", *(("--agent", agent) if agent else ()), *options, "--", *words)
        environ = {**self.environ, "STARTS": str(self.starts_file(agent)), **env}
        process = subprocess.Popen(
            command,
            env=environ,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, self.hangup),
        )
        self.running.append(process)
        return process

    def types(
        self, *words: str, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        environ = {**self.environ, **(env or {})}
        return subprocess.run(
            (*SYNAPTIC, *words), env=environ, cwd=self.project, input=stdin, capture_output=True, text=True, timeout=60
        )

    def shows(self, *options: str, **env: str) -> subprocess.Popen[bytes]:
        """`synaptic fleet` with these options, in the background of the test; what it prints can be read."""
        command = (*SYNAPTIC, "fleet", *options)
        environ = {**self.environ, **env}
        process = subprocess.Popen(
            command, env=environ, cwd=self.project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        )
        self.running.append(process)
        return process

    def arms(self) -> None:
        """The dispatcher, the daemon, and the policies of the fleet."""
        self.home.config.write_text('presets = ["fleet"]\n')
        dispatcher.install_dispatcher(self.home)
        lifecycle.start_daemon(self.home)
        assert lifecycle.wait_ready(self.home, 20)

    def happens(self, agent: str, event: str, **fields: object) -> None:
        """An event of an agent, through the installed dispatcher, as the agent would run it."""
        payload = {"session_id": f"host-{agent}", "cwd": str(self.project), "hook_event_name": event, **fields}
        command = (str(self.home.dispatch), event)
        environ = {**self.environ, "AGENT_ID": agent}
        done = subprocess.run(command, input=json.dumps(payload).encode(), env=environ, capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr

    def starts_file(self, agent: str) -> Path:
        return self.base / f"{agent or 'nobody'}.starts"

    def starts(self, agent: str) -> list[dict]:
        """One line for every start of an agent's program."""
        try:
            return [json.loads(line) for line in self.starts_file(agent).read_text().splitlines()]
        except (FileNotFoundError, json.JSONDecodeError):
            return []

    def started(self, agent: str, times: int = 1, seconds: float = 20.0) -> list[dict]:
        """The same, as soon as there are so many."""
        assert until(lambda: len(self.starts(agent)) >= times, seconds), self.starts(agent)
        return self.starts(agent)

    def asks(self, agent: str, prompt: str) -> None:
        self.does(Restart(agent=agent, prompt=prompt))

    def does(self, *effects: LayerEffect) -> None:
        layers.write_layer_effects(self.store, effects, time.time())

    def member(self, agent: str) -> FleetMember:
        return next(one for one in fleet.list_members(self.store) if one.agent == agent)

    def is_(self, agent: str, status: str, seconds: float = 10.0) -> bool:
        return until(
            lambda: any(one.agent == agent and one.status == status for one in fleet.list_members(self.store)), seconds
        )

    def close(self) -> None:
        """End what we started, and only that: the supervisors, whatever they left, and the daemon."""
        self.home.engine.unlink(missing_ok=True)
        lifecycle.stop_daemon(self.home)
        for process in self.running:
            if process.poll() is None:
                process.terminate()
        for process in self.running:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()
        for file in self.base.glob("*.starts"):
            for line in self.starts(file.stem if file.stem != "nobody" else ""):
                end(line["pid"], self.host)
        self.store.close()


def end(pid: int, host: Path) -> None:
    """A host that outlived its supervisor; a number that belongs to somebody else by now is left alone."""
    try:
        ours = str(host).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return
    if ours:
        os.kill(pid, signal.SIGKILL)


def until(done: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
        time.sleep(0.02)
    return False
