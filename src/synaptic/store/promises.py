"""Lines of operators' files that calls have promised: remembered with the call, forgotten when they are written.

A promise is written in the transaction of its call. Its owner, one process, forgets it with a later promise: what it
has written by then stands in a mark of its own (`engine.recovery`), so one that is still here may be kept already.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec

from synaptic.model.decision import Decision
from synaptic.model.effect import AppendLine
from synaptic.model.text import to_utf8
from synaptic.store.db import Connection, Store
from synaptic.store.record import EventRecord, LinePromise
from synaptic.store.redact import redact_text

FORGET_EVERY = 32
"""Promises between two looks at what is written: a row that stays a little longer costs nothing."""
INSERT_PROMISE = "INSERT INTO promises (owner, number, call, root, lines) VALUES (?, ?, ?, ?, ?)"
DELETE_WRITTEN = "DELETE FROM promises WHERE owner = ? AND number <= ?"
SELECT_PROMISES = """
SELECT number, promises.call, promises.root, lines, decision FROM promises
LEFT JOIN events ON events.call = promises.call WHERE owner = ? ORDER BY number
"""

Line = tuple[str, str]
"""A file and the text that is appended to it."""


class StoredPromise(msgspec.Struct, frozen=True):
    """A promise as it is remembered, with secrets taken out."""

    number: int
    call: str
    root: str
    lines: tuple[Line, ...]


_encoder = msgspec.json.Encoder()
_lines_decoder = msgspec.json.Decoder(tuple[Line, ...])
_decision_decoder = msgspec.json.Decoder(Decision)


def record_promise(connection: Connection, record: EventRecord, *, is_kept: bool) -> None:
    """In the transaction of the event. `is_kept`: whether its journal entry holds the lines."""
    promise = record.promise
    if promise is None:
        return
    lines = None if is_kept else _encode_lines(list_lines(record.decision))
    connection.execute(INSERT_PROMISE, (promise.owner, promise.number, record.call, to_utf8(record.root), lines))
    if promise.written and promise.number % FORGET_EVERY == 0:
        connection.execute(DELETE_WRITTEN, (promise.owner, promise.written))


def list_lines(decision: Decision) -> tuple[Line, ...]:
    """The lines that a decision appends, in their order."""
    return tuple((effect.path, effect.line) for effect in decision.effects if isinstance(effect, AppendLine))


def list_owners(store: Store) -> tuple[str, ...]:
    """Processes, living or not, that have promised something."""
    rows = store.read(lambda connection: connection.execute("SELECT DISTINCT owner FROM promises").fetchall())
    return tuple(str(owner) for (owner,) in rows)


def read_promises(store: Store, owner: str) -> tuple[StoredPromise, ...]:
    """What a process has promised, oldest first; with no lines where the call is no longer known."""
    rows = store.read(lambda connection: connection.execute(SELECT_PROMISES, (owner,)).fetchall())
    return tuple(
        StoredPromise(number, call, root, _decode_lines(lines, decision))
        for number, call, root, lines, decision in rows
    )


def take_over(store: Store, owner: str, kept: Sequence[tuple[LinePromise, StoredPromise]]) -> bool:
    """Make promises of a dead process those of a living one; False when another process was faster."""

    def work(connection: Connection) -> bool:
        if connection.execute("DELETE FROM promises WHERE owner = ?", (owner,)).rowcount == 0:
            return False
        connection.executemany(INSERT_PROMISE, (_make_row(new, old) for new, old in kept))
        return True

    return store.write(work, follows=True)


def forget_written(store: Store, owner: str, number: int) -> None:
    """Forget what a process has written, up to one of its promises."""
    store.write(lambda connection: connection.execute(DELETE_WRITTEN, (owner, number)), follows=True)


def _make_row(new: LinePromise, old: StoredPromise) -> tuple[object, ...]:
    return new.owner, new.number, old.call, old.root, _encode_lines(old.lines)


def _encode_lines(lines: Iterable[Line]) -> bytes:
    return _encoder.encode([(to_utf8(path), redact_text(to_utf8(line))) for path, line in lines])


def _decode_lines(lines: bytes | None, decision: bytes | str | None) -> tuple[Line, ...]:
    """The lines of a promise; none where the bytes were changed on disk: nobody can say any more what they were."""
    with suppress(msgspec.DecodeError, UnicodeDecodeError):
        if lines is not None:
            return _lines_decoder.decode(lines)
        if decision is not None:
            return list_lines(_decision_decoder.decode(decision))
    return ()
