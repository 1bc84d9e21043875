"""A judgement that takes too long is broken off: one call must not keep every session of the machine waiting.

The event loop sets an alarm each second for a few seconds later. It rings only when the loop itself is stuck, in a
policy, a reader or a pattern that does not come to an end, and then the call that is being judged right now ends with
`OutOfTimeError`, which is a question before a tool runs. Facts that are awaited for too long are given up one by one.
"""

import asyncio
import signal
import threading
import time
from contextlib import suppress
from types import FrameType, TracebackType

from synaptic.facts.gather import give_up_gathering
from synaptic.model.errors import SynapticError
from synaptic.runners.processes import spare_start

BEAT_SECONDS = 1.0
STUCK_SECONDS = 4.0
"""Shorter than the silence after which a client gives the daemon up: its call is answered before that."""

LAST_SHARE = 1 / 8
"""Of these seconds, what is left after the first ring. A process that stood still as a whole hears that one as soon as
it goes on: it is not the call that is stuck, and it is done before the second."""

FIRST_SECONDS = 20.0
"""For a call of which it is not known yet how long its agent waits."""

_judging: "dict[asyncio.Task[object] | None, Judgement]" = {}
"""By the task that judges a call. Nothing else is ever broken off: what is being written is written to its end."""


_has_rung = False


class OutOfTimeError(SynapticError):
    """A call that could not be judged in time."""


class _JudgementBrokenOff(BaseException):
    """Raised by the alarm. No Exception: the next policy must not go on with the same slow input."""


class Judgement:
    """A call is being judged while this is open; OutOfTimeError when it was broken off."""

    __slots__ = ("_is_overdue", "_task", "_until")

    def __enter__(self) -> "Judgement":
        self._task = asyncio.current_task()
        self._is_overdue = False
        self.limit(FIRST_SECONDS)
        _judging[self._task] = self
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _judging.pop(self._task, None)
        if kind is _JudgementBrokenOff:
            raise OutOfTimeError(f"the call was not judged within {STUCK_SECONDS:g} s") from error
        if kind is asyncio.CancelledError and self._is_overdue and self._task and self._task.uncancel() == 0:
            raise OutOfTimeError("the call was not judged before its agent would have stopped waiting") from error

    def limit(self, seconds: float) -> None:
        """Whatever is awaited after so many seconds is given up."""
        self._until = time.monotonic() + seconds

    def give_up_late(self, now: float) -> None:
        """Break off what is awaited, once, when its time is over."""
        if now > self._until and not self._is_overdue and self._task:
            self._is_overdue = True
            self._task.cancel()


async def keep_beating() -> None:
    """Set the alarm anew each second, for as long as this runs; only where the main thread runs the loop."""
    if threading.current_thread() is not threading.main_thread():
        return
    before = signal.signal(signal.SIGALRM, _break_off)
    try:
        while True:
            _set_alarm()
            await asyncio.sleep(BEAT_SECONDS)
            give_up_gathering()
            for judgement in tuple(_judging.values()):
                judgement.give_up_late(time.monotonic())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _set_alarm() -> None:
    global _has_rung
    _has_rung = False
    last = STUCK_SECONDS * LAST_SHARE
    signal.setitimer(signal.ITIMER_REAL, STUCK_SECONDS - last, last)


def _break_off(number: int, frame: FrameType | None) -> None:
    global _has_rung
    if not _has_rung:
        _has_rung = True
        return
    with suppress(RuntimeError):  # no loop is running
        # A process that is being started would be lost and run on. If it is the start that is stuck, it rings again.
        if asyncio.current_task() in _judging and not spare_start():
            _set_alarm()  # what goes on after this may be stuck as well
            raise _JudgementBrokenOff
