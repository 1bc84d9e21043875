"""Files that policies look at: the one a call names, those a session wrote, and the small ones in `.claude/`."""

import asyncio
import os
import time
from collections.abc import Iterator, Mapping

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.facts.git import find_call_file
from synaptic.files.bounded import UnreadableFile, read_content, read_end
from synaptic.files.snapshot import CLOCK_TICK, StatSignature, iter_names, read_signature
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.project import ChangedFile, CodeDecisions, TargetFile, TestStatus
from synaptic.model.state import Section
from synaptic.policies.practice.decisions import find_ids
from synaptic.policies.practice.records import (
    AUDIT_FILE,
    RECORDS_FOLDER,
    TEST_STATUS_FILE,
    make_record_path,
    parse_status_line,
)
from synaptic.policies.practice.sections import CHANGES
from synaptic.policies.source_files import SKIPPED_FOLDERS, is_source
from synaptic.store import state

TEXT_LIMIT = 1 << 20
MAX_CHANGED_FILES = 200
CODE_FOLDERS = ("src", "lib", "app", "pkg", "cmd", "internal")
MAX_CODE_FILES = 4000
MAX_REMEMBERED_TEXT, MAX_REMEMBERED_FILES = 64 * 1024, 64
"""Files whose text is kept until they change."""
TAIL_LINES = 5
TAIL_BYTES = 16 * 1024
SESSION_FILE_PREFIXES = (".session-changes-", ".session-decisions-", ".prompt-count-")


_known_targets: dict[str, tuple[StatSignature, TargetFile]] = {}


def read_text_file(path: str) -> str:
    """A text file's content; empty when it is missing, too large or no text."""
    content = read_content(path, TEXT_LIMIT)
    return content.decode("utf-8", "replace") if isinstance(content, bytes) and b"\0" not in content else ""


async def gather_target(call: Call, means: EngineMeans) -> TargetFile:
    """The file that the tool call names."""
    path = find_call_file(call)
    if not path:
        return TargetFile()
    now = read_signature(path)
    known = _known_targets.get(path)
    if known is not None and known[0] == now:
        return known[1]
    exists = now is not None and os.path.isfile(path)  # noqa: PTH113
    folder = exists or os.path.isdir(os.path.dirname(path))  # noqa: PTH112, PTH120
    text = _read_target(path) if exists else ""
    found = TargetFile(path=path, exists=exists, folder=folder, text=text)
    if now is not None and now[1] < time.time_ns() - CLOCK_TICK and len(found.text) <= MAX_REMEMBERED_TEXT:
        _remember_target(path, (now, found))
    return found


async def gather_tests(call: Call, means: EngineMeans) -> TestStatus | None:
    """The status on disk, whoever wrote it."""
    return parse_status_line(read_text_file(make_record_path(call.root, TEST_STATUS_FILE))) if call.root else None


async def gather_changed(call: Call, means: EngineMeans) -> tuple[ChangedFile, ...]:
    """Files that the session wrote and that still exist."""
    paths = _read_changes(call, means).get("files")
    names = [str(path) for path in paths][-MAX_CHANGED_FILES:] if isinstance(paths, list | tuple) else []
    return await asyncio.to_thread(_read_changed_files, names) if names else ()


async def gather_code(call: Call, means: EngineMeans) -> CodeDecisions:
    """The decision ids of the whole project, where the session has written something since it was last asked."""
    known = _read_changes(call, means)
    if not call.root or known.get("edits", 0) == known.get("told", 0):
        return CodeDecisions()
    return await asyncio.to_thread(_count_decisions, call.root)  # other sessions do not wait for thousands of files


async def gather_audit_tail(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """The newest lines of the audit log."""
    end = read_end(make_record_path(call.root, AUDIT_FILE), TAIL_BYTES)
    return tuple(end.decode("utf-8", "replace").splitlines()[-TAIL_LINES:])


async def gather_leftovers(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """Files of sessions in the agent's folder."""
    names = iter_names(f"{call.root}/{RECORDS_FOLDER}") if call.root else ()
    return tuple(name for name in names if name.startswith(SESSION_FILE_PREFIXES))


FACTS: Mapping[str, Gatherer] = {
    "target": gather_target,
    "tests": gather_tests,
    "changed": gather_changed,
    "code": gather_code,
    "audit_tail": gather_audit_tail,
    "leftovers": gather_leftovers,
}


def _read_target(path: str) -> str:
    """The text of the file that a call names. Raises OSError when it may be readable the next moment."""
    content = read_content(path, TEXT_LIMIT)
    if isinstance(content, UnreadableFile) and content.may_pass:
        raise OSError(f"{path}: {content.why}")
    return content.decode("utf-8", "replace") if isinstance(content, bytes) and b"\0" not in content else ""


def _remember_target(path: str, known: tuple[StatSignature, TargetFile]) -> None:
    if len(_known_targets) >= MAX_REMEMBERED_FILES:
        _known_targets.clear()
    _known_targets[path] = known


def _read_changes(call: Call, means: EngineMeans) -> Section:
    try:
        return state.read_state(
            means.store, state.SectionOwner(call.root, call.event.session_id), (CHANGES,)
        ).read_section(CHANGES)
    except StoreError:
        return {}


def _read_changed_files(paths: list[str]) -> tuple[ChangedFile, ...]:
    return tuple(ChangedFile(path=path, text=read_text_file(path)) for path in paths if os.path.isfile(path))  # noqa: PTH113


def _count_decisions(root: str) -> CodeDecisions:
    found: dict[str, int] = {}
    for count, path in enumerate(_iter_sources(root)):
        if count >= MAX_CODE_FILES:
            return CodeDecisions(decisions=found, complete=False)
        for name in find_ids(read_text_file(path)):
            found[name] = found.get(name, 0) + 1
    return CodeDecisions(decisions=found)


def _iter_sources(root: str) -> Iterator[str]:
    """Source files in the usual folders, or in all of them where there are none such."""
    usual = [f"{root}/{name}" for name in CODE_FOLDERS if os.path.isdir(f"{root}/{name}")]  # noqa: PTH112
    for start in usual or [root]:
        for folder, inner, names in os.walk(start):
            inner[:] = sorted(name for name in inner if name not in SKIPPED_FOLDERS and not name.startswith("."))
            yield from (f"{folder}/{name}" for name in sorted(names) if is_source(name))
