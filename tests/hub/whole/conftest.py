"""The whole way: hosts with real journals, their shippers, `synaptic hub serve` and PostgreSQL."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.server.throwaway import find_programs
from synaptic.model.home import Home
from synaptic.store import outbox
from synaptic.store.reader import JournalReader
from tests.hub.chaos.children import kill_child, start_child
from tests.hub.chaos.homes import join_hub
from tests.hub.chaos.hub_process import HubProcess


class Team:
    """A hub, and hosts that have joined it."""

    def __init__(self, database: str, folder: Path) -> None:
        self.database, self.folder = database, folder
        self.hub = HubProcess(database, folder)
        self._shippers: list[subprocess.Popen[bytes]] = []

    def open(self) -> None:
        self.hub.start()
        self.hub.wait_until_well()

    def close(self) -> None:
        for process in self._shippers:
            kill_child(process)
        self.hub.kill()

    def add_home(self, name: str, config: str = "") -> Home:
        home = Home(self.folder / name / ".synaptic")
        home.root.mkdir(parents=True, exist_ok=True)
        home.config.write_text(config)
        return home

    def join(self, home: Home, name: str) -> Membership:
        return join_hub(home, self.database, self.hub.url, name)

    def ship(self, home: Home) -> None:
        """The process that the daemon would start."""
        log = home.root / "shipper-said.log"
        self._shippers.append(start_child("synaptic.hub.shipping.process", home.root, log=log))

    def rows(self, statement: str, *given: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database, autocommit=True) as connection:
            found = connection.execute(statement, given or None)
            return found.fetchall() if found.description else []

    def wait_until_arrived(self, home: Home, host: str, seconds: float = 60) -> None:
        """Until the hub has the newest event of a home."""
        wait_until(lambda: self.find_mark(host) >= find_newest(home) > 0, seconds, lambda: describe(home))

    def find_mark(self, host: str) -> int:
        return int(self.rows("SELECT seq FROM hosts WHERE id = %s", host)[0][0])

    def dump(self) -> str:
        """All of the database, as a thief of a copy would read it."""
        line = [str(find_programs() / "pg_dump"), "--inserts", self.database]
        return subprocess.run(line, check=True, capture_output=True).stdout.decode("utf-8", "replace")

    def run_verb(self, *words: str) -> str:
        line = (str(Path(sys.executable).with_name("synaptic")), "hub", *words, "--database", self.database)
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout


def find_newest(home: Home) -> int:
    with closing(JournalReader.open(home)) as reader:
        return outbox.find_newest(reader)


def describe(home: Home) -> str:
    files = (home.root / "shipper-said.log", home.shipper_log, HubPlace.of(home).state)
    return "\n".join(f"{file}: {file.read_text(errors='replace')[-2000:]}" for file in files if file.exists())


def wait_until(is_done: Callable[[], bool], seconds: float, describe: Callable[[], str] = str) -> None:
    until = time.monotonic() + seconds
    while not is_done():
        assert time.monotonic() < until, describe()
        time.sleep(0.1)


@pytest.fixture
def team(database: str, tmp_path: Path) -> Iterator[Team]:
    made = Team(database, tmp_path)
    try:
        made.open()
        yield made
    finally:
        made.close()
