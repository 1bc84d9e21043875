"""Files of a working tree whose content is in no commit: changed, untracked, or hidden from git."""

import os

import msgspec

from synaptic.facts import git
from synaptic.facts.ask_git import ask_git
from synaptic.facts.git_index import is_unchanged, list_hidden_files
from synaptic.facts.lost_commits import list_left_commits
from synaptic.facts.repository_place import RepositoryPlace, find_place
from synaptic.model.loss import UNTRACKED, LostFile, LostWork, add_losses
from synaptic.shell.paths import is_inside

GOING_ON = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "sequencer": "a cherry-pick",
}
MAX_LOOKED_AT = 20_000
"""Files that are looked for one by one."""
MAX_LISTED = 100
HIDDEN, IN_THE_WAY = "hidden from git status", "untracked, in the way"
CONFLICTS = frozenset({"DD", "AU", "UD", "UA", "DU", "AA", "UU"})
CLEAN_OPTIONS = ("-d", "-x", "-ff")
WOULD_REMOVE = "Would remove "
REMADE_NAMES = frozenset(
    {"node_modules", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox", ".gradle", ".next"}
    | {".nuxt", ".turbo", ".parcel-cache", ".cache", "dist", "build", "target", "out", ".eggs", "htmlcov", ".DS_Store"}
    | {
        "venv",
        ".venv",
        "bower_components",
        ".coverage",
        "coverage",
        ".terraform",
        "DerivedData",
        ".vite",
        ".svelte-kit",
        ".angular",
    }
)
REMADE_ENDINGS = (".pyc", ".pyo", ".o", ".class", ".egg-info", ".tsbuildinfo")
"""What a build, a test run or an installation makes again."""


def find_state(place: RepositoryPlace) -> str:
    """What is going on and would be broken off."""
    going = (text for name, text in GOING_ON.items() if os.path.lexists(f"{place.folder}/{name}"))
    found = next(going, "")
    return f"{found} that is going on" if found else ""


def is_plain_file_unchanged(place: RepositoryPlace, path: str) -> bool:
    """Whether one file is as it was staged, told without starting git."""
    return is_unchanged(f"{place.folder}/index", place.top, path)


async def find_changes(place: RepositoryPlace, paths: tuple[str, ...] = (), staged: bool = True) -> LostWork | None:
    """Tracked files with changes; `staged`: those that are staged, too, and so not lost to the index alone."""
    words = ("--porcelain=v1", "-z", "--untracked-files=no", "--no-renames", "--")
    printed = await ask_git(place.top, "status", *words, *paths)
    hidden = list_hidden_files(f"{place.folder}/index", place.top)
    if printed is None or hidden is None or _may_recurse(place):
        return None
    names = [line[3:] for line in printed.split("\0") if len(line) > 3 and _holds_content(line[:2], staged)]
    counts = await _count_lines(place, names)
    shown = tuple(_describe(name, counts) for name in names[:MAX_LISTED])
    unseen = tuple(LostFile(path=path, note=HIDDEN) for path in hidden if _is_below(path, paths))
    return LostWork(files=shown + unseen, more=len(names) > MAX_LISTED)


def _holds_content(code: str, staged: bool) -> bool:
    """Whether the two letters of `git status` speak of content; a file that was only deleted comes back unharmed."""
    if code in CONFLICTS:
        return True
    return code[1] not in " D" or (staged and code[0] not in " D")


async def _count_lines(place: RepositoryPlace, names: list[str]) -> dict[str, tuple[str, str]]:
    if not names or not place.commit:
        return {}
    words = ("--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "HEAD", "--")
    printed = await ask_git(place.top, "diff", *words, *names[:MAX_LISTED])
    rows = (line.split("\t", 2) for line in (printed or "").split("\0"))
    return {row[2]: (row[0], row[1]) for row in rows if len(row) == 3}


def _describe(name: str, counts: dict[str, tuple[str, str]]) -> LostFile:
    added, removed = counts.get(name, ("", ""))
    return LostFile(path=name, added=_to_int(added), removed=_to_int(removed))


def _to_int(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _is_below(path: str, paths: tuple[str, ...]) -> bool:
    """Whether a path may be meant; a pattern may mean any."""
    return not paths or any(
        name == "." or path == name or path.startswith(f"{name}/") or not name.isprintable() or set(name) & set("*?[:")
        for name in paths
    )


async def find_written_over(place: RepositoryPlace, target: str, paths: tuple[str, ...] = ()) -> LostWork | None:
    """Files that git does not track and that a commit has: they are written over without a word."""
    words = ("--name-only", "-z", "--no-renames", "--diff-filter=A", "--no-ext-diff", "HEAD", target, "--")
    printed = await ask_git(place.top, "diff", *words, *paths)
    names = [name for name in printed.split("\0") if name] if printed is not None else []
    if printed is None or len(names) > MAX_LOOKED_AT:
        return None
    there = tuple(LostFile(path=name, note=IN_THE_WAY) for name in names if _is_in_the_way(f"{place.top}/{name}"))
    return LostWork(files=there[:MAX_LISTED], more=len(there) > MAX_LISTED)


def _is_in_the_way(path: str) -> bool:
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # a file stands where a folder has to be
    return True


async def find_untracked(folder: str, options: tuple[str, ...], paths: tuple[str, ...] = ()) -> LostWork | None:
    """What `git clean` in a folder would delete that nothing makes again."""
    # Paths are handed on as they are, and none where none was given: with one, git goes into folders without `-d`.
    # `-n` stands last, so that no option can take it back.
    if not all(option in CLEAN_OPTIONS or option.startswith("--exclude=") for option in options):
        return None
    printed = await ask_git(folder, "clean", *options, "-n", "--", *paths)
    if printed is None:
        return None
    names = [line.removeprefix(WOULD_REMOVE) for line in printed.splitlines() if line.startswith(WOULD_REMOVE)]
    kept = tuple(LostFile(path=name, note=UNTRACKED) for name in names if not _is_remade(name))
    return LostWork(files=kept[:MAX_LISTED], more=len(kept) > MAX_LISTED)


def _is_remade(name: str) -> bool:
    plain = name.rstrip("/")
    return plain.endswith(REMADE_ENDINGS) or not REMADE_NAMES.isdisjoint(plain.split("/"))


async def find_worktree_changes(place: RepositoryPlace, folder: str, path: str) -> LostWork | None:
    """What goes with a worktree: changes, untracked files, and commits that only its detached HEAD leads to."""
    named = path.removeprefix(f"{folder}/")
    known = [top for top in git.read_working_tree(place.top).worktrees if top == path or top.endswith(f"/{named}")]
    if not known:
        return LostWork() if not os.path.lexists(path) else None
    inner = find_place(known[0]) if len(known) == 1 else None
    if inner is None or os.path.lexists(f"{inner.folder}/locked"):
        return None
    return await _find_all_content(inner)


async def find_worktrees_below(place: RepositoryPlace, path: str) -> LostWork | None:
    """What goes with the worktrees in a folder. The main one is no part of this: its files are deleted by name."""
    start = os.path.realpath(path)
    known = [top for top in git.read_working_tree(place.top).worktrees if is_inside(top, (start,))]
    found = LostWork()
    for top in known[:MAX_LISTED]:
        inner = find_place(top)
        content = await _find_all_content(inner) if inner is not None else None
        found = add_losses(found, content or LostWork())
    return found


async def _find_all_content(place: RepositoryPlace) -> LostWork | None:
    if _has_submodules(place):
        return None
    changes, loose = await find_changes(place), await find_untracked(place.top, ("-d", "-ff"))
    left = LostWork() if place.branch else await list_left_commits(place, "", "")
    if changes is None or loose is None or left is None:
        return None
    return add_losses(add_losses(changes, loose), add_losses(left, LostWork(state=find_state(place))))


async def find_submodule_changes(place: RepositoryPlace, removed: bool, paths: tuple[str, ...]) -> LostWork | None:
    """What submodules hold that is in no commit; `removed`: their untracked files go as well."""
    printed = await ask_git(place.top, "ls-files", "-s", "-z", "--", *paths)
    if printed is None:
        return None
    names = [line.partition("\t")[2] for line in printed.split("\0") if line.startswith("160000")]
    found = LostWork()
    for name in names[:MAX_LISTED]:
        if not os.path.lexists(f"{place.top}/{name}/.git"):
            continue  # not checked out: there is nothing
        inner = find_place(f"{place.top}/{name}")
        content = await (_find_all_content(inner) if removed else find_changes(inner)) if inner is not None else None
        if content is None:
            return None
        below = tuple(msgspec.structs.replace(file, path=f"{name}/{file.path}") for file in content.files)
        found = add_losses(found, msgspec.structs.replace(content, files=below))
    return found if len(names) <= MAX_LISTED else None


def _has_submodules(place: RepositoryPlace) -> bool:
    return os.path.lexists(f"{place.top}/.gitmodules")


def _may_recurse(place: RepositoryPlace) -> bool:
    """Whether what is done here may be done in submodules, too, of which nothing is known."""
    return _has_submodules(place) and place.recurses
