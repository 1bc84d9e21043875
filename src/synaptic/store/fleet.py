"""All agents and what they do, for the fleet display."""

from typing import Any

import msgspec

from synaptic.model.layers import BLOCK_AFTER, Status
from synaptic.store.db import Connection, Store

SELECT_MEMBERS = """
SELECT agent, label, kind, status, note, parent, pane, named, project, task, skill, current_phase, session_id,
       heartbeat_counter, context_usage, last_heartbeat, updated_at, supervised, block_after,
       (SELECT host_session FROM agents WHERE agents.id = fleet_status.agent)
FROM fleet_status
"""
MARK_CHECKED = "UPDATE agents SET status = 'checked', updated_at = ? WHERE id = ? AND status = 'attention'"


class FleetMember(msgspec.Struct, frozen=True, kw_only=True):
    """One agent and what it does."""

    agent: str
    label: str = ""
    kind: str = ""
    status: Status = "done"
    note: str = ""
    parent: str = ""
    pane: str = ""
    named: bool = True
    project: str = ""
    task: str = ""
    skill: str = ""
    phase: str = ""
    session: int | None = None
    """Its open context window."""
    heartbeat: int = 0
    limit: int = BLOCK_AFTER
    usage: float | None = None
    seen: float = 0.0
    """When it last gave a sign of life."""
    since: float = 0.0
    """When its status was last said."""
    supervised: bool = False
    host: str = ""
    """The agent's own id of its session."""


def list_members(store: Store) -> tuple[FleetMember, ...]:
    """List all agents in one read."""
    return tuple(map(_row_to_member, store.read(lambda connection: connection.execute(SELECT_MEMBERS).fetchall())))


def read_data_version(store: Store) -> tuple[int, int]:
    """Read a version that changes when another connection has committed or the store has opened another file."""
    sql = "PRAGMA data_version"
    return store.generation, int(store.read(lambda connection: connection.execute(sql).fetchone()[0]))


def mark_checked(store: Store, agent: str, at: float) -> Status | None:
    """Mark an agent that waits for attention as looked at; returns its status, None for an unknown agent."""

    def work(connection: Connection) -> Status | None:
        connection.execute(MARK_CHECKED, (at, agent))
        row = connection.execute("SELECT status FROM agents WHERE id = ?", (agent,)).fetchone()
        return row[0] if row else None

    return store.write(work)


def _row_to_member(row: tuple[Any, ...]) -> FleetMember:
    limit, beat, said = row[18], row[15] or 0.0, row[16]
    return FleetMember(
        agent=row[0],
        label=row[1],
        kind=row[2],
        status=row[3],
        note=row[4],
        parent=row[5] or "",
        pane=row[6],
        named=bool(row[7]),
        project=row[8] or "",
        task=row[9] or "",
        skill=row[10] or "",
        phase=row[11] or "",
        session=row[12],
        heartbeat=row[13] or 0,
        usage=row[14],
        seen=max(beat, said),
        since=said,
        supervised=bool(row[17]),
        limit=int(limit) if isinstance(limit, int | float) else BLOCK_AFTER,
        host=row[19] or "",
    )
