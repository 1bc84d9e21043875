"""The journal: every event, decision and trace, written in one transaction before the answer leaves."""

import time
from collections.abc import Iterable
from functools import lru_cache, partial
from typing import NamedTuple

import msgspec

from synaptic.model.call import Answer
from synaptic.model.decision import Decision, TraceStep
from synaptic.model.effect import Deliver
from synaptic.model.layers import Signal
from synaptic.model.text import to_utf8, to_utf8_deep
from synaptic.store import (
    basis,
    deliveries,
    follow_ups,
    grants,
    layer_effects,
    layers,
    promises,
    refused,
    state,
    stops,
    usage,
    witness,
    workspaces,
)
from synaptic.store.db import Connection, Row, Store
from synaptic.store.entries import find_entry, read_entries_after, read_last_entries
from synaptic.store.record import EventRecord, JournalDetail
from synaptic.store.redact import redact_bytes, redact_text
from synaptic.store.redact_parts import ensure_json, redact_json

__all__ = ["find_entry", "read_entries_after", "read_last_entries"]

PAYLOAD_LIMIT = 1024 * 1024
"""A longer payload is left out; `size` says how long it was."""
MAX_PLAIN_NAME = 20
"""Letters of a name; every token is longer."""
MAX_SECRET_ANSWERS = 256
CALL_BEGINS = b'"tool_name"'
"""In a payload: what stands before it is the same for all calls of a turn."""
CALL_NUMBER = b',"tool_use_id":'
"""In a payload: what stands behind it differs from call to call. Inside a text its quotes would be escaped."""
MAX_HEAD = 4096
"""Bytes before it that are worth being remembered."""
MAX_USUAL = 256
"""Bytes of a decision without its quiet names, and of its answer, that come again with every call that nobody minds."""

WAITING_EFFECTS = (Deliver, Signal)
"""Effects that may queue a text for a session."""
INSERT_EVENT = """
INSERT INTO events (call, at, agent, event, session, agent_id, tool, root, kind, micros, size, payload, decision,
                    stdout, stderr, exit, replay, basis)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (call) DO NOTHING
"""
"""A repeated call changes nothing: the row count says whether this one was new, and only then its effects count."""
INSERT_ANSWER = """
INSERT INTO answers (call, at, stdout, stderr, exit) VALUES (?, ?, ?, ?, ?) ON CONFLICT (call) DO NOTHING
"""
SELECT_ANSWER = """
SELECT stdout, stderr, exit FROM events WHERE call = ?1 AND replay = 1
UNION ALL SELECT stdout, stderr, exit FROM answers WHERE call = ?1 AND stdout IS NOT NULL
"""
"""Of the events only those whose answer was kept to the byte (`replay`); with a journal that keeps less, `answers`."""

TAKE_BACK_NUMBER = "UPDATE sqlite_sequence SET seq = seq - 1 WHERE name = 'events'"
"""SQLite counts up for a row that was there, too: without this, the journal would seem to miss an event."""
SELECT_KNOWN = "SELECT 1 FROM events WHERE call = ?1 UNION ALL SELECT 1 FROM answers WHERE call = ?1"

_encoder = msgspec.json.Encoder(enc_hook=repr)


class SecretAnswers(dict[str, Answer]):
    """Answers that hold a secret, by call: repeated from memory, never written."""


class _RecordParts(NamedTuple):
    """The four texts of a record that may hold a secret."""

    payload: bytes
    decision: bytes
    stdout: bytes
    stderr: bytes


class _Rows(NamedTuple):
    """A record and the rows that are written about it; with less to keep there is no event, or an answer beside it."""

    record: EventRecord
    event: Row | None
    answer: Row | None

    def as_written_only(self) -> "_Rows":
        """The same without what follows from it, where that has happened already."""
        return self._replace(record=msgspec.structs.replace(self.record, moves_state=False))


def append_records(store: Store, records: Iterable[EventRecord], keep: JournalDetail = "full") -> int:
    """Write many records as `claim_records` does; how many were new."""
    return sum(claim_records(store, records, keep))


def claim_records(store: Store, records: Iterable[EventRecord], keep: JournalDetail = "full") -> list[bool]:
    """Write many records in one transaction; for each whether it is the first of its call.

    A call that is there already was decided by somebody else: it is left as it is, and nothing follows from this one.
    """
    rows = [_make_rows(store, record, keep) for record in records]
    # Caches that these records make wrong are emptied before the write: who reads in between asks the database.
    for row in rows:
        effects = row.record.decision.effects
        if effects and any(isinstance(effect, WAITING_EFFECTS) for effect in effects):
            deliveries.expect_more(store)
        if row.record.event in workspaces.WORKSPACE_EVENTS:
            workspaces.forget_known(store)
    with witness.follow_calls(store):
        new = state.write_changes(
            store, lambda connection: [_insert_record(store, connection, row) for row in rows], follows=True
        )
    won = [row for row, is_new in zip(rows, new, strict=True) if is_new]
    store.recent.add(sum(map(_measure_rows, won)), partial(_repeat_records, store, won))
    for row in won:
        if row.record.basis:
            basis.note_kept(store, row.record.basis, row.record.at)
        if row.record.decision.effects:
            layers.follow_layer_effects(store, row.record.decision.effects)
    return new


def find_answer(store: Store, call: str) -> Answer | None:
    """Find the answer that a call got before, so that a repeated request gets the same one.

    None also for an answer that held a secret, once the process that gave it is gone: it is decided again.
    """
    row = store.read(lambda connection: connection.execute(SELECT_ANSWER, (call,)).fetchone())
    return Answer(*row) if row else store.cache(SecretAnswers).get(call)


def count_events(store: Store) -> int:
    """How many events the journal holds."""
    return store.read(lambda connection: int(connection.execute("SELECT count(*) FROM events").fetchone()[0]))


def _repeat_records(store: Store, rows: list[_Rows], connection: Connection, with_effects: bool) -> int:
    """Write records again that were answered and are not there; how many. Those that were pruned stay away."""
    found = connection.execute("SELECT value FROM journal_marks WHERE name = 'pruned'").fetchone()
    before = found[0] if found else 0.0
    return sum(
        _insert_record(store, connection, row if with_effects else row.as_written_only(), is_again=True)
        for row in rows
        if row.record.at > before
    )


def _measure_rows(rows: _Rows) -> int:
    """Bytes of the longest parts of what is written about a record."""
    record = rows.record
    return 1000 + len(record.payload or b"") + len(record.answer.stdout)


def _insert_record(store: Store, connection: Connection, row: _Rows, *, is_again: bool = False) -> bool:
    """One record and all that follows from it, in one transaction; False when the call was there before.

    False also when an exception that it rests on is not in force any more: then the call is in no table.
    """
    record = row.record
    if record.grants and not is_again and not _may_use_grants(store, connection, record):
        return False
    new, id = True, 0
    if row.event is not None:
        written = connection.execute(INSERT_EVENT, row.event)
        new, id = written.rowcount == 1, written.lastrowid or 0
        if not new:
            connection.execute(TAKE_BACK_NUMBER)
    if new and row.answer is not None:
        new = connection.execute(INSERT_ANSWER, row.answer).rowcount == 1
    if new and record.grants:
        grants.use_grants(connection, store, record.grants, (record.call, record.at))
    if new and record.basis and row.event is not None:
        basis.keep_texts(connection, store, record.basis, record.at)
    if new and row.record.moves_state:
        # Only for a new record: a repeated call must not deliver, count or queue anything twice.
        stops.record_stops(connection, row.record)
        workspaces.record_workspaces(connection, row.record)
        if id and record.session:
            witness.record_witness(connection, store, record, id)
        if row.record.delivered or row.record.decision.effects or row.record.decision.result is not None:
            deliveries.record_deliveries(connection, row.record)  # most events bring nothing about
            state.record_changes(connection, store, row.record)
            follow_ups.record_follow_ups(connection, row.record)
            layer_effects.record_layer_effects(connection, row.record)
            usage.record_usage(connection, row.record)
        if record.refused is not None:
            refused.record_refused(connection, store, record)
        if row.record.promise is not None:
            promises.record_promise(connection, row.record, is_kept=row.answer is None)
    return new


def _may_use_grants(store: Store, connection: Connection, record: EventRecord) -> bool:
    """Whether its exceptions still count; a call that is there already was decided by whoever wrote it."""
    if connection.execute(SELECT_KNOWN, (record.call,)).fetchone():
        return False
    return grants.are_in_force(connection, store, record.grants, (record.call, time.time()))


def _make_rows(store: Store, record: EventRecord, keep: JournalDetail) -> _Rows:
    given = record.answer
    parts = _RecordParts(
        _payload_bytes(record.payload, keep), _encode_decision(record, keep), given.stdout, given.stderr
    )
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


def _event_row(record: EventRecord, clean: _RecordParts, answer: Row) -> Row:
    names = (record.agent, record.event, record.session, record.agent_id, _redact_subject(record.tool), record.root)
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
        record.basis[0].id if record.basis else None,
    )


def _redact_subject(subject: str) -> str:
    """What an event is about: mostly the name of a tool, but also the text of an error."""
    is_name = len(subject) <= MAX_PLAIN_NAME and subject.isidentifier()
    return subject if is_name else redact_text(subject)


def _redact_parts(parts: _RecordParts, quiet: bytes) -> _RecordParts:
    """Take secrets out of all parts with one search, which is cheaper than four; no secret crosses a NUL.

    `quiet`, the names of policies that said nothing, is most of a decision's text and never a secret.
    """
    head, names, tail = parts.decision.partition(quiet) if quiet else (parts.decision, b"", b"")
    turn = _find_clean_head(parts.payload)
    said = b"\0".join((head, tail, parts.stdout, parts.stderr))
    if len(said) <= MAX_USUAL and _is_clean(said):
        asked = parts.payload[len(turn) :]
        clean = _redact_call(asked)
        return parts if clean is asked else parts._replace(payload=ensure_json(parts.payload, turn + clean))
    whole = b"\0".join((parts.payload[len(turn) :], said))
    clean = redact_bytes(whole)
    if clean is whole:
        return parts
    pieces = clean.split(b"\0")
    # A payload with NUL bytes of its own cannot be split again.
    if len(pieces) != len(parts) + 1:  # a part held a NUL itself
        return _RecordParts(*map(redact_json, parts))
    payload, head, tail, stdout, stderr = pieces
    return _RecordParts(
        ensure_json(parts.payload, turn + payload), ensure_json(parts.decision, head + names + tail), stdout, stderr
    )


def _redact_call(asked: bytes) -> bytes:
    """Take secrets out of what a call is about; the same command again, under a new number, was looked at before."""
    end = asked.rfind(CALL_NUMBER)
    if not 0 < end <= MAX_HEAD or not _is_clean(asked[:end]):
        return redact_bytes(asked)
    number = asked[end:]
    clean = redact_bytes(number)
    return asked if clean is number else asked[:end] + clean


def _find_clean_head(payload: bytes) -> bytes:
    """The beginning of a payload that was looked at with an earlier call and holds no secret."""
    end = payload.find(CALL_BEGINS, 0, MAX_HEAD)
    head = payload[:end] if end > 0 else b""
    return head if head and _is_clean(head) else b""


@lru_cache(maxsize=128)
def _is_clean(head: bytes) -> bool:
    return redact_bytes(head) is head


def _quiet_names(decision: Decision) -> bytes:
    first = decision.trace[0] if decision.trace else None
    return first.note.encode() if first is not None and first.phase == "quiet" and first.note.isascii() else b""


def _remember_answer(store: Store, record: EventRecord) -> None:
    """Keep an answer with a secret in memory only, for as long as this process lives; the oldest go first."""
    known = store.cache(SecretAnswers)
    while len(known) >= MAX_SECRET_ANSWERS:
        del known[next(iter(known))]
    known.setdefault(record.call, record.answer)


def _payload_bytes(payload: bytes | str | None, keep: JournalDetail) -> bytes:
    if payload is None or keep != "full" or len(payload) > PAYLOAD_LIMIT:
        return b""
    return payload if isinstance(payload, bytes) else payload.encode("utf-8", "replace")


def _payload_size(payload: bytes | str | None) -> int:
    if isinstance(payload, str):
        return len(payload.encode("utf-8", "replace"))
    return len(payload or b"")


def _encode_decision(record: EventRecord, keep: JournalDetail) -> bytes:
    if keep == "off":
        return b"{}"
    decision = record.decision if keep == "full" else _without_texts(record.decision)
    if decision.refused:  # kept by its handle, in a table of its own
        decision = msgspec.structs.replace(decision, refused=())
    try:
        return _encoder.encode(decision)
    except (UnicodeEncodeError, TypeError):  # a foreign hook's text or value that no JSON can hold
        return _encoder.encode(to_utf8_deep(msgspec.to_builtins(decision, enc_hook=repr, str_keys=True)))


def _without_texts(decision: Decision) -> Decision:
    """Kinds, names, sizes and durations; no text that could quote the user's work."""
    return Decision(
        kind=decision.kind,
        by=decision.by,
        reason=_describe_length(decision.reason),
        allowed=decision.allowed,
        context=tuple(map(_describe_length, decision.context)),
        messages=tuple(map(_describe_length, decision.messages)),
        feedback=tuple(map(_describe_length, decision.feedback)),
        warnings=tuple(map(_describe_length, decision.warnings)),
        trace=tuple(map(drop_step_texts, decision.trace)),
        code=decision.code,
        grants=decision.grants,
    )


def drop_step_texts(step: TraceStep) -> TraceStep:
    """A step as it is kept where no contents are."""
    if step.phase == "quiet":
        return step  # names of policies, nothing of the user's
    texts = {name: _describe_length(getattr(step, name)) for name in ("reason", "note", "stderr")}
    return msgspec.structs.replace(step, **texts)


def _describe_length(text: str) -> str:
    return f"[{len(text)} characters]" if text else ""
