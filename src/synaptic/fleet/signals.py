"""Receive signals through a pipe that can be waited on with `select`: no code runs inside a handler."""

import os
import signal
from contextlib import suppress
from types import FrameType

KEYBOARD_SIGNALS = (signal.SIGINT, signal.SIGQUIT)
"""The terminal sends them to everybody in front of it: they are for the agent."""
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
HANDLED_SIGNALS = (*KEYBOARD_SIGNALS, *ENDING_SIGNALS, signal.SIGCHLD, signal.SIGCONT)


class SignalPipe:
    """What has arrived since the last look. Only in the main thread.

    Handlers, not "ignored": what is ignored here would be ignored by the agent too. What was ignored before stays so.
    """

    def __init__(self) -> None:
        self.fd, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC) if hasattr(os, "pipe2") else _make_pipe()
        self._before = {number: signal.getsignal(number) for number in HANDLED_SIGNALS}
        # A full pipe is no loss: it holds thousands of numbers already, and only which ones matters.
        self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number, handler in self._before.items():
            # SIGCHLD also where it was ignored: then the kernel reaps the child, and its exit code is lost.
            if handler is not signal.SIG_IGN or number == signal.SIGCHLD:
                signal.signal(number, _do_nothing)

    def read_arrived(self) -> frozenset[int]:
        """Read the numbers of signals that arrived since the last call."""
        with suppress(BlockingIOError):
            return frozenset(os.read(self.fd, 4096))
        return frozenset()

    def close(self) -> None:
        """Restore the handlers that were there before."""
        # Before the pipe is closed: a signal would be written into whatever file gets that descriptor next.
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            # None: a handler that was not installed by Python and cannot be put back from here.
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        os.close(self.fd)
        os.close(self._write)


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """The interpreter has written the number to the pipe already."""


def _make_pipe() -> tuple[int, int]:
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    return ends
