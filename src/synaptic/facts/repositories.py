"""The repositories that a shell command's git calls work in, wherever the command goes."""

import asyncio
from collections.abc import Mapping

from synaptic.facts import git
from synaptic.facts.ask_git import run_git
from synaptic.facts.gather import EngineMeans, Gatherer, read_call_command
from synaptic.model.call import Call
from synaptic.model.project import Git, PendingCommit

TREE_VERBS = frozenset({"push", "commit", "worktree", "reset", "clean", "checkout", "switch", "restore", "rm"})
"""Calls for which it matters what is checked out."""
MAX_FOLDERS = 8
"""More folders than this in one command are not looked at."""


def gather_repositories(call: Call, means: EngineMeans) -> Mapping[str, Git]:
    """The working trees by folder; a removal of `.worktrees/` is about the folder that the event happened in."""
    command = read_call_command(call)
    if command is None:
        return {}
    folders = [found.cwd for found in command.git_calls if found.verb in TREE_VERBS]
    if "worktrees" in command.text:
        folders.append(call.event.cwd or call.root)
    return {folder: git.read_working_tree(folder) for folder in _limit_folders(folders)}


async def gather_pending(call: Call, means: EngineMeans) -> Mapping[str, PendingCommit]:
    """Staged files and merge state of each repository that the command commits in."""
    command = read_call_command(call)
    folders = _limit_folders([found.cwd for found in command.git_calls if found.verb == "commit"] if command else [])
    found = await asyncio.gather(*(_read_pending(folder) for folder in folders))
    return dict(zip(folders, found, strict=True))


FACTS: Mapping[str, Gatherer] = {"repositories": gather_repositories, "pending": gather_pending}


def _limit_folders(folders: list[str]) -> list[str]:
    return list(dict.fromkeys(folder for folder in folders if folder))[:MAX_FOLDERS]


async def _read_pending(folder: str) -> PendingCommit:
    top = git.read_working_tree(folder).top
    if not top:
        return PendingCommit()
    merge, staged = await asyncio.gather(
        run_git(top, "rev-parse", "--quiet", "--verify", "MERGE_HEAD"),
        run_git(top, "diff", "--cached", "--name-only", "--no-renames", "-z"),
    )
    return PendingCommit(merging=bool(merge.strip()), staged=tuple(name for name in staged.split("\0") if name))
