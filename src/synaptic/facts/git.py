"""The state of a repository: from git's own files where they say it, from git where only git knows.

Reading HEAD costs as much as asking whether it changed, so nothing is kept of it. git itself is found in fixed places,
never through a repository's PATH, and told to run nothing that the repository's configuration names.
"""

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.model.call import Call
from synaptic.model.errand import Errand
from synaptic.model.event import ToolEvent
from synaptic.model.project import Git
from synaptic.policies.source_files import is_guarded, local
from synaptic.runners import errands

PLACES = ("/usr/bin", "/usr/local/bin", "/bin", "/opt/homebrew/bin", "/opt/local/bin", "/run/current-system/sw/bin")
SAFE = ("--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat")
ENVIRONMENT = {"PATH": ":".join(PLACES), "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
SECONDS = 3.0
LIMIT = 4096
PACKED_LIMIT = 8 << 20
REF = "ref: "
HEADS = "refs/heads/"
DIFF_LINES = 10
LINKS = 5
"""Symbolic references that are followed."""


async def git(call: Call, means: EngineMeans) -> Git:
    """The working tree of the event's own folder, else of the project."""
    here = read(call.event.cwd) if call.event.cwd else Git()
    return here if here.known else read(call.root)


async def file_git(call: Call, means: EngineMeans) -> Git:
    """The working tree that the tool call's file is or will be in."""
    memo = means.memo.of(call)
    if memo.file_git is None:
        path = file_of(call)
        memo.file_git = read(os.path.dirname(path)) if path else Git()  # noqa: PTH120 - on the way of every write
    return memo.file_git


async def dirty(call: Call, means: EngineMeans) -> int:
    """How many lines `git status --porcelain` has."""
    tree = await git(call, means)
    return len((await ask(tree.top, "status", "--porcelain")).splitlines()) if tree.known else 0


async def diff(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """The first lines of what the tool call's file has more or less than the last commit."""
    path = file_of(call)
    if not is_guarded(local(path, call.root)) or not os.path.isfile(path):  # noqa: PTH113 - nobody asks about others
        return ()
    tree = await file_git(call, means)
    if not tree.commit:
        return ()
    words = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD", "--", path)
    return tuple((await ask(tree.top, *words)).splitlines()[:DIFF_LINES])


FACTS: Mapping[str, Gatherer] = {"git": git, "file_git": file_git, "dirty": dirty, "diff": diff}


def file_of(call: Call) -> str:
    """The absolute path of the file that a tool call names; empty when it names none."""
    path = call.event.tool.text("file_path") if isinstance(call.event, ToolEvent) else ""
    if not path or "\0" in path:
        return ""
    return os.path.normpath(os.path.join(call.event.cwd or call.root, path))  # noqa: PTH118 - text only


async def ask(folder: str, *words: str) -> str:
    """Run git and return what it prints; "" when it is missing, fails or takes too long, since a fact never raises."""
    program = _program()
    if not program:
        return ""
    errand = Errand(argv=(program, *SAFE, *words), cwd=folder, timeout=SECONDS)
    ended = await errands.run(errand, ENVIRONMENT)
    return ended.output if not ended.trouble and ended.exit == 0 else ""


def read(folder: str) -> Git:
    """The working tree around a folder, which need not exist yet. Never raises."""
    if not folder.startswith("/"):
        return Git()
    try:
        return _read(os.path.realpath(folder))
    except (OSError, ValueError):
        return Git()


def _read(folder: str) -> Git:
    # Walked by hand, not by asking git: this is on the way of every write, and a process would cost milliseconds.
    current = folder
    while True:
        prefix = current.rstrip("/")
        if found := _repository(prefix or "/", f"{prefix}/.git"):
            return found
        if _is_bare(prefix or "/"):
            return Git(bare=True)
        if not prefix:
            return Git()
        current = prefix.rpartition("/")[0] or "/"


def _repository(top: str, entry: str) -> Git | None:
    if os.path.isdir(entry):  # noqa: PTH112 - on the way of every write
        return _described(top, entry) if os.path.isfile(f"{entry}/HEAD") else None  # noqa: PTH113
    target = _text(entry).removeprefix("gitdir:").strip()
    if not target:
        return None
    return _described(top, os.path.normpath(os.path.join(top, target)))  # noqa: PTH118


def _described(top: str, folder: str) -> Git:
    """A working tree by its git folder. A linked one names its common folder, a submodule does not."""
    named = _text(f"{folder}/commondir").strip()
    common = os.path.normpath(os.path.join(folder, named)) if named else folder  # noqa: PTH118
    inner = "/.git/modules/" in f"{folder}/"
    branch, commit = _head(folder, common)
    main = "" if inner or _is_set_bare(common) else (os.path.dirname(common) if named else top)  # noqa: PTH120
    return Git(
        top=top,
        branch=branch,
        commit=commit,
        linked=bool(named),
        submodule=inner and not named,
        main=main or (top if inner else ""),
        worktrees=_worktrees(common),
    )


def _head(folder: str, common: str) -> tuple[str, str]:
    text = _text(f"{folder}/HEAD").strip()
    if not text.startswith(REF):
        return "", text
    name = text.removeprefix(REF)
    return name.removeprefix(HEADS), _resolved(name, common)


def _resolved(name: str, common: str) -> str:
    """The commit of a reference: its own file, else the packed ones; empty when it has none yet."""
    for _ in range(LINKS):
        text = _text(f"{common}/{name}").strip()
        if not text.startswith(REF):
            break
        name = text.removeprefix(REF)
    if text:
        return text
    packed = _text(f"{common}/packed-refs", PACKED_LIMIT).splitlines()
    return next((line[: -len(name)].strip() for line in packed if line.endswith(f" {name}")), "")


def _worktrees(common: str) -> tuple[str, ...]:
    """Linked working trees whose folders are still there."""
    try:
        names = sorted(os.listdir(f"{common}/worktrees"))  # noqa: PTH208
    except OSError:
        return ()
    entries = (_text(f"{common}/worktrees/{name}/gitdir").strip() for name in names)
    return tuple(entry.removesuffix("/.git") for entry in entries if entry and os.path.exists(entry))  # noqa: PTH110


def _is_bare(folder: str) -> bool:
    return all(os.path.exists(f"{folder}/{name}") for name in ("HEAD", "objects", "refs"))  # noqa: PTH110


def _is_set_bare(common: str) -> bool:
    return not common.endswith("/.git") and "bare = true" in _text(f"{common}/config", PACKED_LIMIT)


def _text(path: str, limit: int = LIMIT) -> str:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a Path costs as much as the read
            return file.read(limit).decode("utf-8", "surrogateescape")
    except OSError:
        return ""


@lru_cache(maxsize=1)
def _program() -> str:
    return next((str(path) for place in PLACES if os.access(path := Path(place, "git"), os.X_OK)), "")
