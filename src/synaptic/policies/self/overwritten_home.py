"""Files that nobody named, put over a home folder."""

import re
from collections.abc import Iterator
from functools import lru_cache

from synaptic.model.decision import Verdict, ask
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, runs_elsewhere, select_commands
from synaptic.shell.book.entries import normalize_name
from synaptic.shell.effects.commands import CHANGING_VERBS
from synaptic.shell.effects.filled import (
    ABSOLUTE_NAMES,
    COPY_PROGRAMS,
    FILLING_PROGRAMS,
    FILLING_SIGNS,
    HOME_PROGRAMS,
    LANGUAGE_NAMES,
    RSYNC_PROGRAMS,
    TAR_PROGRAMS,
    find_filled_folders,
)
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.read.script import Command
from synaptic.shell.reading import CommandReading

GIT = frozenset({"git"})
PLAIN_PROGRAMS = COPY_PROGRAMS | RSYNC_PROGRAMS | GIT | {"unzip", "patch"}
"""Programs that fill what a word of theirs names, or the folder that they run in."""
LEADING_OUT = re.compile(r"^[/~]|[=:][/~]|\.\.|\$|file:|^-.*[/~]")
"""What a word holds that leads out of the folder it is seen from."""


class OverwrittenHome(Policy):
    """Unpacking or copying files that no word names over a home folder.

    ## What it does
    Asks before an archive is unpacked, a patch applied, a folder's contents copied or a site mirrored into the home
    folder itself or a folder around it: `tar -C ~ -x`, `cp -r x/. ~/`, `rsync x/ ~/`, `unzip -d ~`, `patch -d ~`,
    `git -C ~ apply`, `stow -t ~`, and the same with nothing but `cd ~` in front. Folders below it (`~/sites/`) are
    free, and so is what is named: `cp notes.txt ~/`, `tar -C ~ -xf a.tgz bin/tool`.
    ## Why
    `~/.synaptic` and the agents' settings are in there. What an archive holds is not known before it is unpacked.
    ## Known gaps
    An archive is not opened to look what it holds.
    """

    id = "self.overwritten-home"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = FILLING_PROGRAMS
    priority = 20
    preset = "essentials"
    needs = ("engine_places",)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None or FILLING_PROGRAMS.isdisjoint(known.programs):
            return None
        around = _list_around(facts.home, facts.engine_places.user_home)
        if not _may_reach(known, around):
            return None
        for command in _select_filling(known):
            if runs_elsewhere(command) or not _may_fill(command, around, known.standpoint.cwd):
                continue
            at = Standpoint(command.cwd or known.standpoint.cwd, facts.home)
            for word in find_filled_folders(command):
                if (resolve_path(word.text, at) or "").lower() in around:
                    return ask(
                        f"`{command.name}` puts files into {word.text!r} that this command does not name. The settings "
                        "of this guard and of agents are there. Use a folder below it, or name the files."
                    )
        return None


def _select_filling(known: CommandReading) -> Iterator[Command]:
    # Git is in every other command, and few of its verbs fill a folder.
    programs = FILLING_PROGRAMS - GIT if known.git_verbs.isdisjoint(CHANGING_VERBS) else FILLING_PROGRAMS
    names = [name for name in known.script.by_name if name in programs or normalize_name(name) in programs]
    return select_commands(known.script, names)


def _may_fill(command: Command, around: frozenset[str], cwd: str) -> bool:
    """Whether one command may: its folder is one of these, or a word, a default or code leads there."""
    if command.name not in PLAIN_PROGRAMS or (command.cwd or cwd).lower() in around or command.assignments:
        return True
    return any(LEADING_OUT.search(word.text) for word in command.argv[1:])


def _may_reach(known: CommandReading, around: frozenset[str]) -> bool:
    """Whether a folder that is filled can be one of these at all: cheaper to ask than every program."""
    programs = known.programs
    if known.leads_out or not HOME_PROGRAMS.isdisjoint(programs):
        return True
    # A pattern of several words is tried at every character, of a text that may be a megabyte.
    if not LANGUAGE_NAMES.isdisjoint(programs) and any(sign in known.text for sign in FILLING_SIGNS):
        return True
    if any((start or known.standpoint.cwd).lower() in around for start in known.start_folders):
        return True
    return not TAR_PROGRAMS.isdisjoint(programs) and ABSOLUTE_NAMES.search(known.words) is not None


@lru_cache(maxsize=64)
def _list_around(*homes: str) -> frozenset[str]:
    """The home folders and everything around them, in lower case."""
    found: set[str] = set()
    for home in filter(None, homes):
        parts = home.lower().rstrip("/").split("/")
        found.update("/".join(parts[:size]) or "/" for size in range(1, len(parts) + 1))
    return frozenset(found)
