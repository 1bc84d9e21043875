"""Start, move, finish and list efforts. Every change is one transaction, checked before the first write."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from synaptic.model.errors import LayerError
from synaptic.model.layers import PHASES, Effort, EndSession, Metadata, Skill
from synaptic.store import layer_effects, layers, skills, tasks, windows
from synaptic.store.db import Connection, Store
from synaptic.store.layer_effects import Cause, text
from synaptic.store.redact import redact_text
from synaptic.store.tasks import Task
from synaptic.store.windows import Who, Window

INSERT = """
INSERT INTO efforts (task_id, skill, mode, ordinal, metadata, created_at)
SELECT ?1, ?2, ?3, coalesce(max(ordinal), 0) + 1, ?4, ?5 FROM efforts WHERE task_id = ?1 RETURNING id
"""
"""The ordinal is counted in the same statement: two that start at once cannot get the same one."""
SAME = """
SELECT id FROM efforts WHERE task_id = ? AND lower(skill) = lower(?) AND lifecycle = 'active' ORDER BY id DESC LIMIT 1
"""
HISTORY = "INSERT INTO phase_history (effort_id, phase_label, reason, proof, created_at) VALUES (?, ?, ?, ?, ?)"
QUIET = """
UPDATE sessions SET heartbeat_counter = 0, last_heartbeat = ?, last_edited = ''
WHERE effort_id = ? AND ended_at IS NULL AND subagent = ''
"""
"""Main windows only: a sub-agent owes its own log entry."""
NEW_ONE = "type: synaptic effort start TASK --skill NAME"
NUMBERS = "SELECT e.id FROM efforts e JOIN tasks t ON t.dir_path = e.task_id"


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """A request to start an effort."""

    root: str
    task: Task
    skill: Skill
    mode: str = ""
    metadata: Mapping[str, object] = {}
    who: Who = Who()


class Started(msgspec.Struct, frozen=True):
    """The effort that was started or resumed, and its context window."""

    effort: Effort
    window: Window
    resumed: bool


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A move to another phase."""

    rule: Callable[[tuple[str, ...] | None, str], tuple[str, tuple[str, ...]]]
    """From the declared phases (None when the effort knows none) and the current one to the next one, and to what is
    declared from then on (empty when that stays as it is)."""
    reason: str = ""
    proof: object = None


class Passed(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of an effort's phase history."""

    phase: str
    reason: str = ""
    proof: object = None
    at: float = 0.0


def start(store: Store, asked: Start, at: float) -> Started:
    """Start an effort of a task, or resume the active one of the same skill; opens its window, binds its agent."""

    def work(connection: Connection) -> tuple[int, Window, bool]:
        project_id = tasks.project(connection, asked.root, at)
        tasks.upsert(connection, project_id, asked.task, at)
        if asked.skill.path:
            skills.upsert(connection, project_id, asked.skill, at)
        known = connection.execute(SAME, (text(asked.task.folder), text(asked.skill.name))).fetchone()
        number = int(known[0]) if known else _insert(connection, asked, at)
        if known:
            _again(connection, number, asked)
        return number, windows.enter(connection, (number, asked.root), asked.who, at), known is not None

    number, window, resumed = store.write(work)
    return Started(required(store, number), window, resumed)


def move(store: Store, number: int, step: Step, at: float) -> Effort:
    """Move an effort to another phase and reset its heartbeat; the phase it is in already changes nothing."""

    def work(connection: Connection) -> None:
        phase, metadata = _running(connection, number)
        # The rule decides here and not before: the effort may have moved since the caller looked at it.
        after, grown = step.rule(_declared(layer_effects.decoded(metadata, kind=dict)), phase)
        # No history entry and no heartbeat reset: repeating a phase must not be a way around the heartbeat.
        if after == phase:
            return
        if grown:
            _put(connection, Metadata(effort=number, put={PHASES: grown}))
        connection.execute("UPDATE efforts SET current_phase = ? WHERE id = ?", (text(after), number))
        connection.execute(HISTORY, (number, text(after), _kept(step.reason), _proof(step.proof), at))
        connection.execute(QUIET, (at, number))

    store.write(work)
    return required(store, number)


def finish(store: Store, number: int, keywords: tuple[str, ...] | None, at: float) -> Effort:
    """Finish an effort, end its windows and release its agents. Raises LayerError for a finished one."""

    def work(connection: Connection) -> None:
        _required_row(connection, number)
        sql = "UPDATE efforts SET lifecycle = 'finished', finished_at = ? WHERE id = ? AND lifecycle = 'active'"
        if connection.execute(sql, (at, number)).rowcount != 1:
            raise LayerError("ALREADY_FINISHED", f"effort {number} is finished", hint="type: synaptic effort list")
        if keywords is not None:
            sql = "UPDATE tasks SET keywords = ? WHERE dir_path = (SELECT task_id FROM efforts WHERE id = ?)"
            connection.execute(sql, (tasks.encoded(keywords), number))
        # As an event would end them: what they have loaded goes to the effort, and their sub-agents end with them.
        open_ones = "SELECT id FROM sessions WHERE effort_id = ? AND ended_at IS NULL"
        # Ended through the effect, not by UPDATE: the windows' loaded files go to the effort, their sub-agents end too.
        ends = [EndSession(session=found, merge_loaded=True) for (found,) in connection.execute(open_ones, (number,))]
        layer_effects.apply(connection, ends, Cause(at=at))
        connection.execute("UPDATE agents SET effort_id = NULL WHERE effort_id = ?", (number,))

    store.write(work)
    return required(store, number)


def update_metadata(store: Store, number: int, change: Metadata) -> Effort:
    """Drop, then put top-level keys of an effort's metadata. Raises LayerError when the stored JSON is unreadable."""

    def work(connection: Connection) -> None:
        _running(connection, number)
        _put(connection, change)

    store.write(work)
    return required(store, number)


def quiet(store: Store, number: int, at: float) -> None:
    """Reset the heartbeat of the effort's open window, after somebody has logged by hand."""
    store.write(lambda connection: connection.execute(QUIET, (at, number)))


def enter(store: Store, number: int, who: Who, at: float) -> Window:
    """Open a new window of an active effort for a worker; a window that is already theirs is kept."""

    def work(connection: Connection) -> Window:
        _running(connection, number)
        sql = (
            "SELECT p.path FROM efforts e JOIN tasks t ON t.dir_path = e.task_id JOIN projects p ON p.id = t.project_id"
        )
        root = connection.execute(f"{sql} WHERE e.id = ?", (number,)).fetchone()[0]
        # The effort's own project, not the caller's: an effort may be resumed from anywhere.
        return windows.enter(connection, (number, root), who, at, fresh=True)

    return store.write(work)


def required(store: Store, number: int) -> Effort:
    """Find an effort; raises LayerError when there is none."""
    found = layers.effort(store, number)
    if found is None:
        raise _unknown(number)
    return found


def listing(store: Store, project_id: int | None = None, *, every: bool = False) -> list[Effort]:
    """List efforts of one project or of all, newest first; finished ones only with `every`."""
    conditions = ["t.project_id = ?"] if project_id is not None else []
    conditions += [] if every else ["e.lifecycle = 'active'"]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return _efforts(store, f"{NUMBERS}{where} ORDER BY e.id DESC", () if project_id is None else (project_id,))


def of_task(store: Store, folder: str) -> list[Effort]:
    """List the efforts of a task in their order."""
    return _efforts(store, f"{NUMBERS} WHERE e.task_id = ? ORDER BY e.ordinal", (text(folder),))


def history(store: Store, number: int) -> list[Passed]:
    """Read the phases that an effort went through, oldest first."""
    sql = "SELECT phase_label, reason, proof, created_at FROM phase_history WHERE effort_id = ? ORDER BY id"
    rows = store.read(lambda connection: connection.execute(sql, (number,)).fetchall())
    return [
        Passed(phase=phase, reason=reason or "", proof=layer_effects.decoded(proof, kind=Any), at=at)
        for phase, reason, proof, at in rows
    ]


def _insert(connection: Connection, asked: Start, at: float) -> int:
    metadata = {**({PHASES: asked.skill.phases} if asked.skill.phases else {}), **asked.metadata}
    # The skill's phases are copied: a changed skill file must not move the phases of a running effort.
    values = (text(asked.task.folder), text(asked.skill.name), text(asked.mode) or None, _json(metadata), at)
    return int(connection.execute(INSERT, values).fetchone()[0])


def _again(connection: Connection, number: int, asked: Start) -> None:
    """Update mode and metadata of a resumed effort with what was given this time."""
    if asked.mode:
        connection.execute("UPDATE efforts SET mode = ? WHERE id = ?", (text(asked.mode), number))
    if asked.metadata:
        _put(connection, Metadata(effort=number, put=asked.metadata))


def _running(connection: Connection, number: int) -> tuple[str, object]:
    """Read phase and metadata of an effort; raises LayerError for a finished one."""
    lifecycle, phase, metadata = _required_row(connection, number)
    if lifecycle == "finished":
        raise LayerError("EFFORT_FINISHED", f"effort {number} is finished", hint=NEW_ONE)
    return phase or "", metadata


def _required_row(connection: Connection, number: int) -> tuple[str, str | None, object]:
    sql = "SELECT lifecycle, current_phase, metadata FROM efforts WHERE id = ?"
    row: tuple[str, str | None, object] | None = connection.execute(sql, (number,)).fetchone()
    if row is None:
        raise _unknown(number)
    return row


def _put(connection: Connection, change: Metadata) -> None:
    if not layer_effects.write_metadata(connection, change):
        what, where = f"the metadata of effort {change.effort} cannot be read", f"efforts.metadata {change.effort}"
        raise LayerError("PARSE_ERROR", what, where=where, hint="finish it and start another one")


def _declared(metadata: Mapping[str, object] | None) -> tuple[str, ...] | None:
    phases = (metadata or {}).get(PHASES)
    return tuple(phase for phase in phases if isinstance(phase, str)) if isinstance(phases, list) else None


def _efforts(store: Store, sql: str, values: tuple[object, ...]) -> list[Effort]:
    rows = store.read(lambda connection: connection.execute(sql, values).fetchall())
    return [found for (number,) in rows if (found := layers.effort(store, number))]


def _unknown(number: int) -> LayerError:
    return LayerError("NOT_FOUND", f"there is no effort {number}", hint="type: synaptic effort list --all")


def _kept(value: str) -> str | None:
    return redact_text(text(value)) or None


def _proof(proof: object) -> str | None:
    return None if proof is None else redact_text(_json(proof))


def _json(value: object) -> str:
    return redact_text(text(msgspec.json.encode(value, enc_hook=repr).decode()))
