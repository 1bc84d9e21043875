"""Lines that a process promised and did not live to write: written by the next one, each of them once.

Before each line a process notes in its mark which one comes next and how long the file is, so that it can be told of
every line afterwards whether it was written, also of two with the same text.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from synaptic.engine.operator_files import format_line, write_files
from synaptic.files.bounded import read_end, read_from
from synaptic.files.mark import ProgressMark, is_mark_held, read_mark
from synaptic.model.effect import AppendLine, Effect
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.runners.processes import ProcessIdentity, identify_process
from synaptic.store import promises
from synaptic.store.db import Store
from synaptic.store.promises import Line, StoredPromise
from synaptic.store.record import LinePromise

LOOK_SECONDS = 60.0
"""Between two looks for what others have left."""
SEARCH_BYTES = 1 << 20
"""Of a file, after the place where a line would be."""
ALL_LINES = 1 << 32
"""In the place of a line: the whole promise is kept."""


class MarkedPlace(msgspec.Struct, frozen=True):
    """Where a process was: everything before this line of this promise is written, everything after it is not."""

    number: int = 0
    line: int = 0
    size: int = 0
    """Bytes that the line's file had when it was about to be appended."""


class PromisedLines:
    """The lines that this process promises, and those that it takes over from dead ones."""

    def __init__(self, home: Home, store: Store) -> None:
        self._store = store
        self._folder = home.run / "lines"
        self._owner = ""
        self._mark: ProgressMark | None = None
        self._last = 0
        self._written = 0
        self._looks_again = 0.0

    def promise(self, effects: Sequence[Effect]) -> LinePromise | None:
        """The promise of the lines among some effects; None where there are none, or nothing would outlive us."""
        if (
            not any(type(effect) is AppendLine for effect in effects)
            or not self._store.durable
            or not self._open_mark()
        ):
            return None
        return self._make_promise()

    def write(self, root: str, effects: Sequence[Effect], promise: LinePromise | None) -> tuple[str, ...]:
        """Carry out what belongs in files; a warning for each that could not be written."""
        if promise is None or self._mark is None:
            return write_files(root, effects)
        warnings: list[str] = []
        line = -1
        for effect in effects:
            line += isinstance(effect, AppendLine)
            warnings += write_files(root, (effect,), partial(self._mark.note, promise.number, line))
        self._mark.note(promise.number, ALL_LINES, 0)
        self._written = promise.number
        return tuple(warnings)

    def look_for_left(self) -> tuple[str, ...]:
        """Write what dead processes have left, at most once a minute; a warning for each line that cannot be."""
        now = time.monotonic()
        if now < self._looks_again:
            return ()
        self._looks_again = now + LOOK_SECONDS
        try:
            owners = promises.list_owners(self._store) if self._store.durable else ()
            return tuple(warning for owner in owners if owner != self._owner for warning in self._recover(owner))
        except StoreError as error:
            return (f"lines of operators' files may be missing: {error}",)

    def close(self) -> None:
        """Forget what is written. What is not stays for the next process, with the mark that says how far this came."""
        if self._mark is None:
            return
        with suppress(StoreError):
            promises.forget_written(self._store, self._owner, self._written)
            if not promises.read_promises(self._store, self._owner):
                (self._folder / self._owner).unlink(missing_ok=True)
        self._mark.close()
        self._mark = None

    def _recover(self, owner: str) -> Iterator[str]:
        mark = self._folder / owner
        if _is_alive(owner, mark) or not self._open_mark():
            return
        left = _list_unwritten(promises.read_promises(self._store, owner), _read_place(mark))
        mine = [(self._make_promise(), one) for one in left]
        if promises.take_over(self._store, owner, mine):
            for promise, one in mine:
                yield from self.write(one.root, [AppendLine(path, line) for path, line in one.lines], promise)
        mark.unlink(missing_ok=True)

    def _make_promise(self) -> LinePromise:
        self._last += 1
        return LinePromise(self._owner, self._last, self._written)

    def _open_mark(self) -> bool:
        """Whether there is a mark: without one nothing could be told afterwards, and nothing is promised."""
        if self._mark is not None:
            return True
        own = identify_process(os.getpid())
        self._owner = f"{own.pid}.{own.started}.{os.urandom(4).hex()}"
        try:
            self._mark = ProgressMark(self._folder / self._owner, (0, ALL_LINES, 0))
        except OSError:
            return False
        return True


def _list_unwritten(found: Sequence[StoredPromise], place: MarkedPlace | None) -> list[StoredPromise]:
    """What is left of a dead process's promises. Without its mark, what its files do not show at their end."""
    left = []
    for one in found:
        if place is None:
            lines = tuple(line for line in one.lines if not _ends_with_line(line))
        elif one.number == place.number:
            rest = one.lines[place.line :]
            lines = rest[1:] if rest and _has_line(rest[0], place.size) else rest
        else:
            lines = one.lines if one.number > place.number else ()
        if lines:
            left.append(msgspec.structs.replace(one, lines=lines))
    return left


def _has_line(line: Line, size: int) -> bool:
    """Whether a line was appended to a file of this size; one that is shorter by now has been cut since."""
    path, text = line
    found = read_from(path, size, SEARCH_BYTES) or read_end(path, SEARCH_BYTES if _is_shorter(path, size) else 0)
    return format_line(text).encode("utf-8", "replace") in found.splitlines(keepends=True)


def _ends_with_line(line: Line) -> bool:
    return format_line(line[1]).encode("utf-8", "replace") in read_end(line[0], SEARCH_BYTES).splitlines(keepends=True)


def _is_shorter(path: str, size: int) -> bool:
    try:
        return Path(path).stat().st_size < size
    except OSError:
        return False


def _read_place(mark: Path) -> MarkedPlace | None:
    found = read_mark(mark)
    return MarkedPlace(*found) if found else None


def _is_alive(owner: str, mark: Path) -> bool:
    """Whether the process that made a promise lives: it holds its mark, or somebody has deleted that."""
    held = is_mark_held(mark)
    if held is not None:
        return held
    pid, _, rest = owner.partition(".")
    return ProcessIdentity(int(pid) if pid.isdigit() else 0, rest.rpartition(".")[0]).is_alive
