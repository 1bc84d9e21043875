"""`synaptic hub serve` as it is, in a process of its own that can be killed and started again at the same port."""

import os
import random
import socket
import subprocess
import sys
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import psycopg

from synaptic.hub.server.throwaway import ThrowawayPostgres
from synaptic.hub.wire import API
from tests.hub.chaos.children import end_with_parent, kill_child

START_SECONDS = 60.0
LOGIN = "hub"
PORTS = (20_000, 32_000)


def make_database(server: ThrowawayPostgres, name: str = "hub") -> str:
    """The address of an empty database whose owner is nobody special."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {LOGIN} LOGIN CREATEROLE")
        connection.execute(f"CREATE DATABASE {name} OWNER {LOGIN}")
    return server.url_as(LOGIN, name)


class HubProcess:
    """One hub."""

    def __init__(self, database: str, folder: Path, *words: str) -> None:
        self.database, self._folder, self._words = database, folder, words
        self.port = find_port()
        self.log = folder / "hub.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process
        return self._process.pid

    def start(self) -> None:
        """Begin, and do not wait."""
        program = Path(sys.executable).with_name("synaptic")
        line = (str(program), "hub", "serve", "--listen", f"127.0.0.1:{self.port}", *self._words)
        env = {**os.environ, "HOME": str(self._folder), "SYNAPTIC_HUB_DATABASE": self.database}
        with self.log.open("ab") as said:
            self._process = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=env, preexec_fn=end_with_parent
            )

    def kill(self) -> None:
        if self._process is not None:
            kill_child(self._process)
            self._process = None

    def is_well(self) -> bool:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", f"{API}/health")
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def wait_until_well(self, seconds: float = START_SECONDS) -> None:
        """Raises AssertionError with what it said."""
        until = time.monotonic() + seconds
        while not self.is_well():
            is_over = self._process is None or self._process.poll() is not None
            assert time.monotonic() < until and not is_over, self.log.read_text(errors="replace")[-3000:]
            time.sleep(0.1)


def find_port() -> int:
    """One that is free now, below those that the system gives to connections: a hub that is away keeps it."""
    while True:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", random.randrange(*PORTS)))
            return int(probe.getsockname()[1])
