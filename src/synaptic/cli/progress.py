"""What is said on a terminal while something takes long: one line on stderr, gone when it is done."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread

from synaptic.cli import screen

PROGRESS_SECONDS = 1.0
"""Until something is said about work that goes on, and between two words about it."""
CLEAR_LINE = "\r\033[K"
_line = Lock()
"""Held by whoever writes on the line, or asks something there."""


@contextmanager
def show_progress(what: str) -> Iterator[None]:
    """Say on a terminal what takes so long, once it has taken a second; the line is gone when it is done."""
    if not screen.may_tell_progress():
        yield
        return
    done = Event()
    shown = Thread(target=_show_until, args=(done, screen.cut_line(what, len(" … 100 s"))), daemon=True)
    shown.start()
    try:
        yield
    finally:
        done.set()
        shown.join()  # nothing may be written over its line


@contextmanager
def hold_progress() -> Iterator[None]:
    """While somebody is asked in the middle of it: nothing may be written over what they type."""
    with _line:
        if screen.may_tell_progress():
            _write(CLEAR_LINE)
        yield


def _show_until(done: Event, what: str) -> None:
    seconds = 0
    while not done.wait(PROGRESS_SECONDS):
        seconds += 1
        with _line:
            _write(f"{CLEAR_LINE}{what} … {seconds} s")
    if seconds:
        _write(CLEAR_LINE)


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
