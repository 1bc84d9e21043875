"""One user of one agent: a throw-away home, a project, a model that follows a script, and the client between them."""

import threading
from pathlib import Path

import msgspec

from synaptic.daemon import lifecycle
from synaptic.verification.client_process import (
    ClientEnd,
    ClientStart,
    end_processes_of,
    make_environment,
    run_client,
)
from synaptic.verification.dialects import text
from synaptic.verification.driver import Stage
from synaptic.verification.model_server import Json, Model
from synaptic.verification.script import DONE, Turn
from tests.clients.claude import Session
from tests.clients.kit.agents import PinnedClient

Driver = PinnedClient
PATIENCE = 60
"""Seconds after which a client counts as hanging."""


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

    def __init__(self, driver: PinnedClient, session: Session | None = None) -> None:
        """`session`: the home and project of someone who works with other agents too."""
        self.driver = driver
        self.program = driver.program()
        self.session = session or Session(self.program)
        self.home, self.project = self.session.home, self.session.project
        self.model = Model(driver.dialect)
        self.patience: float = PATIENCE
        self.stage = Stage(
            home=self.home,
            project=self.project,
            temporary=self.session.temporary,
            launch=driver.launch(),
            url=self.model.url,
            address=self.model.address,
        )
        try:
            driver.prepare(self.stage)
            if login := driver.driver.login_command(self.stage):
                self.call(login)
        except BaseException:
            self.close()
            raise

    def run(self, *turns: Turn, prompt: str = "do the thing") -> Run:
        """The model says these turns, then `done` for ever."""
        self.model.follow((*turns, DONE))
        ended = self._call(self.driver.driver.command(self.stage, prompt))
        self._end_leftovers()
        requests = tuple(self.model.requests)
        results = {name: told for request in requests for name, told in self.driver.dialect.results(request)}
        return Run(ended.exit, ended.output, requests, tuple(results.values()), ended.seconds)

    def call(self, command: list[str]) -> str:
        """Another command of the client; what it prints."""
        ended = self._call(command)
        if ended.exit:
            raise AssertionError(f"{' '.join(command)}: exit {ended.exit}\n{ended.output}")
        return ended.output

    def put(self, name: str, content: str) -> Path:
        """A file in the home."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def close(self) -> None:
        self.model.close()
        self.session.close()
        end_processes_of(self.home)

    def _call(self, command: list[str]) -> ClientEnd:
        usual = make_environment(self.home, self.session.temporary, "/usr/local/bin:/usr/bin:/bin")
        env = {**usual, "LANG": "C.UTF-8", **self.driver.env(self.stage)}
        return run_client(ClientStart(command, self.project, env), self.patience, threading.Event())

    def _end_leftovers(self) -> None:
        """Some clients leave a server behind; the next session starts its own."""
        end_processes_of(self.home, lifecycle.read_status(self.session.synaptic_home).pid)
