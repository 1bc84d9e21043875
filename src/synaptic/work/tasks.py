"""Tasks: folders that efforts pile up in."""

import os
from contextlib import suppress
from typing import ClassVar

import msgspec

from synaptic.model.errors import LayerError
from synaptic.model.layers import Effort
from synaptic.store import efforts, tasks
from synaptic.store.tasks import TaskSummary
from synaptic.work import task_files
from synaptic.work.command import CommandContext, ProjectCommand
from synaptic.work.views import View, effort_to_view, task_to_view


class TaskDetails(msgspec.Struct, frozen=True, kw_only=True):
    """A task with its efforts and files."""

    task: TaskSummary
    efforts: tuple[Effort, ...] = ()
    artifacts: tuple[str, ...] = ()


class ListTasks(ProjectCommand[list[TaskSummary]], frozen=True, kw_only=True):
    """The tasks of a project; the one that was worked on last comes first."""

    method: ClassVar[str] = "task.list"

    all: bool = False
    """Those of every project."""

    def run(self, context: CommandContext) -> list[TaskSummary]:
        return tasks.list_tasks(context.store, None if self.all else context.find_project())

    def answer(self, result: list[TaskSummary]) -> list[View]:
        return [task_to_view(one) for one in result]


class ShowTask(ProjectCommand[TaskDetails], frozen=True, kw_only=True):
    """One task with its efforts."""

    method: ClassVar[str] = "task.show"

    dir_path: str
    """Its folder, or its name."""

    def run(self, context: CommandContext) -> TaskDetails:
        found = find_task(context, self.dir_path)
        return TaskDetails(
            task=found,
            efforts=tuple(efforts.list_task_efforts(context.store, found.folder)),
            artifacts=task_files.list_documents(found.folder),
        )

    def answer(self, result: TaskDetails) -> View:
        done = [effort_to_view(one) for one in result.efforts]
        return {**task_to_view(result.task), "effortList": done, "artifacts": list(result.artifacts)}


def find_task(context: CommandContext, named: str) -> TaskSummary:
    """The task of a name, or of a folder, which may be another project's. Raises LayerError."""
    path = os.path.expanduser(named)  # noqa: PTH111  a Path raises for `~nobody`
    if path.startswith("/"):
        # Nothing is written there because of this, and a folder was inside its project when its task began.
        folder = os.path.normpath(path)
        found = tasks.find_task(context.store, folder) or _find_linked_task(context, folder)
    else:
        folder = _find_own_folder(context, named)
        found = tasks.find_task(context.store, folder)
    if found is None:
        raise LayerError("TASK_NOT_FOUND", "there is no such task", where=folder, hint="type: synaptic task list --all")
    return found


def _find_linked_task(context: CommandContext, folder: str) -> TaskSummary | None:
    """The task of the caller's project that a path leads to by a link: it began under the name that it has there."""
    with suppress(LayerError):
        return tasks.find_task(context.store, _find_own_folder(context, folder))
    return None


def _find_own_folder(context: CommandContext, named: str) -> str:
    return task_files.find_task_folder(context.caller.root or context.caller.cwd, context.caller.cwd, named)
