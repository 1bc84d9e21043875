"""The files of tasks and efforts: folders, logs, debriefs. They are written inside the project and nowhere else."""

import fcntl
import os
import re
from collections.abc import Iterable
from pathlib import Path

from synaptic.model.errors import LayerError
from synaptic.model.layers import Effort
from synaptic.work.log_entry import appended

TASKS = ".tasks"
GUARDED = frozenset({".git", ".synaptic", ".claude", ".codex", ".gemini", ".cursor", ".system"})
"""Folders that decide what agents and the engine do: nothing of a task belongs there."""
UNSAFE = re.compile(r"[^\w.-]+")
LONGEST = 100


def folder_of(root: str, cwd: str, task: str) -> str:
    """The folder of a task: a name is one below `.tasks`, a path is itself. Raises LayerError outside the project."""
    given = Path(cwd) / Path(task).expanduser() if "/" in task else Path(root, TASKS, _name(task))
    return _inside(root, os.path.normpath(given))


def append(root: str, effort: Effort, entry: str) -> str:
    """One entry at the end of an effort's log, in one write; the log's path. Entries stand apart by a blank line."""
    path = effort.artifact("log")
    _inside(root, effort.task)
    try:
        Path(effort.task).mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        _write(descriptor, entry)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        os.close(descriptor)
    return path


def documents(folder: str) -> tuple[str, ...]:
    """The Markdown files of a task, by name."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208
    except (OSError, ValueError):
        return ()
    return tuple(f"{folder}/{name}" for name in names if name.endswith(".md") and not name.startswith("."))


def debriefs(efforts: Iterable[Effort]) -> tuple[str, ...]:
    """What finished efforts have left behind, as far as it is there."""
    return tuple(path for one in efforts if one.finished and Path(path := one.artifact()).is_file())


def _write(descriptor: int, entry: str) -> None:
    size = os.fstat(descriptor).st_size
    data = appended(os.pread(descriptor, 2, max(size - 2, 0)), entry)
    try:
        if os.write(descriptor, data) != len(data):
            raise OSError(28, "the disk is full")
    except OSError:
        os.ftruncate(descriptor, size)  # half an entry is none
        raise


def _name(task: str) -> str:
    name = UNSAFE.sub("-", task.lower()).strip("-.")[:LONGEST]
    if not name:
        raise LayerError("VALIDATION_ERROR", f"{task!r} cannot name a task", hint="use letters, digits, - and _")
    return name


def _inside(root: str, path: str) -> str:
    """The path, if neither its name nor a link leads out of the project or into what governs it."""
    for base, place in ((root, path), (os.path.realpath(root), os.path.realpath(path))):
        below = os.path.relpath(place, base).split("/")
        if below[0] in ("..", ".") or GUARDED.intersection(below):
            what = "a task's folder is inside the project" if below[0] in ("..", ".") else "no task belongs there"
            raise LayerError("VALIDATION_ERROR", what, where=path, hint=f"give a name: it becomes {root}/{TASKS}/NAME")
    return path


def _unwritable(path: str, error: OSError) -> LayerError:
    return LayerError("VALIDATION_ERROR", f"the log cannot be written: {error.strerror or error}", where=path)
