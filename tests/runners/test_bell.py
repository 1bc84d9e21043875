"""The bell: in a person's terminals, never in one that an agent has made for its tools."""

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from synaptic.runners.bell import NO_TERMINAL_TEXT, ring_bells

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the bell rings on Linux only")
LEAD = "import fcntl, termios, time; fcntl.ioctl(0, termios.TIOCSCTTY, 0); print('on', flush=True); time.sleep(60)"


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """A terminal with a process that leads its session, as a shell does."""
    ours, theirs = pty.openpty()
    shell = subprocess.Popen([sys.executable, "-c", LEAD], stdin=theirs, stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert shell.stdout
        assert shell.stdout.readline() == b"on\n"
        yield ours, shell.pid
    finally:
        shell.kill()
        shell.communicate()
        os.close(ours)
        os.close(theirs)


def heard(handle: int) -> bytes:
    ready, _, _ = select.select([handle], [], [], 0.5)
    return os.read(handle, 100) if ready else b""


def test_it_rings_where_a_person_sits_and_nowhere_else() -> None:
    with terminal() as (mine, shell), terminal() as (tools, _):
        assert ring_bells(lambda pid: pid == shell) == ""
        assert heard(mine) == b"\a"
        assert heard(tools) == b""


def test_where_nobody_sits_it_is_told() -> None:
    assert ring_bells(lambda pid: False) == NO_TERMINAL_TEXT


def test_a_terminal_that_takes_nothing_keeps_nobody_waiting() -> None:
    with terminal() as (mine, shell):
        handle = os.open(f"/proc/{shell}/fd/0", os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        with pytest.raises(BlockingIOError):
            while True:
                os.write(handle, b"x" * 4096)
        os.close(handle)
        assert ring_bells(lambda pid: pid == shell) in ("", NO_TERMINAL_TEXT)  # a letter may still fit
        assert mine
