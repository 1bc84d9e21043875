"""The terminal as it was before an agent: one that is killed cannot put it back itself."""

import os
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

RESET_SEQUENCES = (
    "\x1b[?1049l"  # the other screen
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l"  # the mouse
    "\x1b[?1004l\x1b[?2004l\x1b[<u"  # focus, pasting, keys
    "\x1b[?25h\x1b[0m"  # the cursor, colours
)
"""Everything that a full-screen program may have switched on is switched off."""


class Terminal:
    """What the terminal was like when this was made; nothing where there is none."""

    def __init__(self) -> None:
        self._fd = sys.stdin.fileno() if sys.stdin and sys.stdin.isatty() else None
        self._before: list[Any] | None = None
        if self._fd is not None:
            with suppress(termios.error):
                self._before = termios.tcgetattr(self._fd)

    def restore(self) -> None:
        """Restore the terminal's settings and make us its foreground process group again."""
        if self._fd is None or self._before is None:
            return
        with suppress(OSError, termios.error), _ignore_ttou():
            # An agent that put a process group of its own in the foreground has left us in the background.
            os.tcsetpgrp(self._fd, os.getpgrp())
            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)
            if sys.stdout.isatty():
                os.write(sys.stdout.fileno(), RESET_SEQUENCES.encode())


@contextmanager
def _ignore_ttou() -> Iterator[None]:
    """Ignore SIGTTOU: a background process that changes the terminal would be stopped by it."""
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTTOU, before)
