"""Tasks and projects: the folders that efforts belong to. A task has no state of its own."""

from typing import Any

import msgspec

from synaptic.store.db import Connection, Store
from synaptic.store.layer_effects import replace_surrogates
from synaptic.store.redact import redact_text

UPSERT_PROJECT = """
INSERT INTO projects (path, name, created_at) VALUES (?, ?, ?)
ON CONFLICT (path) DO UPDATE SET name = CASE excluded.name WHEN '' THEN name ELSE excluded.name END RETURNING id
"""
UPSERT_TASK = """
INSERT INTO tasks (dir_path, project_id, title, description, keywords, created_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (dir_path) DO UPDATE SET title = coalesce(excluded.title, title),
    description = coalesce(excluded.description, description), keywords = coalesce(excluded.keywords, keywords),
    project_id = excluded.project_id
"""
SELECT_SUMMARY = """
SELECT t.dir_path, p.path, t.title, t.description, t.keywords, t.created_at, t.effort_count, t.active_count,
       t.last_activity
FROM task_summary t JOIN projects p ON p.id = t.project_id
"""


class TaskDescription(msgspec.Struct, frozen=True, kw_only=True):
    """A task as a caller describes it; a None field keeps its stored value."""

    folder: str
    title: str | None = None
    description: str | None = None
    keywords: tuple[str, ...] | None = None


class TaskSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A stored task with counts and times computed from its efforts."""

    folder: str
    project: str
    title: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    created_at: float = 0.0
    efforts: int = 0
    active: int = 0
    last_activity: float | None = None


def upsert_project(connection: Connection, root: str, at: float) -> int:
    """Find or create the project of a root; returns its id."""
    path = replace_surrogates(root)
    row = connection.execute(UPSERT_PROJECT, (path, path.rpartition("/")[2], at)).fetchone()
    return int(row[0])


def upsert_task(connection: Connection, project_id: int, task: TaskDescription, at: float) -> None:
    """Insert or update a task; its folder is its key."""
    words = None if task.keywords is None else encode_keywords(task.keywords)
    told = (_clean_optional(task.title), _clean_optional(task.description), words)
    connection.execute(UPSERT_TASK, (replace_surrogates(task.folder), project_id, *told, at))


def list_tasks(store: Store, project_id: int | None = None) -> list[TaskSummary]:
    """List tasks of one project or of all, most recently active first."""
    where = "" if project_id is None else " WHERE t.project_id = ?"
    values = () if project_id is None else (project_id,)
    sql = f"{SELECT_SUMMARY}{where} ORDER BY coalesce(t.last_activity, t.created_at) DESC, t.dir_path"
    return [_row_to_summary(row) for row in store.read(lambda connection: connection.execute(sql, values).fetchall())]


def find_task(store: Store, folder: str) -> TaskSummary | None:
    """Find the task of a folder."""
    sql = f"{SELECT_SUMMARY} WHERE t.dir_path = ?"
    row = store.read(lambda connection: connection.execute(sql, (replace_surrogates(folder),)).fetchone())
    return _row_to_summary(row) if row else None


def encode_keywords(words: tuple[str, ...]) -> str:
    """Encode keywords as stored JSON."""
    return msgspec.json.encode([redact_text(word) for word in words]).decode()


def _row_to_summary(row: tuple[Any, ...]) -> TaskSummary:
    folder, root, title, description, keywords, created_at, efforts, active, last = row
    return TaskSummary(
        folder=folder,
        project=root,
        title=title or "",
        description=description or "",
        keywords=_decode_keywords(keywords),
        created_at=created_at,
        efforts=efforts,
        active=active,
        last_activity=last,
    )


def _decode_keywords(stored: str | None) -> tuple[str, ...]:
    """Decode stored keywords; empty when they are damaged."""
    try:
        return msgspec.json.decode(stored or "[]", type=tuple[str, ...])
    except msgspec.DecodeError:
        return ()


def _clean_optional(value: str | None) -> str | None:
    return None if value is None else redact_text(value)
