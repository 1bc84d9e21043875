"""A joined home whose hub is away, made a home without a hub for a moment: the same daemon, journal and process.

The process that ships is stopped, and its folder, by which the daemon knows that a hub was joined, is put aside. Back
again, it goes on where it was: what became due in the meantime it does at once, so it is not measured too well.
"""

import os
import signal
import time
from pathlib import Path
from typing import Self

from bench.paired import Way
from bench.world import World
from synaptic.daemon.shipper import is_shipping
from synaptic.hub.shipping.board import read_state

ATTEMPTS, PAUSE = 200, 0.005
WAL_LOCKS = range(120, 128)
"""Bytes of the `-shm` file that SQLite locks for as long as it writes, reads or empties its log."""
STOPPED = "T"


class HubSwitch:
    """Way A: there is no hub. Way B: it was joined and is away."""

    def __init__(self, world: World) -> None:
        state = read_state(world.home)
        if state is None or not is_shipping(world.home):
            raise RuntimeError(f"nobody ships for {world.name!r}")
        self.pid = state.pid
        self._world, self._folder = world, world.home.hub
        self._aside = self._folder.with_name("hub.aside")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._join()

    def turn(self, way: Way) -> None:
        """Every turn begins with the same, so that it costs both ways alike."""
        self._join()
        if not is_shipping(self._world.home):
            raise RuntimeError("the shipper that is measured has ended")
        self._leave()
        if way == "B":
            self._join()

    def _join(self) -> None:
        if self._aside.exists():
            self._aside.rename(self._folder)
        os.kill(self.pid, signal.SIGCONT)

    def _leave(self) -> None:
        """Raises RuntimeError where it holds the database again and again: stopped then, it would hold it on."""
        for _ in range(ATTEMPTS):
            os.kill(self.pid, signal.SIGSTOP)
            while not is_stopped(self.pid):
                time.sleep(PAUSE / 10)
            if not holds_database(self.pid, self._world.home.database):
                self._folder.rename(self._aside)
                return
            os.kill(self.pid, signal.SIGCONT)
            time.sleep(PAUSE)
        raise RuntimeError("the shipper holds the database without end")


def is_stopped(pid: int) -> bool:
    """All of its threads."""
    stats = (file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/stat"))
    return all(stat.rpartition(")")[2].split()[0] == STOPPED for stat in stats)


def holds_database(pid: int, database: Path) -> bool:
    """Whether it is within a transaction, by the kernel's list of locks."""
    inode = str(Path(f"{database}-shm").stat().st_ino)
    locks = (line.split() for line in Path("/proc/locks").read_text().splitlines())
    return any(
        words[4] == str(pid) and words[5].endswith(f":{inode}") and int(words[6]) in WAL_LOCKS
        for words in locks
        if len(words) == 8 and words[1] == "POSIX"
    )
