"""The state of a repository: from git's own files where they say it, from git where only git knows.

Reading HEAD costs as much as asking whether it changed, so nothing is kept of it.
"""

import os
from collections.abc import Mapping
from itertools import islice
from stat import S_ISDIR

from synaptic.facts.ask_git import run_git
from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.files.bounded import read_start
from synaptic.files.long_paths import cut_path
from synaptic.files.snapshot import iter_names
from synaptic.model.call import Call
from synaptic.model.event import ToolEvent
from synaptic.model.project import Git
from synaptic.policies.source_files import is_guarded, to_project_path

REF_FILE_LIMIT = 4096
PACKED_LIMIT = 8 << 20
REF_PREFIX = "ref: "
HEADS_PREFIX = "refs/heads/"
MAX_DIFF_LINES = 10
MAX_WORKTREES = 1000
MAX_SYMBOLIC_REFS = 5
"""Symbolic references that are followed."""


async def gather_git(call: Call, means: EngineMeans) -> Git:
    """The working tree of the event's own folder, else of the project."""
    here = read_working_tree(call.event.cwd) if call.event.cwd else Git()
    return here if here.is_known else read_working_tree(call.root)


async def gather_file_git(call: Call, means: EngineMeans) -> Git:
    """The working tree that the tool call's file is or will be in."""
    memo = means.memo.for_call(call)
    if memo.file_git is None:
        path = find_call_file(call)
        memo.file_git = read_working_tree(os.path.dirname(path)) if path else Git()  # noqa: PTH120 - on the way of every write
    return memo.file_git


async def gather_dirty(call: Call, means: EngineMeans) -> int:
    """How many lines `git status --porcelain` has."""
    tree = await gather_git(call, means)
    return len((await run_git(tree.top, "status", "--porcelain")).splitlines()) if tree.is_known else 0


async def gather_diff(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """The first lines of what the tool call's file has more or less than the last commit."""
    path = find_call_file(call)
    if not is_guarded(to_project_path(path, call.root)) or not os.path.isfile(path):  # noqa: PTH113 - nobody asks about others
        return ()
    tree = await gather_file_git(call, means)
    if not tree.commit:
        return ()
    words = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD", "--", path)
    return tuple((await run_git(tree.top, *words)).splitlines()[:MAX_DIFF_LINES])


FACTS: Mapping[str, Gatherer] = {
    "git": gather_git,
    "file_git": gather_file_git,
    "dirty": gather_dirty,
    "diff": gather_diff,
}


def find_call_file(call: Call) -> str:
    """The absolute path of the file that a tool call names; empty when it names none."""
    path = call.event.tool.read_text("file_path") if isinstance(call.event, ToolEvent) else ""
    if not path or "\0" in path:
        return ""
    return os.path.normpath(os.path.join(call.event.cwd or call.root, path))  # noqa: PTH118 - text only


def read_working_tree(folder: str) -> Git:
    """The working tree around a folder, which need not exist yet. Never raises."""
    if not folder.startswith("/"):
        return Git()
    try:
        return _find_working_tree(os.path.realpath(cut_path(folder)))
    except (OSError, ValueError):
        return Git()


def _find_working_tree(folder: str) -> Git:
    # Walked by hand, not by asking git: this is on the way of every write, and a process would cost milliseconds.
    current = folder
    while True:
        prefix = current.rstrip("/")
        if found := _read_repository(prefix or "/", f"{prefix}/.git"):
            return found
        if _is_bare(prefix or "/"):
            return Git(bare=True)
        if not prefix:
            return Git()
        current = prefix.rpartition("/")[0] or "/"


def _read_repository(top: str, entry: str) -> Git | None:
    folder = find_git_folder(top, entry)
    return _describe_tree(top, folder) if folder else None


def find_git_folder(top: str, entry: str = "") -> str:
    """The git folder of a working tree: `.git`, or what a file of that name says; empty when it is none."""
    entry = entry or f"{top}/.git"
    try:
        is_folder = S_ISDIR(os.stat(entry).st_mode)  # noqa: PTH116 - on the way of every write
    except (OSError, ValueError):
        return ""  # most folders on the way up have none
    if is_folder:
        return entry if os.path.isfile(f"{entry}/HEAD") else ""  # noqa: PTH113
    target = read_git_file(entry).removeprefix("gitdir:").strip()
    return os.path.normpath(os.path.join(top, target)) if target else ""  # noqa: PTH118


def find_common_folder(folder: str) -> str:
    """The git folder that a worktree shares with others; its own when it shares none."""
    named = read_git_file(f"{folder}/commondir").strip()
    return os.path.normpath(os.path.join(folder, named)) if named else folder  # noqa: PTH118


def _describe_tree(top: str, folder: str) -> Git:
    """A working tree by its git folder. A linked one names its common folder, a submodule does not."""
    common = find_common_folder(folder)
    named = common != folder
    inner = "/.git/modules/" in f"{folder}/"
    branch, commit = _read_head(folder, common)
    main = "" if inner or _is_set_bare(common) else (os.path.dirname(common) if named else top)  # noqa: PTH120
    return Git(
        top=top,
        branch=branch,
        commit=commit,
        linked=bool(named),
        submodule=inner and not named,
        main=main or (top if inner else ""),
        worktrees=_list_worktrees(common),
    )


def _read_head(folder: str, common: str) -> tuple[str, str]:
    text = read_git_file(f"{folder}/HEAD").strip()
    if not text.startswith(REF_PREFIX):
        return "", text
    name = text.removeprefix(REF_PREFIX)
    return name.removeprefix(HEADS_PREFIX), resolve_reference(name, common)


def resolve_reference(name: str, common: str) -> str:
    """The commit of a reference: its own file, else the packed ones; empty when it has none yet."""
    for _ in range(MAX_SYMBOLIC_REFS):
        text = read_git_file(f"{common}/{name}").strip()
        if not text.startswith(REF_PREFIX):
            break
        name = text.removeprefix(REF_PREFIX)
    if text:
        return text
    packed = read_git_file(f"{common}/packed-refs", PACKED_LIMIT).splitlines()
    return next((line[: -len(name)].strip() for line in packed if line.endswith(f" {name}")), "")


def _list_worktrees(common: str) -> tuple[str, ...]:
    """Linked working trees whose folders are still there."""
    names = islice(iter_names(f"{common}/worktrees"), MAX_WORKTREES)
    entries = (read_git_file(f"{common}/worktrees/{name}/gitdir").strip() for name in names)
    return tuple(entry.removesuffix("/.git") for entry in entries if entry and os.path.exists(entry))  # noqa: PTH110


def _is_bare(folder: str) -> bool:
    if not os.path.exists(f"{folder}/HEAD"):  # noqa: PTH110 - hardly any folder on the way up has it
        return False
    return all(os.path.exists(f"{folder}/{name}") for name in ("objects", "refs"))  # noqa: PTH110


def _is_set_bare(common: str) -> bool:
    return not common.endswith("/.git") and "bare = true" in read_git_file(f"{common}/config", PACKED_LIMIT)


def read_git_file(path: str, limit: int = REF_FILE_LIMIT) -> str:
    """The start of one of git's own files; empty when it is not there."""
    return read_start(path, limit).decode("utf-8", "surrogateescape")
