"""What a run of the tests leaves running: a daemon, a client or a server that outlives its test is that test's defect.

It is named below the results. With SYNAPTIC_TEST_LEFTOVERS=1 it fails the run, for whoever looks for where it is from.

A process is the run's when it was started after the run, and its command line or its folder names the run's own
temporary folder. What needs a shorter path has a folder of its own in /tmp: it is the run's when it is of the Python
that the tests run with, unless somebody else's run of the tests is about, whose it may be.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

PROC = Path("/proc")
GRACE_SECONDS = 15.0
"""What was asked to end as the last test did may still be about it."""
RUNS = "/pytest-of-"
"""In the path of a temporary folder of pytest, another run's as well as ours."""
PYTEST = ("-m", "pytest")
FAILS_VARIABLE = "SYNAPTIC_TEST_LEFTOVERS"


class SeenProcess(NamedTuple):
    """A process, as the system shows it."""

    pid: int
    parent: int
    started: int
    """In ticks since the machine was."""
    words: tuple[str, ...]
    folder: str

    def __str__(self) -> str:
        return f"{self.pid}: {' '.join(self.words)} (in {self.folder or '?'})"


class LeftoverCheck:
    """A plugin of the process that reports: it looks when all workers and their servers have ended."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self.left: list[SeenProcess] = []

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """Before the summary is written, and after everybody else has ended what is theirs."""
        yield
        self.left = wait_for_end(self._base)
        if self.left and session.exitstatus == pytest.ExitCode.OK and os.environ.get(FAILS_VARIABLE) == "1":
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.left:
            terminalreporter.section("processes that tests have left running", red=True)
            terminalreporter.write_line("\n".join(map(str, self.left)))


def wait_for_end(base: Path) -> list[SeenProcess]:
    """What still runs after a while."""
    end = time.monotonic() + GRACE_SECONDS
    while (left := list_left(base)) and time.monotonic() < end:
        time.sleep(0.1)
    return left


def list_left(base: Path) -> list[SeenProcess]:
    """Processes of this run, beside this one; none where the system does not show them (macOS)."""
    seen = {one.pid: one for one in iter_processes()}
    if os.getpid() not in seen:
        return []
    own = seen[os.getpid()]
    places = [f"{base}/"] if has_other_run(seen, own) else [f"{base}/", f"{tempfile.gettempdir()}/"]
    later = (one for one in seen.values() if one.started >= own.started and one is not own)
    return [one for one in later if any(is_below(one, place, str(base)) for place in places)]


def is_below(process: SeenProcess, place: str, base: str) -> bool:
    """Whether a process names a place; outside the run's own folder it has to be of our Python, and in no other's."""
    named = f"{process} {process.folder}/"
    if place not in named:
        return False
    return place.startswith(base) or (RUNS not in named and any(sys.prefix in word for word in process.words))


def has_other_run(seen: dict[int, SeenProcess], own: SeenProcess) -> bool:
    """Whether another run of tests is about, beside this one and who has started it."""
    above = {own.pid}
    while (own := seen.get(own.parent, own)).pid not in above:
        above.add(own.pid)
    return any(PYTEST in zip(one.words, one.words[1:], strict=False) for one in seen.values() if one.pid not in above)


def iter_processes() -> Iterator[SeenProcess]:
    for entry in PROC.glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):  # it has ended meanwhile, or is another user's
            stat = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            words = (entry / "cmdline").read_bytes().decode("utf-8", "replace").rstrip("\0").split("\0")
            folder = str((entry / "cwd").readlink())
            yield SeenProcess(int(entry.name), int(stat[1]), int(stat[19]), tuple(words), folder)
