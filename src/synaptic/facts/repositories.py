"""The repositories that a shell command's git calls work in, wherever the command goes."""

import asyncio
from collections.abc import Mapping

from synaptic.facts import git
from synaptic.facts.gather import USER_HOME, Gatherer, Means
from synaptic.model.call import Call
from synaptic.model.event import ToolEvent
from synaptic.model.project import Git, Pending
from synaptic.shell.effects.git import git_calls
from synaptic.shell.programs.git_line import GitCall

VERBS = frozenset({"push", "commit", "worktree", "reset", "clean", "checkout", "switch", "restore", "rm"})
"""Calls for which it matters what is checked out."""
FOLDERS = 8
"""More folders than this in one command are not looked at."""


async def repositories(call: Call, means: Means) -> Mapping[str, Git]:
    """The working trees by folder; a removal of `.worktrees/` is about the folder that the event happened in."""
    folders = [found.cwd for found in _calls(call) if found.verb in VERBS]
    if isinstance(call.event, ToolEvent) and "worktrees" in call.event.tool.command:
        folders.append(call.event.cwd or call.root)
    return {folder: git.read(folder) for folder in _some(folders)}


async def pending(call: Call, means: Means) -> Mapping[str, Pending]:
    """What each commit would hold."""
    folders = _some([found.cwd for found in _calls(call) if found.verb == "commit"])
    found = await asyncio.gather(*(_pending(folder) for folder in folders))
    return dict(zip(folders, found, strict=True))


FACTS: Mapping[str, Gatherer] = {"repositories": repositories, "pending": pending}


def _calls(call: Call) -> tuple[GitCall, ...]:
    if not isinstance(call.event, ToolEvent) or not call.event.tool.command:
        return ()
    home = call.env.get("HOME") or USER_HOME
    return git_calls(call.event.tool.command, call.event.cwd or call.root, home)


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
