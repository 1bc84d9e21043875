"""Write the layer effects of a decision (sessions, agents, metadata) in the transaction of their event."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from synaptic.model.layers import (
    LAYER_EFFECTS,
    Beat,
    BeginEffort,
    Discovered,
    EndSession,
    ForgetSkill,
    Ingest,
    LayerEffect,
    Loaded,
    Metadata,
    Note,
    OpenSession,
    Restart,
    SetStatus,
    Signal,
)
from synaptic.store.db import Connection
from synaptic.store.record import EventRecord
from synaptic.store.redact import redact_text

LAYER_EFFECT_CLASSES = LAYER_EFFECTS
LIST_LIMIT = 2000
"""Files, folders and directives that are remembered of one session or effort; the newest stay."""

INSERT_SESSION = """
INSERT INTO sessions (effort_id, task_id, prev_session_id, host_session, fleet_agent, subagent, model, transcript_path,
                      created_at)
SELECT id, task_id, ?, ?, ?, ?, ?, ?, ? FROM efforts WHERE id = ? AND lifecycle = 'active'
"""
"""Selected from the effort: one that has finished since the event was decided gets no session, and no error."""
MARK_HANDED_OVER = """
UPDATE sessions SET handed_over_at = ? WHERE id = ? AND dehydration_payload IS NOT NULL AND handed_over_at IS NULL
"""
END_SESSION = "UPDATE sessions SET ended_at = ? WHERE id = ? AND ended_at IS NULL"
SILENT_SECONDS = 24 * 3600.0
"""A window that was not heard of for so long ends when another one of its effort opens: a killed one says nothing."""
SELECT_REPLACED = """
SELECT id FROM sessions WHERE effort_id = ?1 AND subagent = '' AND (id = ?5 AND ended_at IS NOT NULL
    OR ended_at IS NULL AND (
        ?2 != '' AND host_session = ?2 OR ?3 != '' AND fleet_agent = ?3 OR host_session = '' AND fleet_agent = ''
        OR fleet_agent = '' AND coalesce(last_heartbeat, created_at) < ?4))
"""
"""What ends with a new window: the same window again, the last one of the same agent, and those that are nobody's.
Another window goes on. The one that it follows is among them when it has ended: its sub-agents may still be open."""
SELECT_SUBAGENTS = """
SELECT s.id, s.host_session FROM sessions m JOIN sessions s ON s.effort_id = m.effort_id AND s.ended_at IS NULL
WHERE m.id = ? AND m.subagent = '' AND m.host_session != '' AND s.host_session = m.host_session AND s.subagent != ''
"""
"""A sub-agent runs in its parent's window; a window without an id cannot be told apart from others and ends nobody."""
SELECT_OF_WINDOW = """
SELECT s.id FROM sessions m JOIN sessions s ON s.host_session = m.host_session AND s.ended_at IS NULL
WHERE m.id = ? AND m.host_session != '' AND s.subagent = ''
"""
UPDATE_HEARTBEAT = """
UPDATE sessions SET heartbeat_counter = CASE WHEN ? THEN 0 ELSE heartbeat_counter + ? END, last_heartbeat = ?,
    last_edited = ?, context_usage = coalesce(?, context_usage), transcript_offset = coalesce(?, transcript_offset)
WHERE id = ? AND ended_at IS NULL
"""
"""Added in SQL, not in Python: two calls at once are two beats."""
CLAIM_SESSION = "UPDATE sessions SET host_session = ? WHERE id = ? AND host_session = '' AND ended_at IS NULL"
UPSERT_STATUS = """
INSERT INTO agents (id, label, kind, status, named, host_session, project_id, effort_id, note, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, (SELECT id FROM projects WHERE path = ?7), ?8, ?9, ?10)
ON CONFLICT (id) DO UPDATE SET status = excluded.status, note = excluded.note, updated_at = excluded.updated_at,
    label = CASE excluded.label WHEN '' THEN label ELSE excluded.label END,
    kind = CASE excluded.kind WHEN '' THEN kind ELSE excluded.kind END,
    named = max(named, excluded.named),
    host_session = CASE excluded.host_session WHEN '' THEN host_session ELSE excluded.host_session END,
    project_id = coalesce(excluded.project_id, project_id), effort_id = coalesce(excluded.effort_id, effort_id)
"""
"""An event knows little about its agent: what it leaves empty stays as it was registered."""
SELECT_ACTIVE = "SELECT 1 FROM efforts WHERE id = ? AND lifecycle = 'active'"
INSERT_PROJECT = "INSERT INTO projects (path, name, created_at) VALUES (?, ?, ?) ON CONFLICT (path) DO NOTHING"
INSERT_NOTE = "INSERT INTO messages (session_id, role, content, tool_name, timestamp) VALUES (?, ?, ?, ?, ?)"
ASK_RESTART = "UPDATE agents SET restart_prompt = ?, restart_at = ?, updated_at = ? WHERE id = ?"
COUNT_SIGNAL = "UPDATE agents SET signals = signals + 1, updated_at = ? WHERE id = ?"
INSERT_SIGNAL_TEXT = """
INSERT INTO deliveries (call, hook, session, agent_id, text, at)
SELECT ?, ?, host_session, '', ?, ? FROM agents WHERE id = ? AND host_session != '' ON CONFLICT (call, hook) DO NOTHING
"""
FORWARD_SIGNALS = """
UPDATE deliveries SET session = ?1 WHERE agent_id = '' AND delivered = '' AND hook = 'signal:' || ?2
  AND session = (SELECT host_session FROM agents WHERE id = ?2 AND host_session NOT IN ('', ?1))
"""
"""Signals that an agent was not told in its last window are delivered in its next one."""


class EffectCause(msgspec.Struct, frozen=True, kw_only=True):
    """The event that the changes belong to."""

    at: float
    call: str = ""
    host: str = ""


class AppliedEffects(msgspec.Struct, frozen=True):
    """What the database assigned: the id of a session that was opened."""

    session: int | None = None


def record_layer_effects(connection: Connection, record: EventRecord) -> None:
    """In the transaction of the event: every change of the layers that its decision carries."""
    effects = tuple(effect for effect in record.decision.effects if isinstance(effect, LAYER_EFFECT_CLASSES))
    if effects:
        apply_layer_effects(connection, effects, EffectCause(at=record.at, call=record.call, host=record.session))


def apply_layer_effects(connection: Connection, effects: Iterable[LayerEffect], cause: EffectCause) -> AppliedEffects:
    """Write all effects in order."""
    opened: int | None = None
    for effect in effects:
        if isinstance(effect, OpenSession):
            opened = _open_session(connection, effect, cause) or opened
        else:
            EFFECT_WRITERS[type(effect)](connection, effect, cause)
    return AppliedEffects(opened)


def _open_session(connection: Connection, opening: OpenSession, cause: EffectCause) -> int | None:
    who = (opening.host, opening.agent, opening.subagent, opening.model, opening.transcript)
    replaced = _find_replaced(connection, opening, cause.at)
    values = (max(replaced, default=opening.follows), *map(replace_surrogates, who), cause.at, opening.effort)
    cursor = connection.execute(INSERT_SESSION, values)
    if cursor.rowcount != 1:
        return None  # the effort is gone or finished: nothing ends for the sake of a window that does not open
    for session in replaced:
        connection.execute(END_SESSION, (cause.at, session))
        _end_subagents(connection, session, cause, opening.host)
    if opening.follows is not None:
        connection.execute(MARK_HANDED_OVER, (cause.at, opening.follows))
    return cursor.lastrowid


def _find_replaced(connection: Connection, opening: OpenSession, at: float) -> list[int]:
    """Find the sessions that a new one replaces, newest first: others may have opened since it was looked up."""
    if opening.subagent or opening.follows is None:
        return []
    who = (replace_surrogates(opening.host), replace_surrogates(opening.agent))
    values = (opening.effort, *who, at - SILENT_SECONDS, opening.follows)
    return sorted((number for (number,) in connection.execute(SELECT_REPLACED, values)), reverse=True)


def _end_session(connection: Connection, end: EndSession, cause: EffectCause) -> None:
    if connection.execute(END_SESSION, (cause.at, end.session)).rowcount != 1:
        return
    if end.merge_loaded:
        sql = "SELECT effort_id, loaded_files FROM sessions WHERE id = ?"
        effort, files = connection.execute(sql, (end.session,)).fetchone()
        _extend_list(connection, ("efforts", "loaded_files", effort), decode_stored(files))
    _end_subagents(connection, end.session, cause)
    if end.whole_window:
        for (number,) in connection.execute(SELECT_OF_WINDOW, (end.session,)).fetchall():
            _end_session(connection, EndSession(session=number, merge_loaded=end.merge_loaded), cause)


def _end_subagents(connection: Connection, main: int, cause: EffectCause, next_host: str = "") -> None:
    """End the sub-agents of an ended window: interrupted ones send no SubagentStop. Those of `next_host` go on."""
    for number, host in connection.execute(SELECT_SUBAGENTS, (main,)).fetchall():
        if host != replace_surrogates(next_host):
            _end_session(connection, EndSession(session=number, merge_loaded=True), cause)


def _begin_effort(connection: Connection, begun: BeginEffort, cause: EffectCause) -> None:
    from synaptic.store import efforts  # noqa: PLC0415  it is built on this file, and a skill starts once in a while

    efforts.begin_skill(connection, begun, cause.at)


def _write_beat(connection: Connection, beat: Beat, cause: EffectCause) -> None:
    values = (beat.reset, beat.add, cause.at, replace_surrogates(beat.edited), beat.usage, beat.offset, beat.session)
    connection.execute(UPDATE_HEARTBEAT, values)
    if beat.claim and cause.host:
        connection.execute(CLAIM_SESSION, (replace_surrogates(cause.host), beat.session))


def _add_loaded(connection: Connection, loaded: Loaded, cause: EffectCause) -> None:
    _extend_list(connection, ("sessions", "loaded_files", loaded.session), list(loaded.files))


def _insert_note(connection: Connection, note: Note, cause: EffectCause) -> None:
    # Outside of the journal's own redaction: messages are stored as columns of their own.
    content = redact_text(replace_surrogates(note.content))
    if connection.execute("SELECT 1 FROM sessions WHERE id = ?", (note.session,)).fetchone():
        connection.execute(
            INSERT_NOTE, (note.session, note.role, content, replace_surrogates(note.tool) or None, cause.at)
        )


def _ingest_transcript(connection: Connection, ingest: Ingest, cause: EffectCause) -> None:
    from synaptic.store import messages  # noqa: PLC0415  it is built on this file, and is needed once a turn

    messages.ingest_news(connection, ingest.news)


def _upsert_status(connection: Connection, status: SetStatus, cause: EffectCause) -> None:
    root = replace_surrogates(status.project)
    if root:
        connection.execute(INSERT_PROJECT, (root, root.rpartition("/")[2], cause.at))
    # An effort that finished while the call was being decided must not be bound again.
    known = connection.execute(SELECT_ACTIVE, (status.effort,)).fetchone()
    who = (
        replace_surrogates(status.agent),
        replace_surrogates(status.label),
        status.kind,
        status.status,
        int(status.named),
        replace_surrogates(status.host),
    )
    where = (root, status.effort if known else None, redact_text(replace_surrogates(status.note)), cause.at)
    # Before STATUS overwrites host_session: FORWARD finds the undelivered signals by the old one.
    if status.named and status.host:
        # Before STATUS, which overwrites the window that waiting deliveries were addressed to.
        connection.execute(FORWARD_SIGNALS, (replace_surrogates(status.host), replace_surrogates(status.agent)))
    connection.execute(UPSERT_STATUS, (*who, *where))


def _update_metadata(connection: Connection, change: Metadata, cause: EffectCause) -> None:
    write_metadata(connection, change)  # an event has nobody to tell that it is damaged


def write_metadata(connection: Connection, change: Metadata) -> bool:
    """Metadata of an effort, changed; False for one that is not there or damaged, which is nobody's to overwrite."""
    row = connection.execute("SELECT metadata FROM efforts WHERE id = ?", (change.effort,)).fetchone()
    before = decode_stored(row[0], kind=dict) if row else None
    if row is None or (row[0] is not None and before is None):
        return False
    after = redact_text(
        replace_surrogates(msgspec.json.encode(revise_metadata(before or {}, change), enc_hook=repr).decode())
    )
    connection.execute("UPDATE efforts SET metadata = ? WHERE id = ?", (after, change.effort))
    return True


def revise_metadata(before: Mapping[str, object], change: Metadata) -> dict[str, object]:
    """Apply a change to metadata: drop keys, take items off lists, put values."""
    after = {key: value for key, value in before.items() if key not in change.drop}
    for key, count in change.take.items():
        items = after.get(key)
        if isinstance(items, list):
            after[key] = items[count:]
            if not after[key]:
                del after[key]
    return {**after, **change.put}


def _add_discovered(connection: Connection, found: Discovered, cause: EffectCause) -> None:
    _extend_list(connection, ("efforts", "discovered_directives", found.effort), list(found.directives))
    _extend_list(connection, ("efforts", "discovered_directories", found.effort), list(found.directories))


def _ask_restart(connection: Connection, restart: Restart, cause: EffectCause) -> None:
    connection.execute(
        ASK_RESTART, (replace_surrogates(restart.prompt), cause.at, cause.at, replace_surrogates(restart.agent))
    )


def _send_signal(connection: Connection, signal: Signal, cause: EffectCause) -> None:
    coordinator = replace_surrogates(signal.agent)
    connection.execute(COUNT_SIGNAL, (cause.at, coordinator))
    # Deliveries are unique by (call, hook); outside of an event the time stands for the call.
    call = cause.call or f"signal:{coordinator}:{cause.at}"  # deliveries are told apart by call and hook
    told = redact_text(replace_surrogates(signal.text))
    connection.execute(INSERT_SIGNAL_TEXT, (call, f"signal:{coordinator}", told, cause.at, coordinator))


def _forget_skill(connection: Connection, forget: ForgetSkill, cause: EffectCause) -> None:
    connection.execute("DELETE FROM skills WHERE path = ?", (replace_surrogates(forget.path),))


EFFECT_WRITERS: Mapping[type, Callable[[Connection, Any, EffectCause], None]] = {
    BeginEffort: _begin_effort,
    Ingest: _ingest_transcript,
    EndSession: _end_session,
    Beat: _write_beat,
    Loaded: _add_loaded,
    Note: _insert_note,
    SetStatus: _upsert_status,
    Metadata: _update_metadata,
    Discovered: _add_discovered,
    Restart: _ask_restart,
    Signal: _send_signal,
    ForgetSkill: _forget_skill,
}


def _extend_list(connection: Connection, place: tuple[str, str, int], more: list[Any] | None) -> None:
    """Append the items that are missing to a stored list of texts."""
    table, column, number = place
    if not more:
        return
    row = connection.execute(f"SELECT {column} FROM {table} WHERE id = ?", (number,)).fetchone()
    if row is None:
        return
    before = decode_stored(row[0]) or []
    after = list(dict.fromkeys([*before, *(redact_text(str(item)) for item in more)]))[-LIST_LIMIT:]
    if after != before:
        encoded = msgspec.json.encode(after).decode()
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE id = ?", (encoded, number))


def decode_stored(stored: object, kind: Any = list) -> Any:
    """Decode a stored list or object; None when it is missing or damaged."""
    try:
        return msgspec.json.decode(stored, type=kind) if isinstance(stored, str | bytes) else None
    except msgspec.DecodeError:
        return None


def replace_surrogates(value: str) -> str:
    """Replace lone surrogates, which UTF-8 and SQLite cannot store."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()
