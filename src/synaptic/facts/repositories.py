"""The repositories that a shell command's git calls work in, wherever the command goes."""

import asyncio
import os
from collections.abc import Mapping

import msgspec

from synaptic.facts import git
from synaptic.facts.ask_git import run_git
from synaptic.facts.gather import EngineMeans, Gatherer, read_call_command
from synaptic.model.call import Call
from synaptic.model.once import kept_beside
from synaptic.model.project import Git, PendingCommit
from synaptic.policies.git.indirect import may_lose_indirectly
from synaptic.policies.git.made_here import find_made_folder
from synaptic.policies.git.questions import may_lose
from synaptic.shell.reading import CommandReading

TREE_VERBS = frozenset({"push", "commit", "worktree", "reset", "clean", "checkout", "switch", "restore", "rm"})
"""Calls for which it matters what is checked out."""
FOREIGN_REPOSITORY = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE")
"""Variables of the agent's environment with which its git works elsewhere: where no repository is, one may be found."""
WORKTREES_PLACE = "/.worktrees/"
MAX_FOLDERS = 8
"""More folders than this in one command are not looked at."""


def gather_repositories(call: Call, means: EngineMeans) -> Mapping[str, Git]:
    """The working trees by folder; a removal of `.worktrees/` is about the folder that the event happened in."""
    command = read_call_command(call)
    if command is None:
        return {}
    trees = {folder: _read_tree(folder) for folder in _list_folders(command)}
    if not trees:
        return trees
    if any(name in call.env for name in FOREIGN_REPOSITORY):
        return {folder: tree for folder, tree in trees.items() if tree.is_known and not tree.missing}
    if command.cwd and any(tree.missing for tree in trees.values()):
        # Who cannot go to such a folder may stay in this one.
        trees.setdefault(command.cwd, _read_tree(command.cwd))
    return trees


@kept_beside
def _list_folders(command: CommandReading) -> list[str]:
    """What the text alone says; what is in the folders is looked up for every call."""
    folders = [
        found.cwd
        for found in command.git_calls
        if found.verb in TREE_VERBS or may_lose(found) or may_lose_indirectly(found, command)
    ]
    if "worktrees" in command.text or (WORKTREES_PLACE in command.cwd and "rm" in command.programs):
        folders.append(command.cwd)
    if "push" in command.git_verbs and "init" in command.git_verbs:
        # Whether a remote that the command makes is a new one.
        folders += (find_made_folder(found) for found in command.git_calls if found.verb == "init")
    return _limit_folders(folders)


async def gather_pending(call: Call, means: EngineMeans) -> Mapping[str, PendingCommit]:
    """Staged files and merge state of each repository that the command commits in."""
    command = read_call_command(call)
    folders = _limit_folders([found.cwd for found in command.git_calls if found.verb == "commit"] if command else [])
    found = await asyncio.gather(*(_read_pending(folder) for folder in folders))
    return dict(zip(folders, found, strict=True))


FACTS: Mapping[str, Gatherer] = {"repositories": gather_repositories, "pending": gather_pending}


def _read_tree(folder: str) -> Git:
    found = git.read_working_tree(folder)
    # That a folder is not there is on the way of hardly any call, so the ordinary one is not copied for it.
    if not os.path.isdir(folder):  # noqa: PTH112
        return msgspec.structs.replace(found, missing=True)
    return Git(empty=True) if not found.is_known and not found.bare and _is_empty(folder) else found


def _is_empty(folder: str) -> bool:
    """Whether nothing is in a folder; one that cannot be read is not known to be empty."""
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is None
    except OSError:
        return False


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
