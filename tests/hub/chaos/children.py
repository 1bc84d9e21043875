"""Processes that a campaign starts: they end with it, however it ends."""

import ctypes
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def start_child(module: str, *words: object, log: Path) -> "subprocess.Popen[bytes]":
    """A module with these words. What it says goes to a file."""
    line = (sys.executable, "-m", module, *map(str, words))
    with log.open("ab") as said:
        return subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=said, stderr=said, preexec_fn=end_with_parent)


def end_with_parent() -> None:
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def kill_child(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
