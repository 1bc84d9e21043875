"""Start, move, finish and list efforts. Every change is one transaction, checked before the first write."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from synaptic.model.errors import LayerError
from synaptic.model.layers import INJECTIONS, PHASES, BeginEffort, Effort, EndSession, Metadata, Skill
from synaptic.store import layer_effects, layers, skills, tasks, windows
from synaptic.store.db import Connection, Store
from synaptic.store.layer_effects import EffectCause, replace_surrogates
from synaptic.store.redact import redact_text
from synaptic.store.tasks import TaskDescription
from synaptic.store.windows import ContextWindow, WorkerIdentity

INSERT_EFFORT = """
INSERT INTO efforts (task_id, skill, mode, ordinal, metadata, created_at)
SELECT ?1, ?2, ?3, coalesce(max(ordinal), 0) + 1, ?4, ?5 FROM efforts WHERE task_id = ?1 RETURNING id
"""
"""The ordinal is counted in the same statement: two that start at once cannot get the same one."""
SELECT_SAME_SKILL = """
SELECT id FROM efforts WHERE task_id = ? AND lower(skill) = lower(?) AND lifecycle = 'active' ORDER BY id DESC LIMIT 1
"""
INSERT_HISTORY = "INSERT INTO phase_history (effort_id, phase_label, reason, proof, created_at) VALUES (?, ?, ?, ?, ?)"
RESET_HEARTBEAT = """
UPDATE sessions SET heartbeat_counter = 0, last_heartbeat = ?1, last_edited = ''
WHERE effort_id = ?2 AND ended_at IS NULL AND subagent = '' AND (?3 = '' OR host_session IN (?3, ''))
"""
"""Main windows only: a sub-agent owes its own log entry. One that tells its id speaks for itself alone."""
START_HINT = "type: synaptic effort start TASK --skill NAME"
SELECT_NUMBERS = "SELECT e.id FROM efforts e JOIN tasks t ON t.dir_path = e.task_id"


class EffortRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request to start an effort."""

    root: str
    task: TaskDescription
    skill: Skill
    mode: str = ""
    metadata: Mapping[str, object] = {}
    injections: tuple[Mapping[str, object], ...] = ()
    """What a window that runs already shall be told, if the effort is new."""
    who: WorkerIdentity = WorkerIdentity()


class StartedEffort(msgspec.Struct, frozen=True):
    """The effort that was started or resumed, and its context window."""

    effort: Effort
    window: ContextWindow
    resumed: bool


class PhaseStep(msgspec.Struct, frozen=True, kw_only=True):
    """A move to another phase."""

    rule: Callable[[tuple[str, ...] | None, str], tuple[str, tuple[str, ...]]]
    """From the declared phases (None when the effort knows none) and the current one to the next one, and to what is
    declared from then on (empty when that stays as it is)."""
    reason: str = ""
    proof: object = None
    host: str = ""
    """The agent's own id of the window that moves; "" for a person, who speaks for all."""


class PhaseRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of an effort's phase history."""

    phase: str
    reason: str = ""
    proof: object = None
    at: float = 0.0


def start_effort(store: Store, asked: EffortRequest, at: float) -> StartedEffort:
    """Start an effort of a task, or resume the active one of the same skill; opens its window, binds its agent."""

    number, window, resumed = store.write(lambda connection: begin_effort(connection, asked, at))
    return StartedEffort(require_effort(store, number), window, resumed)


def begin_effort(connection: Connection, asked: EffortRequest, at: float) -> tuple[int, ContextWindow, bool]:
    """The same inside a transaction: its number, its window, and whether it was there already."""
    project_id = tasks.upsert_project(connection, asked.root, at)
    tasks.upsert_task(connection, project_id, asked.task, at)
    if asked.skill.path:
        skills.upsert_skill(connection, project_id, asked.skill, at)
    known = connection.execute(
        SELECT_SAME_SKILL, (replace_surrogates(asked.task.folder), replace_surrogates(asked.skill.name))
    ).fetchone()
    number = int(known[0]) if known else _insert_effort(connection, asked, at)
    if known:
        _update_resumed(connection, number, asked)
    return number, windows.enter_window(connection, (number, asked.root), asked.who, at), known is not None


def begin_skill(connection: Connection, begun: BeginEffort, at: float) -> None:
    """In the transaction of an event: the effort of a skill that an agent has started, and its window."""
    who = WorkerIdentity(agent=begun.agent, host=begun.host, kind=begun.kind)
    task = TaskDescription(folder=begun.task, title=begun.title or None)
    begin_effort(connection, EffortRequest(root=begun.root, task=task, skill=begun.skill, who=who), at)


def move_phase(store: Store, number: int, step: PhaseStep, at: float) -> Effort:
    """Move an effort to another phase and reset its heartbeat; the phase it is in already changes nothing."""

    def work(connection: Connection) -> None:
        phase, metadata = _require_running(connection, number)
        # The rule decides here and not before: the effort may have moved since the caller looked at it.
        after, grown = step.rule(_read_phases(layer_effects.decode_stored(metadata, kind=dict)), phase)
        # No history entry and no heartbeat reset: repeating a phase must not be a way around the heartbeat.
        if after == phase:
            return
        if grown:
            _put_metadata(connection, Metadata(effort=number, put={PHASES: grown}))
        connection.execute("UPDATE efforts SET current_phase = ? WHERE id = ?", (replace_surrogates(after), number))
        connection.execute(
            INSERT_HISTORY,
            (number, replace_surrogates(after), _redact_or_none(step.reason), _encode_proof(step.proof), at),
        )
        connection.execute(RESET_HEARTBEAT, (at, number, replace_surrogates(step.host)))

    store.write(work)
    return require_effort(store, number)


def finish_effort(store: Store, number: int, keywords: tuple[str, ...] | None, at: float) -> Effort:
    """Finish an effort, end its windows and release its agents. Raises LayerError for a finished one."""

    def work(connection: Connection) -> None:
        _require_row(connection, number)
        sql = "UPDATE efforts SET lifecycle = 'finished', finished_at = ? WHERE id = ? AND lifecycle = 'active'"
        if connection.execute(sql, (at, number)).rowcount != 1:
            raise LayerError("ALREADY_FINISHED", f"effort {number} is finished", hint="type: synaptic effort list")
        if keywords is not None:
            sql = "UPDATE tasks SET keywords = ? WHERE dir_path = (SELECT task_id FROM efforts WHERE id = ?)"
            connection.execute(sql, (tasks.encode_keywords(keywords), number))
        # As an event would end them: what they have loaded goes to the effort, and their sub-agents end with them.
        open_ones = "SELECT id FROM sessions WHERE effort_id = ? AND ended_at IS NULL"
        # Ended through the effect, not by UPDATE: the windows' loaded files go to the effort, their sub-agents end too.
        ends = [EndSession(session=found, merge_loaded=True) for (found,) in connection.execute(open_ones, (number,))]
        layer_effects.apply_layer_effects(connection, ends, EffectCause(at=at))
        connection.execute("UPDATE agents SET effort_id = NULL WHERE effort_id = ?", (number,))

    store.write(work)
    return require_effort(store, number)


def update_metadata(store: Store, number: int, change: Metadata) -> Effort:
    """Drop, then put top-level keys of an effort's metadata. Raises LayerError when the stored JSON is unreadable."""

    def work(connection: Connection) -> None:
        _require_running(connection, number)
        _put_metadata(connection, change)

    store.write(work)
    return require_effort(store, number)


def settle_log_entry(store: Store, number: int, at: float, *, resets: bool) -> None:
    """Accept a log entry of an active effort; `resets` the heartbeat of its open windows. Raises LayerError."""

    def work(connection: Connection) -> None:
        _require_running(connection, number)
        if resets:
            connection.execute(RESET_HEARTBEAT, (at, number, ""))

    store.write(work)


def enter_effort(store: Store, number: int, who: WorkerIdentity, at: float) -> ContextWindow:
    """Open a new window of an active effort for a worker; a window that is already theirs is kept."""

    def work(connection: Connection) -> ContextWindow:
        _require_running(connection, number)
        sql = (
            "SELECT p.path FROM efforts e JOIN tasks t ON t.dir_path = e.task_id JOIN projects p ON p.id = t.project_id"
        )
        root = connection.execute(f"{sql} WHERE e.id = ?", (number,)).fetchone()[0]
        # The effort's own project, not the caller's: an effort may be resumed from anywhere.
        return windows.enter_window(connection, (number, root), who, at, fresh=True)

    return store.write(work)


def require_effort(store: Store, number: int) -> Effort:
    """Find an effort; raises LayerError when there is none."""
    found = layers.find_effort(store, number)
    if found is None:
        raise _make_not_found(number)
    return found


def list_efforts(store: Store, project_id: int | None = None, *, every: bool = False) -> list[Effort]:
    """List efforts of one project or of all, newest first; finished ones only with `every`."""
    conditions = ["t.project_id = ?"] if project_id is not None else []
    conditions += [] if every else ["e.lifecycle = 'active'"]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return _load_efforts(
        store, f"{SELECT_NUMBERS}{where} ORDER BY e.id DESC", () if project_id is None else (project_id,)
    )


def list_newest_efforts(store: Store, most: int) -> list[Effort]:
    """List efforts of all projects, those that are active first, then the newest."""
    return _load_efforts(store, f"{SELECT_NUMBERS} ORDER BY e.lifecycle = 'active' DESC, e.id DESC LIMIT ?", (most,))


def list_task_efforts(store: Store, folder: str) -> list[Effort]:
    """List the efforts of a task in their order."""
    return _load_efforts(
        store, f"{SELECT_NUMBERS} WHERE e.task_id = ? ORDER BY e.ordinal", (replace_surrogates(folder),)
    )


def read_phase_history(store: Store, number: int) -> list[PhaseRecord]:
    """Read the phases that an effort went through, oldest first."""
    sql = "SELECT phase_label, reason, proof, created_at FROM phase_history WHERE effort_id = ? ORDER BY id"
    rows = store.read(lambda connection: connection.execute(sql, (number,)).fetchall())
    return [
        PhaseRecord(phase=phase, reason=reason or "", proof=layer_effects.decode_stored(proof, kind=Any), at=at)
        for phase, reason, proof, at in rows
    ]


def _insert_effort(connection: Connection, asked: EffortRequest, at: float) -> int:
    metadata = {
        **({PHASES: asked.skill.phases} if asked.skill.phases else {}),
        **({INJECTIONS: asked.injections} if asked.injections else {}),
        **asked.metadata,
    }
    # The skill's phases are copied: a changed skill file must not move the phases of a running effort.
    values = (
        replace_surrogates(asked.task.folder),
        replace_surrogates(asked.skill.name),
        replace_surrogates(asked.mode) or None,
        _encode_redacted(metadata),
        at,
    )
    return int(connection.execute(INSERT_EFFORT, values).fetchone()[0])


def _update_resumed(connection: Connection, number: int, asked: EffortRequest) -> None:
    """Update mode and metadata of a resumed effort with what was given this time."""
    if asked.mode:
        connection.execute("UPDATE efforts SET mode = ? WHERE id = ?", (replace_surrogates(asked.mode), number))
    if asked.metadata:
        _put_metadata(connection, Metadata(effort=number, put=asked.metadata))


def _require_running(connection: Connection, number: int) -> tuple[str, object]:
    """Read phase and metadata of an effort; raises LayerError for a finished one."""
    lifecycle, phase, metadata = _require_row(connection, number)
    if lifecycle == "finished":
        raise LayerError("EFFORT_FINISHED", f"effort {number} is finished", hint=START_HINT)
    return phase or "", metadata


def _require_row(connection: Connection, number: int) -> tuple[str, str | None, object]:
    sql = "SELECT lifecycle, current_phase, metadata FROM efforts WHERE id = ?"
    row: tuple[str, str | None, object] | None = connection.execute(sql, (number,)).fetchone()
    if row is None:
        raise _make_not_found(number)
    return row


def _put_metadata(connection: Connection, change: Metadata) -> None:
    if not layer_effects.write_metadata(connection, change):
        what, where = f"the metadata of effort {change.effort} cannot be read", f"efforts.metadata {change.effort}"
        raise LayerError("PARSE_ERROR", what, where=where, hint="finish it and start another one")


def _read_phases(metadata: Mapping[str, object] | None) -> tuple[str, ...] | None:
    phases = (metadata or {}).get(PHASES)
    return tuple(phase for phase in phases if isinstance(phase, str)) if isinstance(phases, list) else None


def _load_efforts(store: Store, sql: str, values: tuple[object, ...]) -> list[Effort]:
    rows = store.read(lambda connection: connection.execute(sql, values).fetchall())
    return [found for (number,) in rows if (found := layers.find_effort(store, number))]


def _make_not_found(number: int) -> LayerError:
    return LayerError("NOT_FOUND", f"there is no effort {number}", hint="type: synaptic effort list --all")


def _redact_or_none(value: str) -> str | None:
    return redact_text(replace_surrogates(value)) or None


def _encode_proof(proof: object) -> str | None:
    return None if proof is None else redact_text(_encode_redacted(proof))


def _encode_redacted(value: object) -> str:
    return redact_text(replace_surrogates(msgspec.json.encode(value, enc_hook=repr).decode()))
