"""A person at a terminal with the inbox open: a real pty, keys as bytes, the screen as it was last drawn."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping

LEFT = "\x1b[?1049l"
SEQUENCES = re.compile(r"\x1b\[[?0-9;]*[A-Za-z]")
PATIENCE = 20.0


class InboxTerminal:
    """`synaptic inbox` in a process of its own, with a terminal of a size."""

    def __init__(self, words: list[str], size: tuple[int, int] = (80, 24), program: str = "", **env: str) -> None:
        start = ["-c", program] if program else ["-m", "synaptic.cli.main"]
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            self._become([sys.executable, *start, *words], {**os.environ, "TERM": "xterm", **env}, size)
        self.seen = ""
        self.before = termios.tcgetattr(self.handle)

    def _become(self, command: list[str], env: Mapping[str, str], size: tuple[int, int]) -> None:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        os.execvpe(command[0], command, dict(env))

    def types(self, keys: str | bytes) -> None:
        os.write(self.handle, keys.encode() if isinstance(keys, str) else keys)

    def resizes(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.handle, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def signals(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def shows(self, text: str, after: int = 0) -> str:
        """Wait until something is written since a place in what was seen; what was seen by then."""
        end = time.monotonic() + PATIENCE
        while text not in self.seen[after:]:
            assert time.monotonic() < end and self._read(), f"{text!r} is not in {self.seen[-3000:]!r}"
        return self.seen

    def ends(self) -> int:
        """Its exit code, and everything read."""
        while self._read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def stopped(self) -> bool:
        return os.WIFSTOPPED(os.waitpid(self.pid, os.WUNTRACED)[1])

    @property
    def lines(self) -> list[str]:
        """The last screen that was drawn."""
        frame = self.seen.split(LEFT)[0].rpartition("\x1b[H")[2]
        return SEQUENCES.sub("", frame).replace("\r", "").split("\n")

    @property
    def is_as_before(self) -> bool:
        """Whether lines are edited and keys shown again, and the other screen is gone."""
        now = termios.tcgetattr(self.handle)
        return now[3] & (termios.ICANON | termios.ECHO) == self.before[3] & (termios.ICANON | termios.ECHO) and (
            self.seen.count("\x1b[?1049h") == self.seen.count(LEFT)
        )

    def close(self) -> None:
        os.close(self.handle)

    def _read(self) -> bool:
        if not select.select([self.handle], [], [], PATIENCE)[0]:
            return False
        try:
            piece = os.read(self.handle, 65536)
        except OSError:
            return False
        self.seen += piece.decode("utf-8", "replace")
        return bool(piece)
