"""What the git calls of a command would lose: asked of git and of its files, afresh for every call.

Nothing is kept from call to call, and whatever cannot be found out is left out: then the words alone decide.
"""

import os
from collections.abc import Awaitable, Callable, Mapping

from synaptic.facts import git
from synaptic.facts.gather import EngineMeans, Gatherer, read_call_command
from synaptic.facts.lost_commits import (
    find_left_by_moves,
    find_lost_branches,
    find_lost_stashes,
    find_replaced_branch,
    list_left_commits,
)
from synaptic.facts.lost_files import (
    find_changes,
    find_state,
    find_submodule_changes,
    find_untracked,
    find_worktree_changes,
    find_worktrees_below,
    find_written_over,
    is_plain_file_unchanged,
)
from synaptic.facts.repositories import FOREIGN_REPOSITORY
from synaptic.facts.repository_place import RepositoryPlace, find_place, has_worktrees
from synaptic.model.call import Call
from synaptic.model.loss import LostWork, add_losses
from synaptic.policies.git.branch_moves import CURRENT
from synaptic.policies.git.questions import LossQuestion, list_questions

MAX_QUESTIONS = 8
"""More than this about one command are not answered."""
INDEX_SOURCE, LAST_COMMIT = "", ("HEAD", "@")


def gather_losses(call: Call, means: EngineMeans) -> object:
    """The answers, by the keys of the questions. Most commands have none, and cost nothing."""
    command = read_call_command(call)
    questions = [one for one in list_questions(command) if _is_about_something(one)] if command is not None else []
    if not questions or len(questions) > MAX_QUESTIONS or any(name in call.env for name in FOREIGN_REPOSITORY):
        return {}
    return _answer_all(questions)


FACTS: Mapping[str, Gatherer] = {"losses": gather_losses}


def _is_about_something(question: LossQuestion) -> bool:
    """Whether what a question is about is there at all: on the way of every `git checkout main` and every `rm -r`."""
    if question.kind == "named":
        return os.path.lexists(f"{question.folder}/{question.paths[0]}")
    return question.kind != "folder" or has_worktrees(question.folder)


async def _answer_all(questions: list[LossQuestion]) -> Mapping[str, LostWork]:
    found: dict[str, LostWork] = {}
    for question in questions:
        answer = await _answer(question)
        if answer is not None:
            found[question.key] = answer
    return found


async def _answer(question: LossQuestion) -> LostWork | None:
    try:
        place = find_place(question.folder)
        return await ANSWERS[question.kind](place, question) if place is not None else None
    except (OSError, ValueError):
        return None  # broken, or changed under our hands


async def _answer_reset(place: RepositoryPlace, question: LossQuestion) -> LostWork | None:
    branch = question.paths[0] if question.paths and question.paths[0] != CURRENT else ""
    tree = await _answer_tree(place, question)
    if tree is None or (not branch and question.target in LAST_COMMIT):
        return tree  # the branch stays where it is
    left = await list_left_commits(place, branch, question.target, question.paths[1:])
    return add_losses(tree, left) if left is not None else None


async def _answer_tree(place: RepositoryPlace, question: LossQuestion) -> LostWork | None:
    changes = await find_changes(place)
    if changes is None:
        return None
    over = LostWork() if question.target in LAST_COMMIT else await find_written_over(place, question.target)
    return add_losses(add_losses(changes, over), LostWork(state=find_state(place))) if over is not None else None


async def _answer_paths(place: RepositoryPlace, question: LossQuestion) -> LostWork | None:
    paths = place.name_from_top(question.folder, question.paths)
    if paths is None:
        return None
    if question.target == INDEX_SOURCE and paths and all(is_plain_file_unchanged(place, path) for path in paths):
        return LostWork()
    changes = await find_changes(place, paths, staged=question.target != INDEX_SOURCE)
    if changes is None or question.target in (INDEX_SOURCE, *LAST_COMMIT):
        return changes
    over = await find_written_over(place, question.target, paths)
    return add_losses(changes, over) if over is not None else None


async def _answer_named(place: RepositoryPlace, question: LossQuestion) -> LostWork | None:
    """A word that is a file: git takes it for a branch where there is one of that name."""
    if git.resolve_reference(f"refs/heads/{question.paths[0]}", place.common):
        return LostWork()
    return await _answer_paths(place, question)


async def _answer_untracked(place: RepositoryPlace, question: LossQuestion) -> LostWork | None:
    folder = place.top if os.path.realpath(question.folder) == place.top else question.folder
    return await find_untracked(folder, tuple(question.target.split()), question.paths)


async def _answer_submodules(place: RepositoryPlace, question: LossQuestion) -> LostWork | None:
    paths = place.name_from_top(question.folder, question.paths)
    return await find_submodule_changes(place, question.target == "deinit", paths) if paths is not None else None


async def _answer_worktree(place: RepositoryPlace, question: LossQuestion) -> LostWork | None:
    return await find_worktree_changes(place, question.folder, question.paths[0])


async def _answer_folder(place: RepositoryPlace, question: LossQuestion) -> LostWork | None:
    return await find_worktrees_below(place, question.paths[0])


async def _answer_branches(place: RepositoryPlace, question: LossQuestion) -> LostWork | None:
    return await find_lost_branches(place, question.paths)


async def _answer_renamed(place: RepositoryPlace, question: LossQuestion) -> LostWork | None:
    return await find_replaced_branch(place, question.target, question.paths[0])


async def _answer_moved(place: RepositoryPlace, question: LossQuestion) -> LostWork | None:
    return await find_left_by_moves(place, question.paths, tuple(question.target.split()))


async def _answer_stash(place: RepositoryPlace, question: LossQuestion) -> LostWork | None:
    return await find_lost_stashes(place, question.paths[0] if question.paths else "", question.target == "clear")


ANSWERS: Mapping[str, Callable[[RepositoryPlace, LossQuestion], Awaitable[LostWork | None]]] = {
    "reset": _answer_reset,
    "tree": _answer_tree,
    "paths": _answer_paths,
    "named": _answer_named,
    "printed": _answer_paths,
    "untracked": _answer_untracked,
    "submodules": _answer_submodules,
    "worktree": _answer_worktree,
    "folder": _answer_folder,
    "branches": _answer_branches,
    "renamed": _answer_renamed,
    "moved": _answer_moved,
    "stash": _answer_stash,
}
