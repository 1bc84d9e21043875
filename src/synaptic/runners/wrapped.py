"""Run a program in the foreground: its output passes through, exit code and duration are recorded."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Sequence

import msgspec

TAIL_BYTES = 4000
"""Bytes to keep from the end of the output."""
NOT_FOUND, NOT_RUN = 127, 126


class WrappedRun(msgspec.Struct, frozen=True, kw_only=True):
    """How a wrapped program ended."""

    exit: int
    millis: float
    output: str = ""
    """The end of what it printed; empty when it spoke to a terminal itself."""
    trouble: str = ""


def run_wrapped(argv: Sequence[str], cwd: str | None = None) -> WrappedRun:
    """Run a program to its end. Never raises for a program that cannot be started."""
    return asyncio.run(_run_async(argv, cwd))


async def _run_async(argv: Sequence[str], cwd: str | None) -> WrappedRun:
    started = time.monotonic()
    # On a terminal the program writes to it directly: through a pipe it would lose colours and progress bars.
    pipe = None if sys.stdout.isatty() else asyncio.subprocess.PIPE
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program decides what an interrupt means
    try:
        process = await asyncio.create_subprocess_exec(*argv, stdout=pipe, cwd=cwd, preexec_fn=_restore_interrupt)
        kept = await _pass_through(process)
        code = await process.wait()
    except (OSError, ValueError) as error:
        code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUN
        return WrappedRun(exit=code, millis=_measure_millis(started), trouble=f"could not be started: {error}")
    finally:
        signal.signal(signal.SIGINT, before)
    text = kept.decode("utf-8", "replace")
    # A death by signal is reported as a shell would: 128 + signal.
    return WrappedRun(exit=code if code >= 0 else 128 - code, millis=_measure_millis(started), output=text)


async def _pass_through(process: asyncio.subprocess.Process) -> bytes:
    kept = b""
    while process.stdout is not None and (piece := await process.stdout.read(1 << 16)):
        os.write(1, piece)
        kept = (kept + piece)[-TAIL_BYTES:]
    return kept


def _restore_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _measure_millis(started: float) -> float:
    return round((time.monotonic() - started) * 1000, 1)
