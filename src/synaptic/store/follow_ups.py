"""Queue of follow-up actions that hooks asked for; none is carried out before a person says so."""

import time
from typing import Any

import msgspec

from synaptic.store.db import Connection, Store
from synaptic.store.record import EventRecord
from synaptic.store.redact import redact_text

MAX_WAITING = 1000
"""Upper bound of waiting actions per project; beyond it the oldest are dropped."""
ACTION_KINDS = ("open_file", "run_command", "create_task")
INSERT_ACTION = """
INSERT INTO follow_ups (root, session, call, hook, kind, payload, state, at) VALUES (?, ?, ?, ?, ?, ?, 'waiting', ?)
"""
SELECT_SAME_ACTION = (
    "SELECT 1 FROM follow_ups WHERE root = ? AND state = 'waiting' AND kind = ? AND payload = ? LIMIT 1"
)
DROP_OLDEST = """
UPDATE follow_ups SET state = 'dropped', ended = ?1 WHERE id IN (SELECT id FROM follow_ups
WHERE root = ?2 AND state = 'waiting' ORDER BY id DESC LIMIT -1 OFFSET ?3)
"""


class FollowUp(msgspec.Struct, frozen=True, kw_only=True):
    """One action that waits, or how it ended."""

    id: int
    root: str
    session: str
    call: str
    hook: str
    kind: str
    payload: dict[str, Any]
    state: str
    """waiting, done, failed or dropped."""
    at: float


def record_follow_ups(connection: Connection, record: EventRecord) -> None:
    """In the transaction of the event: queue what its hooks asked for. The same action waits once."""
    result = record.decision.result
    if result is None or not result.follow_up_actions:
        return
    for action in result.follow_up_actions:
        # Redacted before the comparison with waiting ones: the same action must be the same text.
        payload = redact_text(msgspec.json.encode(action.get("payload", {}), enc_hook=repr).decode())
        kind = str(action.get("kind", ""))
        if not connection.execute(SELECT_SAME_ACTION, (record.root, kind, payload)).fetchone():
            who = (record.root, record.session, record.call, str(action.get("hook", "")))
            connection.execute(INSERT_ACTION, (*who, kind, payload, record.at))
    connection.execute(DROP_OLDEST, (time.time(), record.root, MAX_WAITING))


def list_follow_ups(store: Store, root: str, *, every: bool = False) -> tuple[FollowUp, ...]:
    """List the waiting actions of a project, oldest first; with `every` also ended ones."""
    sql = "SELECT id, root, session, call, hook, kind, payload, state, at FROM follow_ups WHERE root = ?"
    sql += " ORDER BY id" if every else " AND state = 'waiting' ORDER BY id"
    rows = store.read(lambda connection: connection.execute(sql, (root,)).fetchall())
    return tuple(_row_to_follow_up(row) for row in rows)


def end_follow_up(store: Store, root: str, number: int, state: str) -> bool:
    """Mark an action as done, failed or dropped; False when it is no longer waiting."""
    sql = "UPDATE follow_ups SET state = ?, ended = ? WHERE id = ? AND root = ? AND state = 'waiting'"
    values = (state, time.time(), number, root)
    return store.write(lambda connection: connection.execute(sql, values).rowcount == 1)


def _row_to_follow_up(row: tuple[Any, ...]) -> FollowUp:
    names = ("id", "root", "session", "call", "hook", "kind", "payload", "state", "at")
    fields = dict(zip(names, row, strict=True))
    return FollowUp(**{**fields, "payload": msgspec.json.decode(fields["payload"])})
