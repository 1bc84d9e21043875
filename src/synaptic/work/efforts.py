"""Working on an effort: its phases, its log, its end, and what is shown of it."""

import time
from datetime import datetime
from typing import Any, ClassVar

import msgspec

from synaptic.hooks.skill_files import find_readable_skill
from synaptic.model.errors import LayerError
from synaptic.model.layers import Effort, Metadata, Session
from synaptic.store import efforts, tasks, windows
from synaptic.store.db import Store
from synaptic.store.efforts import START_HINT, PhaseRecord, PhaseStep
from synaptic.work import phases, task_files
from synaptic.work.command import CommandContext, EffortCommand, ProjectCommand
from synaptic.work.views import View, effort_to_view, history_to_view, session_to_view

ENTRY_LIMIT = 1 << 20


class PhaseMove(msgspec.Struct, frozen=True):
    """An effort in its phase, and the phase that it was in."""

    effort: Effort
    previous: str


class LogEntry(msgspec.Struct, frozen=True):
    """An entry that was written."""

    effort: Effort
    path: str


class EffortDetails(msgspec.Struct, frozen=True, kw_only=True):
    """An effort with its phases, windows and files."""

    effort: Effort
    history: tuple[PhaseRecord, ...] = ()
    sessions: tuple[Session, ...] = ()
    artifacts: tuple[str, ...] = ()


class MoveToPhase(EffortCommand[PhaseMove], frozen=True, kw_only=True):
    """Another phase, by the rules of the effort's skill."""

    method: ClassVar[str] = "effort.phase"

    phase: str
    """Its label, such as `1: Build`."""
    reason: str = ""
    """Why a phase is left out or taken again."""
    proof: Any = None
    """What shows that the last phase is done."""

    def run(self, context: CommandContext) -> PhaseMove:
        before = context.find_effort(self.effort_id)
        asked = phases.AskedPhase(self.phase, self.reason)
        # Read before the transaction: a file must not be waited for while the database is locked.
        otherwise = before.phases or _read_phases(context.store, before)

        def rule(own: tuple[str, ...] | None, now: str) -> tuple[str, tuple[str, ...]]:
            """Decides on what is stored by then: somebody else may have moved the effort since it was looked up."""
            known = otherwise if own is None else own
            move = phases.plan_move(known, now, asked)
            return move.phase, () if move.phases == known else move.phases

        step = PhaseStep(rule=rule, reason=self.reason, proof=self.proof, host=context.caller.who.host)
        after = efforts.move_phase(context.require_durable_store(), before.id, step, time.time())
        return PhaseMove(after, before.phase)

    def answer(self, result: PhaseMove) -> View:
        return {**effort_to_view(result.effort), "previousPhase": result.previous or None}


class WriteLog(EffortCommand[LogEntry], frozen=True, kw_only=True):
    """One entry in the log of an active effort.

    The heartbeat starts again, except from an agent's own shell: there the tool call that carried this has told whose
    it is, and from here a sub-agent looks like its parent.
    """

    method: ClassVar[str] = "effort.log"
    may_block: ClassVar[bool] = True  # somebody else may hold the file: that must not keep the agents' events waiting

    text: str
    """What was done."""

    def run(self, context: CommandContext) -> LogEntry:
        effort = context.find_effort(self.effort_id)
        if effort.finished:
            raise LayerError("EFFORT_FINISHED", f"effort {effort.id} is finished", hint=START_HINT)
        if not self.text.strip():
            raise LayerError("VALIDATION_ERROR", "there is nothing to log", hint="give a text, or one on stdin")
        if len(self.text) > ENTRY_LIMIT:
            raise LayerError("PAYLOAD_TOO_LARGE", f"an entry has at most {ENTRY_LIMIT} letters", hint="log less")
        store = context.require_durable_store()
        when = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S")
        entry = task_files.stamp_entry(self.text, when)
        root, by_person = find_effort_root(store, effort), not context.caller.who.kind

        def settle() -> None:
            """With the entry or not at all: the effort may have finished, and the database may refuse."""
            efforts.settle_log_entry(store, effort.id, time.time(), resets=by_person)

        return LogEntry(effort, task_files.append_log_entry(root, effort, entry, settle))

    def answer(self, result: LogEntry) -> View:
        return {"effortId": result.effort.id, "logPath": result.path}


class FinishEffort(EffortCommand[Effort], frozen=True, kw_only=True):
    """The end of an effort and of its windows."""

    method: ClassVar[str] = "effort.finish"

    keywords: tuple[str, ...] | None = None
    """In place of the task's keywords."""

    def run(self, context: CommandContext) -> Effort:
        number = context.find_effort(self.effort_id).id
        return efforts.finish_effort(context.require_durable_store(), number, self.keywords, time.time())

    def answer(self, result: Effort) -> View:
        return effort_to_view(result)


class UpdateMetadata(EffortCommand[Effort], frozen=True, kw_only=True):
    """Top-level keys of an effort's metadata: removed, then set."""

    method: ClassVar[str] = "effort.updateMetadata"

    set: dict[str, Any] = {}
    """Keys with their new values."""
    remove: tuple[str, ...] = ()
    """Keys that go."""

    def run(self, context: CommandContext) -> Effort:
        number = context.find_effort(self.effort_id).id
        change = Metadata(effort=number, put=self.set, drop=self.remove)
        return efforts.update_metadata(context.require_durable_store(), number, change)

    def answer(self, result: Effort) -> View:
        return effort_to_view(result)


class ShowEffort(EffortCommand[EffortDetails], frozen=True, kw_only=True):
    """An effort with its phases, sessions and files."""

    method: ClassVar[str] = "effort.show"

    def run(self, context: CommandContext) -> EffortDetails:
        found = context.find_effort(self.effort_id)
        return EffortDetails(
            effort=found,
            history=tuple(efforts.read_phase_history(context.store, found.id)),
            sessions=tuple(windows.list_sessions(context.store, (found.id,))),
            artifacts=task_files.list_own_documents(found),
        )

    def answer(self, result: EffortDetails) -> View:
        return {
            **effort_to_view(result.effort),
            "history": history_to_view(result.history),
            "sessions": [session_to_view(one) for one in result.sessions],
            "artifacts": list(result.artifacts),
        }


class ListEfforts(ProjectCommand[list[Effort]], frozen=True, kw_only=True):
    """The active efforts of a project, the newest first."""

    method: ClassVar[str] = "effort.list"

    all: bool = False
    """Also the finished ones."""

    def run(self, context: CommandContext) -> list[Effort]:
        return efforts.list_efforts(context.store, context.find_project(), every=self.all)

    def answer(self, result: list[Effort]) -> list[View]:
        return [effort_to_view(one) for one in result]


def find_effort_root(store: Store, effort: Effort) -> str:
    """The root of the project that an effort belongs to."""
    task = tasks.find_task(store, effort.task)
    assert task is not None, "an effort has a task"
    return task.project


def _read_phases(store: Store, effort: Effort) -> tuple[str, ...]:
    """The phases in the skill's file, for an effort whose metadata cannot be read."""
    found = find_readable_skill(find_effort_root(store, effort), effort.skill)
    return found.phases if found else ()
