"""Commits and stashes that nothing else would lead to."""

import re

from synaptic.facts import git
from synaptic.facts.ask_git import ask_git
from synaptic.facts.repository_place import RepositoryPlace
from synaptic.model.loss import LostWork
from synaptic.policies.git.branch_moves import CURRENT, EVERY_BRANCH

MAX_COMMITS = 20
MAX_STASHES = 20
MAX_STASHED_FILES = 200
STASH_ENTRY = re.compile(r"(?:(?:refs/)?stash@\{(\d+)\}|(\d+)|(?:refs/)?stash)")
REFERENCE = re.compile(r"[\w][\w./@{}+~^-]*")
"""What may be handed to git as a name."""
COMMIT_NAME = re.compile(rf"@\{{-1\}}|{REFERENCE.pattern}")


async def list_left_commits(
    place: RepositoryPlace, branch: str, target: str, others: tuple[str, ...] = ()
) -> LostWork | None:
    """Commits of a branch, else of HEAD, that neither the target nor others nor any other reference leads to."""
    if not place.commit:
        return LostWork()
    start = f"refs/heads/{branch}" if branch and git.resolve_reference(f"refs/heads/{branch}", place.common) else "HEAD"
    moved = branch or place.branch
    kept = (target,) if target else ()
    return await _list_only_here(place, (start,), (moved,) if moved else (), kept + _select_commits(others))


async def find_lost_branches(place: RepositoryPlace, names: tuple[str, ...]) -> LostWork | None:
    """Commits that only these branches lead to."""
    if not all(REFERENCE.fullmatch(name) for name in names):
        return None
    there = tuple(name for name in names if git.resolve_reference(f"refs/heads/{name}", place.common))
    if not there:
        return LostWork()
    return await _list_only_here(place, tuple(f"refs/heads/{name}" for name in there), there, ())


async def find_replaced_branch(place: RepositoryPlace, old: str, new: str) -> LostWork | None:
    """Commits that only a branch leads to whose name another one takes."""
    if (old or place.branch) == new:
        return LostWork()
    return await find_lost_branches(place, (new,))


async def find_left_by_moves(place: RepositoryPlace, names: tuple[str, ...], kept: tuple[str, ...]) -> LostWork | None:
    """Commits that only these branches lead to, and nothing that is kept; a name that is no commit keeps nothing."""
    plain = _select_commits(kept)
    if EVERY_BRANCH in names:
        return await _list_only_here(place, ("--branches",), (EVERY_BRANCH,), plain)
    named = {name if name != CURRENT else place.branch for name in names}
    there = tuple(sorted(name for name in named if git.resolve_reference(f"refs/heads/{name}", place.common)))
    if not all(REFERENCE.fullmatch(name) for name in there):
        return None
    starts = tuple(f"refs/heads/{name}" for name in there)
    if CURRENT in names and not place.branch and place.commit:
        starts += (CURRENT,)  # detached: the commits have no branch
    return await _list_only_here(place, starts, there, plain) if starts else LostWork()


def _select_commits(names: tuple[str, ...]) -> tuple[str, ...]:
    """Words for git by which the commits among these names count; of others nothing is known."""
    plain = tuple(name for name in names if COMMIT_NAME.fullmatch(name))
    return ("--ignore-missing", *plain) if plain else ()


async def _list_only_here(
    place: RepositoryPlace, starts: tuple[str, ...], left_out: tuple[str, ...], kept: tuple[str, ...]
) -> LostWork | None:
    """The commits that the starts lead to and no branch, tag or remote that stays."""
    excluded = (f"--exclude={name}" for name in left_out)
    words = (f"--max-count={MAX_COMMITS + 1}", "--oneline", *starts, "--not", *kept)
    printed = await ask_git(place.top, "rev-list", *words, *excluded, "--branches", "--tags", "--remotes", "--")
    if printed is None:
        return None
    lines = tuple(line for line in printed.splitlines() if line)
    return LostWork(commits=lines[:MAX_COMMITS], more=len(lines) > MAX_COMMITS)


async def find_lost_stashes(place: RepositoryPlace, entry: str, everything: bool) -> LostWork | None:
    """Stashes that were not applied, of those that would be dropped."""
    if not git.resolve_reference("refs/stash", place.common):
        return LostWork()
    printed = await ask_git(
        place.top, "log", "-g", f"--max-count={MAX_STASHES + 1}", "--format=%gs", "refs/stash", "--"
    )
    named = STASH_ENTRY.fullmatch(entry or "stash@{0}")
    if printed is None or named is None:
        return None
    titles = printed.splitlines()
    places = range(len(titles)) if everything else (int(named[1] or named[2] or 0),)
    lost = [place_of for place_of in places if place_of < len(titles) and await _is_only_copy(place, place_of)]
    return LostWork(stashes=tuple(f"stash@{{{at}}} ({titles[at]})" for at in lost))


async def _is_only_copy(place: RepositoryPlace, at: int) -> bool:
    """Whether the files do not hold what the stash holds. What cannot be told counts as lost."""
    entry = f"stash@{{{at}}}"
    words = ("--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv")
    names = await ask_git(place.top, "diff", *words, f"{entry}^1", entry, "--")
    paths = tuple(name for name in (names or "").split("\0") if name)
    if names is None or len(paths) > MAX_STASHED_FILES:
        return True
    if await ask_git(place.top, "rev-parse", "--verify", "--quiet", f"{entry}^3") is not None:
        return True  # untracked files
    if not paths:
        return False
    return not (await _is_same(place, (entry,), paths) or await _is_same(place, (entry, "HEAD"), paths))


async def _is_same(place: RepositoryPlace, commits: tuple[str, ...], paths: tuple[str, ...]) -> bool:
    words = ("--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", *commits, "--", *paths)
    return await ask_git(place.top, "diff", *words) == ""
