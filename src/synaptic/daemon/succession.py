"""A daemon sees that its code on disk has changed, and hands over to one that has loaded the new.

The successor is started beside the daemon and shares its lock. It loads everything, looks whether the files are still
as they were when it began, and takes the socket's name with one rename: at every moment somebody answers. Only then
does the old one end, after what it was asked. A successor that cannot be started has taken nothing: the old one goes
on, and says so.
"""

import asyncio
import logging
import os
import subprocess  # noqa: TID251 - only the type of what lifecycle starts
import sys
import time
from contextlib import suppress

from synaptic.daemon import lifecycle
from synaptic.daemon.names import is_named
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home
from synaptic.setup.code import PACKAGE, get_loaded_stamp, read_installed_stamp, read_stamp, was_noted

log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
"""Seconds between two looks at the engine's files; one look takes 2 to 5 ms in a thread of its own."""
RETRY_SECONDS = 60.0
"""Seconds after which files that could not be started are tried again as they are."""
TAKE_SECONDS = 30.0
"""Seconds that a successor may take to be ready."""
ACCEPT_SECONDS = 0.2
"""Seconds for those who connected just before the socket's name went over."""
SETTLE_SECONDS = 20.0
SETTLE_PAUSE = 0.5
POLL_SECONDS = 0.02


class CodeChangedError(DaemonError):
    """Files of the engine were replaced while they were being loaded: what was loaded is a mixture."""


class Succession:
    """What the daemon knows of the code on disk, and of the daemon that comes after it."""

    def __init__(self, home: Home, lock: int) -> None:
        self._home = home
        self._lock = lock
        self._seen = self._loaded = get_loaded_stamp()
        self._refused = ("", 0.0)
        self._looking = asyncio.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self.trouble = ""
        """Why the code on disk is not the one that answers."""

    @property
    def is_under_way(self) -> bool:
        """Whether a successor is being started, or is there."""
        return self._child is not None and self._child.poll() is None

    async def look(self, *, is_asked: bool = False) -> bool:
        """Hand over when the files have changed and stay as they are, or at once when asked; whether that was done."""
        async with self._looking:
            return await self._compare(is_asked)

    async def _compare(self, is_asked: bool) -> bool:
        now = await asyncio.to_thread(read_installed_stamp, self._home)
        is_settled, self._seen = now == self._seen, now
        if now == self._loaded:
            self.trouble = ""
            return False
        if self.is_under_way or not self._home.engine.exists():
            return False
        return (is_asked or (is_settled and not self._was_refused(now))) and await self._hand_over(now)

    def end_child(self) -> None:
        """Whoever ends this daemon means its successor, too."""
        if self._child is not None and self.is_under_way:
            self._child.terminate()

    def _was_refused(self, now: str) -> bool:
        stamp, again = self._refused
        return stamp == now and time.monotonic() < again

    async def _hand_over(self, now: str) -> bool:
        log.warning("the engine's files have changed: a successor is started")
        try:
            self._child = await asyncio.to_thread(lifecycle.spawn_successor, self._home, self._lock)
            why = await self._wait_taken(self._child)
        except OSError as error:
            why = str(error)
        if not why:
            await asyncio.sleep(ACCEPT_SECONDS)
            return True
        self._child, self._refused = None, (now, time.monotonic() + RETRY_SECONDS)
        self.trouble = (
            f"the engine's files have changed, and what is there now does not start ({why}): calls are judged by the "
            f"code from before; read {self._home.log}, then type: synaptic up"
        )
        log.error("%s", self.trouble)
        return False

    async def _wait_taken(self, child: "subprocess.Popen[bytes]") -> str:
        """Wait until the successor answers in our place; why it does not."""
        end = time.monotonic() + TAKE_SECONDS
        while not is_named(self._home, child.pid):
            if child.poll() is not None:
                return f"exit code {child.returncode}"
            if time.monotonic() > end:
                child.kill()
                child.wait()
                return "it took too long"
            await asyncio.sleep(POLL_SECONDS)
        return ""


def require_same_code() -> None:
    """Raises CodeChangedError when files were changed after the first of them was loaded."""
    if was_noted() and read_stamp(PACKAGE) != get_loaded_stamp():
        raise CodeChangedError("files of the engine were replaced while they were being loaded", where=PACKAGE)


def start_again(home: Home, lock: int) -> None:
    """Begin anew in the same process, still with the lock, as soon as the files stay as they are.

    Raises CodeChangedError when they do not: the next call starts another daemon.
    """
    end, seen = time.monotonic() + SETTLE_SECONDS, ""
    while (now := read_installed_stamp(home)) != seen:
        if time.monotonic() > end:
            raise CodeChangedError("files of the engine are replaced again and again", where=PACKAGE)
        seen = now
        time.sleep(SETTLE_PAUSE)
    with suppress(OSError):
        os.set_inheritable(lock, True)
    os.execv(sys.executable, sys.orig_argv)
