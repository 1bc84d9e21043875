"""Callers that find no daemon take turns: one runs the engine and starts the daemon, the others wait for it.

The turn is a lock on `run/start.lock`, the same one that the compiled dispatcher takes.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress

from synaptic.daemon import lifecycle
from synaptic.daemon.lock import free_lock, try_lock
from synaptic.model.call import Answer
from synaptic.model.home import Home

TURN_SECONDS = 25.0
POLL_SECONDS = 0.02
STARTING_SECONDS = 3.0
MOST_ASKS = 2
"""How often a daemon is asked at once that has come up again."""
AGAIN_SECONDS = 3.0
"""After which one that had no answer is asked once more: it may have a successor by then, or was slow to start."""
LAST_ASK_SECONDS = TURN_SECONDS - 5.0
"""After which nobody is asked who may keep silent for five seconds: whoever asked us waits for no more than thirty."""
NO_QUEUE = -1

TURNS_TEXT = "too many calls wait for the engine"


class Turn:
    """The right to run an engine, until it is given back."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def give_back(self) -> None:
        """Let the next one begin; also when somebody else has done so already."""
        fd, self._fd = self._fd, NO_QUEUE
        if fd >= 0:
            with suppress(OSError):
                free_lock(fd)  # the dispatcher that has passed it on keeps its descriptor until it has an answer
            with suppress(OSError):
                os.close(fd)


def wait_for_turn(home: Home, ask: Callable[[], Answer | None]) -> Turn | Answer | None:
    """Wait for a turn, or for the answer of a daemon that has come up meanwhile; None when the time is over."""
    began, asks, asked = time.monotonic(), 0, 0.0
    while (now := time.monotonic()) - began < TURN_SECONDS:
        turn = _take_turn(home)
        listens = lifecycle.is_listening(home)
        if listens and (asks < MOST_ASKS or (now - asked > AGAIN_SECONDS and now - began < LAST_ASK_SECONDS)):
            answer = ask()
            asks, asked = asks + 1, time.monotonic()
            if answer:
                if turn:
                    turn.give_back()
                return answer
        # Only who has the turn looks at the lock: hundreds who did so at once would keep it from being taken.
        if turn and (listens or time.monotonic() - began > STARTING_SECONDS or not lifecycle.is_held(home)):
            return turn
        if turn:
            turn.give_back()
        time.sleep(POLL_SECONDS)
    return None


def _take_turn(home: Home) -> Turn | None:
    """The turn; None when somebody has it. Where there can be no queue, nobody is waited for."""
    try:
        home.run.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(home.run / "start.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return Turn(NO_QUEUE)
    if try_lock(fd):
        return Turn(fd)
    os.close(fd)
    return None
