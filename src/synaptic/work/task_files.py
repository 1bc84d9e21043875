"""The files of tasks and efforts: folders, logs, debriefs. They are written inside the project and nowhere else."""

import fcntl
import os
import re
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from synaptic.agents.shared.guarded import find_usual_paths
from synaptic.files.inside import delete_inside, drop_folders_inside, name_inside, open_inside
from synaptic.files.snapshot import iter_names
from synaptic.model.errors import LayerError
from synaptic.model.layers import Effort
from synaptic.store.redact import redact_text

TASKS_FOLDER = ".tasks"
ENGINE_FOLDERS = frozenset({".git", ".synaptic", ".system"})
UNSAFE_LETTERS = re.compile(r"[^\w.-]+")
LOG_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
HEADING = re.compile(r"^## ", re.MULTILINE)
NAME_LIMIT = 100
LOCK_TRIES, LOCK_PAUSE = 20, 0.01
"""How often and how long another writer is waited for, in seconds."""


def find_task_folder(root: str, cwd: str, task: str) -> str:
    """The folder of a task: a name is one below `.tasks`, a path is where its links lead.

    Raises LayerError outside the project.
    """
    # os.path.expanduser leaves `~nobody` as it is, where Path.expanduser raises.
    given = Path(cwd, os.path.expanduser(task)) if "/" in task else Path(root, TASKS_FOLDER, _make_folder_name(task))  # noqa: PTH111
    return _require_inside(root, os.path.normpath(given))


def append_log_entry(root: str, effort: Effort, entry: str, settle: Callable[[], object] = lambda: None) -> str:
    """One entry at the end of an effort's log, in one write; the log's path. Entries stand apart by a blank line.

    `settle` is what belongs to the entry: when it raises, the entry is taken back.
    """
    path = effort.artifact_path("log")
    _require_inside(root, effort.task)
    try:
        # A link in the log's place, or on the way to it, would make the engine write wherever it points.
        descriptor = open_inside(root, name_inside(root, os.path.normpath(path)), LOG_FLAGS, make=0o755)
    except OSError as error:
        raise _make_write_error(path, error) from error
    try:
        # Two writers would both look at the same end of the file and put the wrong number of newlines between.
        _lock_log(descriptor)
        before = _write_entry(descriptor, redact_text(entry))
        end = os.fstat(descriptor).st_size
        try:
            settle()
        except BaseException:
            _take_back(descriptor, before, end)
            if before == 0:
                _drop_empty_log(root, path)
            raise
    except OSError as error:
        raise _make_write_error(path, error) from error
    finally:
        os.close(descriptor)
    return path


def _lock_log(descriptor: int) -> None:
    """Wait a little for another writer. One that never lets go is no reason not to write: the entry is one write."""
    for _ in range(LOCK_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            time.sleep(LOCK_PAUSE)


def stamp_entry(entry: str, when: str) -> str:
    """The entry with `[when]` after its first `## `, unless a bracket is there; without a heading it stays as it is."""
    first = HEADING.search(entry)
    if first is None or entry.startswith("[", first.end()):
        return entry
    return f"{entry[: first.end()]}[{when}] {entry[first.end() :]}"


def separate_entry(before: bytes, entry: str) -> bytes:
    """What is written behind the end of a log; `before` is that end, as much of it as there is."""
    body = entry.strip("\n").encode("utf-8", "replace") + b"\n"
    if not before:
        return body
    tail = before[-2:]
    newlines = len(tail) - len(tail.rstrip(b"\n"))
    return b"\n" * (2 - newlines) + body


def list_documents(folder: str) -> tuple[str, ...]:
    """The Markdown files of a task, by name."""
    return tuple(f"{folder}/{name}" for name in iter_names(folder) if name.endswith(".md") and not name.startswith("."))


def list_own_documents(effort: Effort) -> tuple[str, ...]:
    """The Markdown files of one effort: those that begin with its number."""
    return tuple(path for path in list_documents(effort.task) if _has_ordinal(path, effort.ordinal))


def list_debriefs(efforts: Iterable[Effort]) -> tuple[str, ...]:
    """What finished efforts have left behind, as far as it is there."""
    return tuple(path for one in efforts if one.finished and Path(path := one.artifact_path()).is_file())


def _take_back(descriptor: int, before: int, end: int) -> None:
    """Cut the file where the entry began, unless somebody who did not wait for the lock has written behind it."""
    if os.fstat(descriptor).st_size == end:
        os.ftruncate(descriptor, before)


def _drop_empty_log(root: str, path: str) -> None:
    """Remove a log that has no entry, and the folders that were made for it."""
    with suppress(OSError, ValueError):  # what was raised first counts
        name = name_inside(root, os.path.normpath(path))
        if Path(path).stat().st_size == 0:
            delete_inside(root, name)
            folders = name.split("/")[:-1]
            drop_folders_inside(root, *("/".join(folders[:depth]) for depth in range(len(folders), 0, -1)))


def _write_entry(descriptor: int, entry: str) -> int:
    """Write the entry; where it begins."""
    size = os.fstat(descriptor).st_size
    data = separate_entry(os.pread(descriptor, 2, max(size - 2, 0)), entry)
    try:
        if os.write(descriptor, data) != len(data):
            raise OSError(28, "the disk is full")
    except OSError:
        os.ftruncate(descriptor, size)  # half an entry is none
        raise
    return size


def _has_ordinal(path: str, ordinal: int) -> bool:
    return path.rpartition("/")[2].startswith(f"{ordinal}_")


def _make_folder_name(task: str) -> str:
    name = UNSAFE_LETTERS.sub("-", task.lower()).strip("-.")[:NAME_LIMIT]
    if not name:
        raise LayerError("VALIDATION_ERROR", f"{task!r} cannot name a task", hint="use letters, digits, - and _")
    return name


def _require_inside(root: str, path: str) -> str:
    """The path without its links, if neither its name nor a link leads out of the project or into what governs it."""
    if "\0" in path:
        raise LayerError("VALIDATION_ERROR", "a path holds no NUL", where=path.replace("\0", "?"))
    # Resolved, since nothing is written through a link: one folder has one name, by whatever way it is reached.
    resolved = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    written = os.path.relpath(path, root)
    is_outside = resolved.split("/")[0] in ("..", ".")
    if is_outside or any(_is_guarded(name.split("/")) for name in (resolved, written) if not name.startswith("../")):
        what = "a task's folder is inside the project" if is_outside else "no task belongs there"
        hint = f"give a name: it becomes {root}/{TASKS_FOLDER}/NAME"
        raise LayerError("VALIDATION_ERROR", what, where=path, hint=hint)
    return f"{root.rstrip('/')}/{resolved}"


def _is_guarded(parts: list[str]) -> bool:
    """Whether a path leads into a folder that decides what agents and the engine do: no task belongs there."""
    agents = (folder for folder in find_usual_paths().folders if "/" not in folder)
    return not ENGINE_FOLDERS.union(agents).isdisjoint(parts)


def _make_write_error(path: str, error: OSError) -> LayerError:
    return LayerError("VALIDATION_ERROR", f"the log cannot be written: {error.strerror or error}", where=path)
