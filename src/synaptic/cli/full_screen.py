"""A whole terminal for a while: its other screen, keys one by one, and everything as it was on every way out."""

import os
import signal
import sys
import tty
from collections.abc import Mapping, Sequence
from contextlib import suppress
from select import select
from types import FrameType, TracebackType
from typing import Any

from synaptic.cli import screen
from synaptic.cli.cells import cut_cells, measure_cells
from synaptic.cli.keys import KeyReader
from synaptic.fleet.terminal import Terminal
from synaptic.model.home import Home

ENTER_SEQUENCES = "\x1b[?1049h\x1b[?25l\x1b[?2004h"
"""The other screen, no cursor, and marks around what is pasted."""
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
ESCAPE_SECONDS = 0.3
"""How long the rest of a key may take."""
SMALLEST = (8, 2)


def may_fill_screen(home: Home) -> bool:
    """Whether somebody at a keyboard looks: an agent with a terminal of its own would wait for keys for ever."""
    if not screen.is_dialogue():
        return False
    from synaptic.agents.shared.lineage import find_own_agent  # noqa: PLC0415  only where a person may sit

    return not find_own_agent(home)


class FullScreen:
    """The screen, within a `with` block. SIGTERM and SIGHUP leave it as an exception does, Ctrl-Z for a while."""

    def __init__(self) -> None:
        self.stdin = sys.stdin.fileno()
        self._stdout = sys.stdout.fileno()
        self._terminal = Terminal()
        self._keys = KeyReader()
        self._before: dict[signal.Signals, Any] = {}
        self._is_on = False
        self.wake, self._waker = os.pipe()

    def __enter__(self) -> "FullScreen":
        for handle in (self.wake, self._waker):
            os.set_blocking(handle, False)
        handlers = {signal.SIGTSTP: self._suspend, signal.SIGWINCH: _do_nothing, **dict.fromkeys(ENDING_SIGNALS, _end)}
        self._before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        try:
            self._switch_on()
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines, as they are now."""
        try:
            columns, lines = os.get_terminal_size(self._stdout)
        except OSError:
            columns, lines = 80, 24
        return max(columns, SMALLEST[0]), max(lines, SMALLEST[1])

    @property
    def patience(self) -> float | None:
        """Seconds after which keys must be read, whatever has come; None where nothing has begun."""
        return ESCAPE_SECONDS if self._keys.is_waiting else None

    def draw(
        self, lines: Sequence[str], chosen: frozenset[int] = frozenset(), colours: Mapping[int, int] | None = None
    ) -> None:
        """Show clean lines from the top, those that are chosen in reverse; what does not fit is cut."""
        columns, rows = self.size
        shown = []
        for at, line in enumerate(lines[:rows]):
            # One column is left: in the last one some terminals begin a new line, and some do not.
            text = cut_cells(line, columns - 1)
            padded = text + " " * (columns - 1 - measure_cells(text))
            colour = 7 if at in chosen else (colours or {}).get(at, 0)
            shown.append(f"\x1b[{colour}m{padded if at in chosen else text}\x1b[0m" if colour else text)
        frame = "\r\n".join(f"{line}\x1b[K" for line in shown)
        self._write(f"\x1b[H{frame}\x1b[J")

    def read_keys(self) -> list[str] | None:
        """The keys that have come; None at the end of the input, when nobody can type any more."""
        with suppress(BlockingIOError):
            os.read(self.wake, 4096)
        if not select([self.stdin], [], [], 0)[0]:
            return self._keys.end_waiting()
        try:
            data = os.read(self.stdin, 4096)
        except OSError:
            return None
        return self._keys.feed(data) if data else None

    def forget_keys(self) -> None:
        """Throw away what was typed and not read: it was meant for what was shown before."""
        while select([self.stdin], [], [], 0)[0] and os.read(self.stdin, 4096):
            pass

    def _switch_on(self) -> None:
        self._is_on = True
        tty.setcbreak(self.stdin)
        self._write(ENTER_SEQUENCES)

    def _switch_off(self) -> None:
        # Once: from the background, a second time would take the terminal away from whoever has it now.
        if self._is_on:
            self._is_on = False
            self._terminal.restore()

    def _leave(self) -> None:
        self._switch_off()
        signal.set_wakeup_fd(-1)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for handle in (self.wake, self._waker):
            os.close(handle)

    def _suspend(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-Z: the shell gets its screen, and with `fg` ours is there again."""
        self._switch_off()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._suspend)
        self._switch_on()

    def _write(self, text: str) -> None:
        rest = memoryview(text.encode("utf-8", "replace"))
        while rest:
            rest = rest[os.write(self._stdout, rest) :]


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """A handler, so that the signal wakes whoever waits."""


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
