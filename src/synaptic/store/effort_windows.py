"""The context windows of an effort as people look at them: who, how long, how full, and what was handed over."""

import msgspec

from synaptic.store.db import Connection, Store

MOST_PAYLOAD = 64 * 1024
"""Characters of a hand-over that are read; a longer one is shown as the text that it begins with."""
SELECT_WINDOWS = f"""
SELECT id, host_session, fleet_agent, subagent, created_at, ended_at, context_usage, handed_over_at,
       substr(dehydration_payload, 1, {MOST_PAYLOAD})
FROM sessions WHERE effort_id = ? ORDER BY id DESC LIMIT ?
"""
SELECT_TASKS = """
SELECT p.path, count(DISTINCT t.dir_path), count(e.id), count(CASE WHEN e.lifecycle = 'active' THEN 1 END),
       max(coalesce(e.finished_at, e.created_at, t.created_at))
FROM projects p LEFT JOIN tasks t ON t.project_id = p.id LEFT JOIN efforts e ON e.task_id = t.dir_path
GROUP BY p.id ORDER BY 5 DESC LIMIT ?
"""


class EffortWindow(msgspec.Struct, frozen=True):
    """One context window, of the agent itself or of a sub-agent."""

    number: int
    host: str
    """The agent's own id of its session."""
    agent: str
    subagent: str
    began: float
    ended: float | None
    usage: float | None
    handed_over: float | None
    """When the next window was told what this one has left."""
    payload: str | None


class ProjectSummary(msgspec.Struct, frozen=True):
    """A project, and how much is done there."""

    root: str
    tasks: int
    efforts: int
    active: int
    last: float | None


def list_effort_windows(store: Store, effort: int, most: int) -> tuple[EffortWindow, ...]:
    """The newest windows of an effort, newest first."""

    def read(connection: Connection) -> tuple[EffortWindow, ...]:
        return tuple(EffortWindow(*row) for row in connection.execute(SELECT_WINDOWS, (effort, most)))

    return store.read(read)


def list_projects(store: Store, most: int) -> tuple[ProjectSummary, ...]:
    """Projects that have tasks or agents, the one that was worked on last first."""
    return store.read(
        lambda connection: tuple(ProjectSummary(*row) for row in connection.execute(SELECT_TASKS, (most,)))
    )
