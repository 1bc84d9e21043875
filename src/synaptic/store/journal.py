"""The journal: every event, decision and trace, written in one transaction before the answer leaves."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from synaptic.model.call import Answer
from synaptic.model.decision import Decision, Step
from synaptic.model.effect import Deliver
from synaptic.model.layers import Signal
from synaptic.model.text import to_utf8, to_utf8_deep
from synaptic.store import deliveries, follow_ups, layer_effects, layers, state, stops, usage, workspaces
from synaptic.store.db import Connection, Row, Store
from synaptic.store.record import Entry, Keep, Record
from synaptic.store.redact import redact

PAYLOAD_LIMIT = 1024 * 1024
"""A longer payload is left out; `size` says how long it was."""
SECRET_ANSWERS = 256
FILTERS = frozenset({"agent", "event", "session", "agent_id", "tool", "root", "kind"})

WAITING = (Deliver, Signal)
"""Effects that may queue a text for a session."""
COLUMNS = "id, call, at, agent, event, session, agent_id, tool, root, micros, size, payload, decision"
SELECT = f"SELECT {COLUMNS}, stdout, stderr, exit FROM events"
INSERT = """
INSERT INTO events (call, at, agent, event, session, agent_id, tool, root, kind, micros, size, payload, decision,
                    stdout, stderr, exit, replay)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (call) DO NOTHING
"""
"""A repeated call changes nothing: the row count says whether this one was new, and only then its effects count."""
INSERT_ANSWER = """
INSERT INTO answers (call, at, stdout, stderr, exit) VALUES (?, ?, ?, ?, ?) ON CONFLICT (call) DO NOTHING
"""
ANSWER = """
SELECT stdout, stderr, exit FROM events WHERE call = ?1 AND replay = 1
UNION ALL SELECT stdout, stderr, exit FROM answers WHERE call = ?1 AND stdout IS NOT NULL
"""
"""Of the events only those whose answer was kept to the byte (`replay`); with a journal that keeps less, `answers`."""

_encoder = msgspec.json.Encoder(enc_hook=repr)
_decoder = msgspec.json.Decoder(Decision)


class SecretAnswers(dict[str, Answer]):
    """Answers that hold a secret, by call: repeated from memory, never written."""


class _Parts(NamedTuple):
    """The four texts of a record that may hold a secret."""

    payload: bytes
    decision: bytes
    stdout: bytes
    stderr: bytes


class _Rows(NamedTuple):
    """A record and the rows that are written about it; with less to keep there is no event, or an answer beside it."""

    record: Record
    event: Row | None
    answer: Row | None


def append(store: Store, records: Iterable[Record], keep: Keep = "full") -> int:
    """Write many records in one transaction; how many were new. A call that is there already is left as it is."""
    rows = [_make_rows(store, record, keep) for record in records]
    # Caches that these records make wrong are emptied before the write: who reads in between asks the database.
    if any(isinstance(effect, WAITING) for row in rows for effect in row.record.decision.effects):
        deliveries.expect_more(store)
    if any(row.record.event in workspaces.EVENTS for row in rows):
        workspaces.forget_known(store)
    new = store.write(lambda connection: _insert_all(store, connection, rows), follows=True)
    for record in new:
        if record.decision.effects:
            layers.follow(store, record.decision.effects)
    return len(new)


def answer(store: Store, call: str) -> Answer | None:
    """Find the answer that a call got before, so that a repeated request gets the same one.

    None also for an answer that held a secret, once the process that gave it is gone: it is decided again.
    """
    row = store.read(lambda connection: connection.execute(ANSWER, (call,)).fetchone())
    return Answer(*row) if row else store.cache(SecretAnswers).get(call)


def get(store: Store, key: int | str) -> Entry | None:
    """One event, by its number or by its call."""
    column = "id" if isinstance(key, int) else "call"
    return next(_entries(store, f"{SELECT} WHERE {column} = ?", (key,)), None)


def last(store: Store, n: int = 1, **filters: str) -> tuple[Entry, ...]:
    """The newest events, newest first; filters are columns and what they must equal."""
    if unknown := filters.keys() - FILTERS:
        raise TypeError(f"no such filter: {', '.join(sorted(unknown))} (known: {', '.join(sorted(FILTERS))})")
    where = " AND ".join(f"{name} = ?" for name in filters) or "1"
    return tuple(_entries(store, f"{SELECT} WHERE {where} ORDER BY id DESC LIMIT ?", (*filters.values(), n)))


def after(store: Store, id: int, limit: int = 100) -> tuple[Entry, ...]:
    """The events that came after one, oldest first."""
    return tuple(_entries(store, f"{SELECT} WHERE id > ? ORDER BY id LIMIT ?", (id, limit)))


def count(store: Store) -> int:
    """How many events the journal holds."""
    return store.read(lambda connection: int(connection.execute("SELECT count(*) FROM events").fetchone()[0]))


def _insert_all(store: Store, connection: Connection, rows: Iterable[_Rows]) -> list[Record]:
    return [row.record for row in rows if _insert(store, connection, row)]


def _insert(store: Store, connection: Connection, row: _Rows) -> bool:
    """One record and all that follows from it, in one transaction; False when the call was there before."""
    new = True
    if row.event is not None:
        new = connection.execute(INSERT, row.event).rowcount == 1
    if new and row.answer is not None:
        new = connection.execute(INSERT_ANSWER, row.answer).rowcount == 1
    if new:
        # Only for a new record: a repeated call must not deliver, count or queue anything twice.
        deliveries.settle(connection, row.record)
        stops.settle(connection, row.record)
        workspaces.settle(connection, row.record)
        state.settle(connection, store, row.record)
        follow_ups.settle(connection, row.record)
        layer_effects.settle(connection, row.record)
        usage.settle(connection, row.record)
    return new


def _make_rows(store: Store, record: Record, keep: Keep) -> _Rows:
    given = record.answer
    parts = _Parts(_payload_bytes(record.payload, keep), _encode_decision(record, keep), given.stdout, given.stderr)
    clean = _redact_parts(parts, _quiet_names(record.decision))
    # An answer that held a secret is not on disk as it was given, so a repeated call cannot be answered from there.
    replay = (clean.stdout, clean.stderr) == (given.stdout, given.stderr)
    if not replay:
        _remember_answer(store, record)
    if keep == "full":
        return _Rows(record, _event_row(record, clean, (clean.stdout, clean.stderr, given.exit, int(replay))), None)
    kept = (clean.stdout, clean.stderr) if replay else (None, None)
    event = None if keep == "off" else _event_row(record, clean, (None, None, given.exit, 0))
    return _Rows(record, event, (record.call, record.at, *kept, given.exit))


def _event_row(record: Record, clean: _Parts, answer: Row) -> Row:
    names = (record.agent, record.event, record.session, record.agent_id, record.tool, record.root)
    payload = clean.payload.decode("utf-8", "replace") if clean.payload else None
    return (
        record.call,
        record.at,
        *(name if name.isascii() else to_utf8(name) for name in names),
        record.decision.kind.value,
        record.micros,
        _payload_size(record.payload),
        payload,
        clean.decision.decode("utf-8", "replace"),
        *answer,
    )


def _redact_parts(parts: _Parts, quiet: bytes) -> _Parts:
    """Take secrets out of all parts with one search, which is cheaper than four; no secret crosses a NUL.

    `quiet`, the names of policies that said nothing, is most of a decision's text and never a secret.
    """
    head, names, tail = parts.decision.partition(quiet) if quiet else (parts.decision, b"", b"")
    whole = b"\0".join((parts.payload, head, tail, parts.stdout, parts.stderr))
    clean = redact(whole)
    if clean is whole:
        return parts
    pieces = clean.split(b"\0")
    # A payload with NUL bytes of its own cannot be split again.
    if len(pieces) != len(parts) + 1:  # a part held a NUL itself
        return _Parts(*map(redact, parts))
    payload, head, tail, stdout, stderr = pieces
    return _Parts(payload, head + names + tail, stdout, stderr)


def _quiet_names(decision: Decision) -> bytes:
    first = decision.trace[0] if decision.trace else None
    return first.note.encode() if first is not None and first.phase == "quiet" and first.note.isascii() else b""


def _remember_answer(store: Store, record: Record) -> None:
    """Keep an answer with a secret in memory only, for as long as this process lives; the oldest go first."""
    known = store.cache(SecretAnswers)
    while len(known) >= SECRET_ANSWERS:
        del known[next(iter(known))]
    known.setdefault(record.call, record.answer)


def _payload_bytes(payload: bytes | str | None, keep: Keep) -> bytes:
    if payload is None or keep != "full" or len(payload) > PAYLOAD_LIMIT:
        return b""
    return payload if isinstance(payload, bytes) else payload.encode("utf-8", "replace")


def _payload_size(payload: bytes | str | None) -> int:
    if isinstance(payload, str):
        return len(payload.encode("utf-8", "replace"))
    return len(payload or b"")


def _encode_decision(record: Record, keep: Keep) -> bytes:
    if keep == "off":
        return b"{}"
    decision = record.decision if keep == "full" else _without_texts(record.decision)
    try:
        return _encoder.encode(decision)
    except (UnicodeEncodeError, TypeError):  # a foreign hook's text or value that no JSON can hold
        return _encoder.encode(to_utf8_deep(msgspec.to_builtins(decision, enc_hook=repr, str_keys=True)))


def _without_texts(decision: Decision) -> Decision:
    """Kinds, names, sizes and durations; no text that could quote the user's work."""
    return Decision(
        kind=decision.kind,
        by=decision.by,
        reason=_length(decision.reason),
        allowed=decision.allowed,
        context=tuple(map(_length, decision.context)),
        messages=tuple(map(_length, decision.messages)),
        feedback=tuple(map(_length, decision.feedback)),
        warnings=tuple(map(_length, decision.warnings)),
        trace=tuple(map(_step_without_texts, decision.trace)),
    )


def _step_without_texts(step: Step) -> Step:
    if step.phase == "quiet":
        return step  # names of policies, nothing of the user's
    return msgspec.structs.replace(step, reason=_length(step.reason), note=_length(step.note))


def _length(text: str) -> str:
    return f"[{len(text)} characters]" if text else ""


def _entries(store: Store, sql: str, values: Row) -> Iterator[Entry]:
    rows = store.read(lambda connection: connection.execute(sql, values).fetchall())
    return map(_entry_of, rows)


def _entry_of(row: tuple[Any, ...]) -> Entry:
    *known, decision, stdout, stderr, exit = row
    names = COLUMNS.split(", ")
    answer = None if stdout is None else Answer(stdout, stderr, exit)
    return Entry(**dict(zip(names, known, strict=False)), decision=_decoder.decode(decision), answer=answer)
