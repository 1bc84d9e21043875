"""Deleting what git keeps in `.git`."""

import re
from collections.abc import Iterator

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_work_folders, runs_elsewhere
from synaptic.shell.book.entries import list_names_with_role
from synaptic.shell.effects.commands import find_acts
from synaptic.shell.effects.printed import resolve_printed
from synaptic.shell.effects.searched import FileSearch, ScriptSearches
from synaptic.shell.globs import GLOB_SIGN, is_hidden_glob, matches_glob, may_match_name
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.places import PathArea, WorkFolders, strip_match_all
from synaptic.shell.read.script import Command, Script, Word

REMOVERS = list_names_with_role("delete", "move") | {"truncate"}
PRECIOUS = re.compile(
    r"/\.git(?:/(?:refs|objects|logs|worktrees|modules|packed-refs|HEAD|config)(?:/.*)?)?(?<!\.lock)/?$"
)
MAX_SOUGHT_NAMES = 200
"""Names in as many folders that are looked at; of more, one is taken for it."""
REPOSITORY_MAKERS = frozenset({"clone", "init"})
GIT_HINTS = (".git", "-git-dir", "-git-common-dir")
"""What names it, or asks git where it is."""


class GitMetadata(Policy):
    """Deleting the repository inside a working tree.

    ## What it does
    Denies removing, moving away or emptying `.git` and the parts of it that hold commits and references, also where a
    search finds them (`find . -name .git`) or git says where they are (`git rev-parse --git-dir`). Lock files and
    scratch folders may go, and so may the `.git` of a repository that the same command has cloned; about hooks
    `git.disabled-hooks` asks.
    ## Why
    `.git` holds every commit that was not pushed, every stash and every worktree.
    ## Known gaps
    Patterns that zsh alone reads (`.g(i)t`) are not followed. Bare repositories under other names (`backup.git`) are
    not recognised.
    """

    id = "files.git-metadata"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 21
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None or (REMOVERS.isdisjoint(known.programs) and not known.script.redirects):
            return None
        if not known.holds_hint(GIT_HINTS) and not known.has_hidden_pattern:
            return None
        found = known.script
        at = get_work_folders(event, facts)
        for path in map(_settle_globs, _iter_removed(found, at)):
            if (
                PRECIOUS.search(path)
                and at.classify(path) is not PathArea.SCRATCH
                and not _is_made_here(path, found, at)
            ):
                return deny(
                    f"{path!r} holds the repository: commits, branches and stashes that exist nowhere else. Leave it; "
                    "to undo something use git itself, to start over let the user remove it."
                )
        return None


def _iter_removed(found: Script, at: WorkFolders) -> Iterator[str]:
    searches = ScriptSearches(found)
    for command in found.commands:
        if runs_elsewhere(command):
            continue
        stand = Standpoint(command.cwd or at.cwd, at.home)
        if command.name.lower() in REMOVERS:
            for word in _find_lost_words(command):
                yield from _iter_paths(word, command, searches, at)
        for redirect in command.redirects:
            # Appending destroys nothing.
            if redirect.is_write and redirect.operator not in (">>", "&>>"):
                yield resolve_path(redirect.target.text, stand) or ""


def _settle_globs(path: str) -> str:
    """A path whose patterns are taken for `.git` where they match it: `.g?t/HEAD`, `.git*`."""
    if not GLOB_SIGN.search(path):
        return path
    return "/".join(
        ".git" if is_hidden_glob(part) and may_match_name(".git", part) else part for part in path.split("/")
    )


def _find_lost_words(command: Command) -> Iterator[Word]:
    """What is deleted, moved away or, by `truncate`, emptied."""
    lost = ("delete", "write") if command.name == "truncate" else ("delete",)
    return (word for kind, word in find_acts(command) if kind in lost)


def _iter_paths(word: Word, command: Command, searches: ScriptSearches, at: WorkFolders) -> Iterator[str]:
    """The paths that a word may stand for."""
    cwd = command.cwd or at.cwd
    search = searches.find_search(word, command) if command.via or not word.known else None
    if search is not None:
        stand = Standpoint(search.cwd or cwd, at.home)
        texts = _iter_found(search) if searches.ask_once(search, search.tail, stand.cwd) else ()
        yield from filter(None, (resolve_path(text, stand) for text in texts))
        return
    for one, folder in ((word, cwd), *resolve_printed(word, searches.list_printers(word, command), at)):
        yield resolve_path(strip_match_all(one.text), Standpoint(folder or cwd, at.home)) or ""


def _iter_found(search: FileSearch) -> Iterator[str]:
    """Where a search starts, or what it looks for below that."""
    if len(search.roots) * len(search.names) > MAX_SOUGHT_NAMES:
        yield ".git"
        return
    for root in search.roots:
        if not search.narrowed:
            yield root.text
        elif not any(name.endswith(".lock") for name in search.names):
            yield from (f"{root.text}{tail}{search.tail}" for name in search.names for tail in _iter_tails(name))


def _iter_tails(pattern: str) -> Iterator[str]:
    """What a pattern for names or paths may match: itself, and `.git` wherever it is below."""
    parts = strip_match_all(pattern).rstrip("/").split("/")
    yield f"/{parts[-1]}"
    for place, part in enumerate(parts):
        if "git" in part and matches_glob(".git", part):
            yield "/".join(("", ".git", *parts[place + 1 :]))


def _is_made_here(path: str, found: Script, at: WorkFolders) -> bool:
    """Whether the repository was made by the same command, below the folder of the project."""
    parent = path.partition("/.git")[0]
    # A clone elsewhere in the same command must not excuse deleting the project's own repository.
    if parent in (at.project, at.cwd):
        return False
    return any(command.name == "git" and REPOSITORY_MAKERS.intersection(command.args) for command in found.commands)
