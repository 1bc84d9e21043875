"""A daemon of an earlier build, which held a file in the run folder and not the home."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from synaptic.daemon.predecessor import OLD_LOCK, end_predecessor
from synaptic.model.home import Home

LIMIT = 60.0
HOLD = """
import fcntl, sys, time
file = open(sys.argv[1], "w")
if sys.argv[2] == "held":
    fcntl.flock(file, fcntl.LOCK_EX)
print("ready", flush=True)
time.sleep(600)
"""
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell who holds a lock")


@contextmanager
def process_with(path: Path, how: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that has the file open, locked or not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    child = subprocess.Popen([sys.executable, "-I", "-c", HOLD, path, how], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        yield child
    finally:
        child.kill()
        child.wait(LIMIT)
        child.stdout.close() if child.stdout else None


@linux_only
def test_it_is_asked_to_end(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with process_with(home.run / OLD_LOCK, "held") as old:
        assert end_predecessor(home) == old.pid
        assert old.wait(LIMIT) == -signal.SIGTERM
    assert end_predecessor(home) == 0
    assert not (home.run / OLD_LOCK).exists()


@linux_only
def test_who_only_has_the_file_open_is_left_alone(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with process_with(home.run / OLD_LOCK, "open") as stranger:
        assert end_predecessor(home) == 0
        assert stranger.poll() is None


def test_where_there_was_none_nothing_happens(tmp_path: Path) -> None:
    assert end_predecessor(Home(tmp_path)) == 0
    assert list(tmp_path.iterdir()) == []
