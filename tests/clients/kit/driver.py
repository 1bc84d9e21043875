"""One user of one agent: a throw-away home, a project, a model that follows a script, and the client between them."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from synaptic.daemon import lifecycle
from tests.clients.claude import Session
from tests.clients.kit.dialects import text
from tests.clients.kit.models import Dialect, Json, Model
from tests.clients.script import DONE, Turn, Use

PATIENCE = 60
"""Seconds after which a client counts as hanging."""


class Driver(Protocol):
    """How one agent is set up and called without a terminal; every file it needs is in the throw-away home."""

    name: str
    dialect: Dialect
    bootstrap: tuple[str, ...]
    """What `synaptic bootstrap` is told, so that this agent is wired."""

    def program(self) -> Path:
        """The client; raises NoClient when there is none and none can be fetched."""

    def shell(self, command: str) -> Use:
        """The model's call of this agent's own shell tool."""

    def write(self, path: Path, content: str) -> Use:
        """The model's call of this agent's own tool that makes a file."""

    def prepare(self, user: "User") -> None:
        """The agent's settings, as a user of this model would have them."""

    def command(self, user: "User", prompt: str) -> list[str]:
        """One whole session, from the prompt to the model's last word."""

    def env(self, user: "User") -> Mapping[str, str]: ...


class Run(msgspec.Struct, frozen=True):
    """What one session of the client left behind."""

    exit: int
    """-9 when it had to be ended."""
    output: str
    requests: tuple[Json, ...]
    results: tuple[str, ...]
    """The text of every tool result, in the order in which the model was told."""
    seconds: float

    @property
    def heard(self) -> str:
        """Everything that the model was told, tools left out."""
        return "\n".join(text({**request, "tools": ()}) for request in self.requests)


class User:
    """Someone who works with one agent."""

    def __init__(self, driver: Driver, session: Session | None = None) -> None:
        """`session`: the home and project of someone who works with other agents too."""
        self.driver = driver
        self.program = driver.program()
        self.session = session or Session(self.program)
        self.home, self.project = self.session.home, self.session.project
        self.model = Model(driver.dialect)
        self.patience: float = PATIENCE
        try:
            driver.prepare(self)
        except BaseException:
            self.close()
            raise

    def run(self, *turns: Turn, prompt: str = "do the thing") -> Run:
        """The model says these turns, then `done` for ever."""
        self.model.follow((*turns, DONE))
        started = time.monotonic()
        exit, output = self._call(self.driver.command(self, prompt))
        seconds = time.monotonic() - started
        self._end_leftovers()
        requests = tuple(self.model.requests)
        results = {name: told for request in requests for name, told in self.driver.dialect.results(request)}
        return Run(exit, output, requests, tuple(results.values()), seconds)

    def call(self, command: list[str]) -> str:
        """Another command of the client; what it prints."""
        exit, output = self._call(command)
        if exit:
            raise AssertionError(f"{' '.join(command)}: exit {exit}\n{output}")
        return output

    def put(self, name: str, content: str) -> Path:
        """A file in the home."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def close(self) -> None:
        self.model.close()
        self.session.close()
        for process in _processes_of(self.home):
            _end(process)

    def _call(self, command: list[str]) -> tuple[int, str]:
        env = {
            "HOME": str(self.home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "TMPDIR": str(self.session.temporary),
            **self.driver.env(self),
        }
        log = self.session.folder / "client.log"
        with log.open("wb") as out:
            client = subprocess.Popen(
                command,
                cwd=self.project,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                exit = client.wait(self.patience)
            except subprocess.TimeoutExpired:
                os.killpg(client.pid, signal.SIGKILL)
                exit = client.wait()
        return exit, log.read_text(errors="replace")

    def _end_leftovers(self) -> None:
        """Some clients leave a server behind; the next session starts its own."""
        ours = lifecycle.read_status(self.session.synaptic_home).pid
        for process in _processes_of(self.home):
            if process != ours:
                _end(process)


def _processes_of(home: Path) -> list[int]:
    """Processes that were started in this home."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"HOME={home}".encode() in entry.read_bytes().split(b"\0"):
                found.append(int(entry.parent.name))
    return found


def _end(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
