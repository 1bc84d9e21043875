"""A judgement that takes too long is broken off: one call must not keep every session of the machine waiting.

The event loop sets an alarm each second for a few seconds later. It rings only when the loop itself is stuck, in a
policy, a reader or a pattern that does not come to an end, and then the call that is being judged right now ends with
`OutOfTimeError`, which is a question before a tool runs. Facts that are awaited for too long are given up one by one.
"""

import asyncio
import signal
import threading
from contextlib import suppress
from types import FrameType, TracebackType

from synaptic.facts.gather import give_up_gathering
from synaptic.model.errors import SynapticError

BEAT_SECONDS = 1.0
STUCK_SECONDS = 4.0
"""Shorter than the silence after which a client gives the daemon up: its call is answered before that."""

_judging: set[object] = set()
"""Tasks that judge a call. Nothing else is ever broken off: what is being written is written to its end."""


class OutOfTimeError(SynapticError):
    """A call that could not be judged in time."""


class _JudgementBrokenOff(BaseException):
    """Raised by the alarm. No Exception: the next policy must not go on with the same slow input."""


class Judgement:
    """A call is being judged while this is open; OutOfTimeError when it was broken off."""

    __slots__ = ("_task",)

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        _judging.add(self._task)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _judging.discard(self._task)
        if kind is _JudgementBrokenOff:
            raise OutOfTimeError(f"the call was not judged within {STUCK_SECONDS:g} s") from error


async def keep_beating() -> None:
    """Set the alarm anew each second, for as long as this runs; only where the main thread runs the loop."""
    if threading.current_thread() is not threading.main_thread():
        return
    before = signal.signal(signal.SIGALRM, _break_off)
    try:
        while True:
            # Again and again after it has rung once: what goes on after that may be stuck as well.
            signal.setitimer(signal.ITIMER_REAL, STUCK_SECONDS, STUCK_SECONDS)
            await asyncio.sleep(BEAT_SECONDS)
            give_up_gathering()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _break_off(number: int, frame: FrameType | None) -> None:
    with suppress(RuntimeError):  # no loop is running
        if asyncio.current_task() in _judging:
            raise _JudgementBrokenOff
