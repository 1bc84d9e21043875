"""Context windows (sessions) of efforts: enter, finish with a hand-over, and list them."""

from collections.abc import Iterable

import msgspec

from synaptic.model.errors import LayerError
from synaptic.model.layers import OpenSession, Session, SetStatus, Status
from synaptic.store import layer_effects, layers
from synaptic.store.db import Connection, Store
from synaptic.store.layer_effects import EffectCause, replace_surrogates
from synaptic.store.redact import redact_text

SELECT_OWN = """
SELECT id, host_session FROM sessions WHERE effort_id = ?1 AND subagent = '' AND ended_at IS NULL AND (
    ?3 != '' AND host_session = ?3 OR ?3 = '' AND ?2 != '' AND fleet_agent = ?2
    OR ?4 AND (?2 = '' AND ?3 = '' OR host_session = '' AND fleet_agent IN (?2, '')))
ORDER BY (host_session = ?3) DESC, (?2 != '' AND fleet_agent = ?2) DESC, id DESC LIMIT 1
"""
"""The worker's own window: by its id, or by the agent's name where it does not tell one. With ?4 also one that nobody
has claimed; for a person (no agent, no host) anybody's."""
SELECT_PREVIOUS = """
SELECT id, dehydration_payload, handed_over_at FROM sessions
WHERE effort_id = ?1 AND subagent = '' AND (
    ?2 = '' AND ?3 = '' OR fleet_agent IN (?2, '') OR fleet_agent NOT IN (SELECT id FROM agents WHERE named = 1))
ORDER BY (?2 != '' AND fleet_agent = ?2) DESC, (?3 != '' AND host_session = ?3) DESC,
    (dehydration_payload IS NOT NULL AND handed_over_at IS NULL) DESC, id DESC LIMIT 1
"""
"""This agent's last window, else one of an unnamed or unknown agent; for a person (no agent, no host) anybody's. One
whose hand-over waits comes before those that run beside it."""
CLAIM_WINDOW = """
UPDATE sessions SET host_session = ?, fleet_agent = CASE fleet_agent WHEN '' THEN ? ELSE fleet_agent END WHERE id = ?
"""
FINISH_WINDOW = "UPDATE sessions SET dehydration_payload = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL"


class WorkerIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Identity of a worker: a named agent, one known only by its window, or a person at a terminal."""

    agent: str = ""
    """AGENT_ID."""
    host: str = ""
    """The agent's own id of its window."""
    kind: str = ""
    """claude, codex, ...; empty for a person."""


class ContextWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The window that a worker has entered."""

    session: int
    previous: int | None = None
    opened: bool = True
    payload: str | None = None
    """Hand-over text of the window before; given out once."""


def enter_window(
    connection: Connection, effort: tuple[int, str], who: WorkerIdentity, at: float, *, fresh: bool = False
) -> ContextWindow:
    """Enter the worker's own open window of an effort (its id, its project's root), else open a new one after it.

    A window without an owner is taken over, unless a fresh one is wanted.
    """
    worker = (effort[0], replace_surrogates(who.agent), replace_surrogates(who.host))
    # Theirs is the same window again. A start, unlike a return, also takes over one that has no id yet, and a person,
    # who has no id at all, starts in whichever is open.
    found = connection.execute(SELECT_OWN, (*worker, not fresh)).fetchone()
    _bind_agent(connection, effort, who, at)
    if found and (who.host or not fresh):
        connection.execute(CLAIM_WINDOW, (worker[2] or found[1], worker[1], found[0]))
        return ContextWindow(session=found[0], opened=False)
    before = connection.execute(SELECT_PREVIOUS, worker).fetchone()
    follows = before[0] if before else None
    opening = OpenSession(effort=effort[0], host=who.host, agent=who.agent, follows=follows)
    session = layer_effects.apply_layer_effects(connection, (opening,), EffectCause(at=at)).session
    assert session is not None, "the effort was seen active in this transaction"
    # Handed over once: two workers that enter one after the other must not both continue the same work.
    payload = before[1] if before and before[2] is None else None  # opening has marked it as told
    return ContextWindow(session=session, previous=follows, payload=payload)


def finish_window(store: Store, number: int, payload: str | None, at: float) -> Session:
    """Finish a window with its hand-over text. Raises LayerError for an ended or unknown one."""

    def work(connection: Connection) -> None:
        row = connection.execute("SELECT ended_at FROM sessions WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise _make_not_found(number)
        if row[0] is not None:
            raise LayerError("ALREADY_ENDED", f"session {number} has ended", hint="type: synaptic session list")
        kept = None if payload is None else redact_text(replace_surrogates(payload))
        connection.execute(FINISH_WINDOW, (kept, at, number))

    store.write(work)
    return require_session(store, number)


def require_session(store: Store, number: int) -> Session:
    """Find a session; raises LayerError when there is none."""
    found = layers.find_session(store, number)
    if found is None:
        raise _make_not_found(number)
    return found


def list_sessions(store: Store, efforts: Iterable[int], *, every: bool = True) -> list[Session]:
    """List the sessions of some efforts, newest first; with `every=False` only open ones."""
    numbers = tuple(efforts)
    condition = "" if every else " AND ended_at IS NULL"
    sql = f"SELECT id FROM sessions WHERE effort_id IN ({', '.join('?' * len(numbers))}){condition} ORDER BY id DESC"
    rows = store.read(lambda connection: connection.execute(sql, numbers).fetchall())
    return [found for (number,) in rows if (found := layers.find_session(store, number))]


def find_agent_efforts(store: Store, agent: str) -> tuple[int, ...]:
    """List the efforts that an agent had windows of, newest first."""
    # By the newest window of each: an old effort that was resumed yesterday comes before one that began last week.
    sql = "SELECT effort_id FROM sessions WHERE fleet_agent = ? GROUP BY effort_id ORDER BY max(id) DESC"
    rows = store.read(lambda connection: connection.execute(sql, (replace_surrogates(agent),)).fetchall())
    return tuple(int(number) for (number,) in rows)


def _bind_agent(connection: Connection, effort: tuple[int, str], who: WorkerIdentity, at: float) -> None:
    """Bind the agent to this effort; a person who types for it leaves its status as it is."""
    key = replace_surrogates(who.agent or who.host)
    if not key:
        return
    row = connection.execute("SELECT status, note FROM agents WHERE id = ?", (key,)).fetchone()
    known: tuple[Status, str] = row or ("done", "")
    status = SetStatus(
        agent=key,
        status="working" if who.kind else known[0],
        note="" if who.kind else known[1],
        kind=who.kind,
        named=bool(who.agent),
        host=who.host,
        project=effort[1],
        effort=effort[0],
    )
    layer_effects.apply_layer_effects(connection, (status,), EffectCause(at=at))


def _make_not_found(number: int) -> LayerError:
    return LayerError("NOT_FOUND", f"there is no session {number}", hint="type: synaptic session list --all")
