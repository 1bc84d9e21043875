"""The repositories that a shell command's git calls work in, wherever the command goes."""

import asyncio
from collections.abc import Mapping

from synaptic.facts import git
from synaptic.facts.gather import EngineMeans, Gatherer, command_of
from synaptic.model.call import Call
from synaptic.model.project import Git, Pending

VERBS = frozenset({"push", "commit", "worktree", "reset", "clean", "checkout", "switch", "restore", "rm"})
"""Calls for which it matters what is checked out."""
FOLDERS = 8
"""More folders than this in one command are not looked at."""


async def repositories(call: Call, means: EngineMeans) -> Mapping[str, Git]:
    """The working trees by folder; a removal of `.worktrees/` is about the folder that the event happened in."""
    command = command_of(call)
    if command is None:
        return {}
    folders = [found.cwd for found in command.git_calls if found.verb in VERBS]
    if "worktrees" in command.text:
        folders.append(call.event.cwd or call.root)
    return {folder: git.read(folder) for folder in _some(folders)}


async def pending(call: Call, means: EngineMeans) -> Mapping[str, Pending]:
    """Staged files and merge state of each repository that the command commits in."""
    command = command_of(call)
    folders = _some([found.cwd for found in command.git_calls if found.verb == "commit"] if command else [])
    found = await asyncio.gather(*(_pending(folder) for folder in folders))
    return dict(zip(folders, found, strict=True))


FACTS: Mapping[str, Gatherer] = {"repositories": repositories, "pending": pending}


def _some(folders: list[str]) -> list[str]:
    return list(dict.fromkeys(folder for folder in folders if folder))[:FOLDERS]


async def _pending(folder: str) -> Pending:
    top = git.read(folder).top
    if not top:
        return Pending()
    merge, staged = await asyncio.gather(
        git.ask(top, "rev-parse", "--quiet", "--verify", "MERGE_HEAD"),
        git.ask(top, "diff", "--cached", "--name-only", "--no-renames", "-z"),
    )
    return Pending(merging=bool(merge.strip()), staged=tuple(name for name in staged.split("\0") if name))
