"""Deleting what git keeps in `.git`."""

import re
from collections.abc import Iterator

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.model.facts import Facts
from synaptic.parse.arguments import arguments
from synaptic.parse.paths import Standpoint, resolve
from synaptic.parse.places import Place, Places, without_everything
from synaptic.parse.shell.script import Script
from synaptic.policies.base import Policy
from synaptic.policies.reading import SHELLS, elsewhere, places, reading

REMOVERS = frozenset({"rm", "mv", "shred", "truncate", "unlink", "rmdir", "trash", "srm", "remove-item"})
PRECIOUS = re.compile(
    r"/\.git(?:/(?:refs|objects|logs|worktrees|modules|packed-refs|HEAD|config)(?:/.*)?)?(?<!\.lock)/?$"
)
MAKERS = frozenset({"clone", "init"})


class GitMetadata(Policy):
    """Deleting the repository inside a working tree.

    ## What it does
    Denies removing, moving away or emptying `.git` and the parts of it that hold commits and references. Lock files,
    hooks and scratch folders may go, and so may the `.git` of a repository that the same command has cloned.
    ## Why
    `.git` holds every commit that was not pushed, every stash and every worktree.
    ## Known gaps
    Bare repositories under other names (`backup.git`) are not recognised.
    """

    id = "files.git-metadata"
    events = (PreToolUse,)
    tools = SHELLS
    priority = 21
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = reading(event, facts)
        if known is None or (REMOVERS.isdisjoint(known.programs) and not known.script.redirects):
            return None
        if not known.hinted((".git",)):
            return None
        found = known.script
        at = places(event, facts)
        for path in _removed(found, at):
            if PRECIOUS.search(path) and at.of(path) is not Place.SCRATCH and not _made_here(path, found, at):
                return deny(
                    f"{path!r} holds the repository: commits, branches and stashes that exist nowhere else. Leave it; "
                    "to undo something use git itself, to start over let the user remove it."
                )
        return None


def _removed(found: Script, at: Places) -> Iterator[str]:
    for command in found.commands:
        if elsewhere(command):
            continue
        stand = Standpoint(command.cwd or at.cwd, at.home)
        if command.name.lower() in REMOVERS:
            words = arguments(command.argv[1:], ("-s", "-t", "-n")).operands
            sources = words[:-1] if command.name == "mv" and len(words) > 1 else words
            yield from filter(None, (resolve(without_everything(word.text), stand) for word in sources))
        for redirect in command.redirects:
            if redirect.writes and redirect.operator not in (">>", "&>>"):
                yield resolve(redirect.target.text, stand) or ""


def _made_here(path: str, found: Script, at: Places) -> bool:
    """Whether the repository was made by the same command, below the folder of the project."""
    parent = path.partition("/.git")[0]
    if parent in (at.project, at.cwd):
        return False
    return any(command.name == "git" and MAKERS.intersection(command.args) for command in found.commands)
