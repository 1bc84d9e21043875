"""Files that policies look at: the one a call names, those a session wrote, and the small ones in `.claude/`."""

import asyncio
import os
import time
from collections.abc import Iterator, Mapping

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.facts.git import file_of
from synaptic.files.snapshot import TICK, Signature, read, signature
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.project import ChangedFile, Code, Target, TestStatus
from synaptic.model.state import Section
from synaptic.policies.practice.decisions import ids
from synaptic.policies.practice.records import AUDIT, FOLDER, TEST_STATUS, read_status, record_path
from synaptic.policies.practice.sections import CHANGES
from synaptic.policies.source_files import SKIPPED_FOLDERS, is_source
from synaptic.store import state

TEXT_LIMIT = 1 << 20
CHANGED_FILES = 200
CODE_FOLDERS = ("src", "lib", "app", "pkg", "cmd", "internal")
CODE_FILES = 4000
SMALL, FEW = 64 * 1024, 64
"""Files whose text is kept until they change."""
TAIL_LINES = 5
TAIL_BYTES = 16 * 1024
SESSION_FILES = (".session-changes-", ".session-decisions-", ".prompt-count-")


_targets: dict[str, tuple[Signature, Target]] = {}


def text_of(path: str) -> str:
    """A text file's content; empty when it is missing, too large or no text."""
    content = read(path, TEXT_LIMIT)
    return content.decode("utf-8", "replace") if isinstance(content, bytes) and b"\0" not in content else ""


async def target(call: Call, means: EngineMeans) -> Target:
    """The file that the tool call names."""
    path = file_of(call)
    if not path:
        return Target()
    now = signature(path)
    known = _targets.get(path)
    if known is not None and known[0] == now:
        return known[1]
    exists = now is not None and os.path.isfile(path)  # noqa: PTH113
    folder = exists or os.path.isdir(os.path.dirname(path))  # noqa: PTH112, PTH120
    found = Target(path=path, exists=exists, folder=folder, text=text_of(path) if exists else "")
    if now is not None and now[1] < time.time_ns() - TICK and len(found.text) <= SMALL:
        _remember(path, (now, found))
    return found


async def tests(call: Call, means: EngineMeans) -> TestStatus | None:
    """The status on disk, whoever wrote it."""
    return read_status(text_of(record_path(call.root, TEST_STATUS))) if call.root else None


async def changed(call: Call, means: EngineMeans) -> tuple[ChangedFile, ...]:
    """Files that the session wrote and that still exist."""
    paths = _changes(call, means).get("files")
    names = [str(path) for path in paths][-CHANGED_FILES:] if isinstance(paths, list | tuple) else []
    return await asyncio.to_thread(_texts, names) if names else ()


async def code(call: Call, means: EngineMeans) -> Code:
    """The decision ids of the whole project, where the session has written something since it was last asked."""
    known = _changes(call, means)
    if not call.root or known.get("edits", 0) == known.get("told", 0):
        return Code()
    return await asyncio.to_thread(_decisions, call.root)  # other sessions do not wait for thousands of files


async def audit_tail(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """The newest lines of the audit log."""
    try:
        with open(record_path(call.root, AUDIT), "rb") as file:  # noqa: PTH123
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
            return tuple(file.read().decode("utf-8", "replace").splitlines()[-TAIL_LINES:])
    except OSError:
        return ()


async def leftovers(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """Files of sessions in the agent's folder."""
    try:
        names = os.listdir(f"{call.root}/{FOLDER}") if call.root else []  # noqa: PTH208
    except OSError:
        return ()
    return tuple(sorted(name for name in names if name.startswith(SESSION_FILES)))


FACTS: Mapping[str, Gatherer] = {
    "target": target,
    "tests": tests,
    "changed": changed,
    "code": code,
    "audit_tail": audit_tail,
    "leftovers": leftovers,
}


def _remember(path: str, known: tuple[Signature, Target]) -> None:
    if len(_targets) >= FEW:
        _targets.clear()
    _targets[path] = known


def _changes(call: Call, means: EngineMeans) -> Section:
    try:
        return state.read(means.store, state.Owner(call.root, call.event.session_id), (CHANGES,)).section(CHANGES)
    except StoreError:
        return {}


def _texts(paths: list[str]) -> tuple[ChangedFile, ...]:
    return tuple(ChangedFile(path=path, text=text_of(path)) for path in paths if os.path.isfile(path))  # noqa: PTH113


def _decisions(root: str) -> Code:
    found: dict[str, int] = {}
    for count, path in enumerate(_sources(root)):
        if count >= CODE_FILES:
            return Code(decisions=found, complete=False)
        for name in ids(text_of(path)):
            found[name] = found.get(name, 0) + 1
    return Code(decisions=found)


def _sources(root: str) -> Iterator[str]:
    """Source files in the usual folders, or in all of them where there are none such."""
    usual = [f"{root}/{name}" for name in CODE_FOLDERS if os.path.isdir(f"{root}/{name}")]  # noqa: PTH112
    for start in usual or [root]:
        for folder, inner, names in os.walk(start):
            inner[:] = sorted(name for name in inner if name not in SKIPPED_FOLDERS and not name.startswith("."))
            yield from (f"{folder}/{name}" for name in sorted(names) if is_source(name))
