"""Files of the system written by an agent."""

import re
from collections.abc import Iterator
from typing import Annotated

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import FEWER, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.mounts import mounts, outside
from synaptic.policies.reading import elsewhere, places, reading
from synaptic.policies.secrets.private import meanings, named_paths
from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.searched import LISTERS, Searches
from synaptic.shell.effects.targets import Target
from synaptic.shell.paths import Standpoint, inside, resolve
from synaptic.shell.places import SYSTEM, Place, Places
from synaptic.shell.read.script import Command
from synaptic.shell.reading import CommandReading

FREE = ("/usr/local", "/usr/share/keyrings", "/opt", "/srv", "/var/www", "/var/tmp", "/run/user", "/var/folders")
DEVICES = ("/dev", "/proc/self/fd", "/proc/thread-self/fd")
SUSPECT = (*SYSTEM, "/mnt/", "/media/")
"""How a path begins that may belong to the machine."""
TREES_OF_IT = "|".join(re.escape(tree.strip("/")) for tree in SUSPECT)
REACHES = re.compile(
    r"\.\.|file:|\$\{?(?:home|pwd)|[\n=]~[^/\n]|\n-[^\n]*[/~]"
    rf"|[\n=]/[/.]*+(?:[*?\[\n:,]|{TREES_OF_IT})"
)
"""What words, in lower case and each on its line, hold at least that lead there from a project and a home."""
ANYWHERE = "/{}"
"""Whatever a search finds that starts at the root, or a tree that is written into the root."""
UNPACKERS = frozenset({"tar", "unzip", "rsync"})


class System(Policy):
    """Writing into the trees that belong to the machine.

    ## What it does
    Denies tools and shell commands that write below `/etc`, `/usr`, `/bin`, `/boot`, `/var`, `/System` and their like,
    also under a mount point, to whatever a search finds there (`find /etc -exec sed -i`), and whole trees unpacked into
    the root. Reading is fine, package managers are fine, `free` trees and the project itself are fine, and so is what a
    command writes on another machine, or in a container into which none of these trees is mounted.
    ## Why
    A wrong line there breaks logins, networks or the start of the machine, for everyone who uses it.
    ## Known gaps
    Programs that write without naming the file (`make install`) are not looked at. In shell commands links are not
    followed.
    """

    id = "paths.system"
    events = (PreToolUse,)
    priority = 20
    preset = "essentials"
    needs = ("extra_roots", "real_paths")

    free: Annotated[tuple[str, ...], FEWER] = FREE
    """System trees in which files may be written."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        at = places(event, facts)
        known = reading(event, facts)
        if known is not None and not _may_reach(known, at):
            return None
        paths = _written(known, at) if known is not None else _edited(event, facts, at)
        path = next((path for path in paths if self._closed(path, at)), "")
        if not path:
            return None
        return deny(
            f"{path!r} belongs to the system. Write inside the project and tell the user what to put there, or use the "
            "package manager."
        )

    def _closed(self, path: str, at: Places) -> bool:
        low = path.lower()
        if path == ANYWHERE:
            return True
        # Cheap question first: nearly every path is elsewhere.
        if not low.startswith(SUSPECT):
            return False
        if (at.project and path.startswith(f"{at.project}/")) or inside(path, (*self.free, *DEVICES)):
            return False
        return (inside(low, SYSTEM) or low.startswith(("/mnt/", "/media/"))) and at.of(path) is Place.SYSTEM


def _may_reach(known: CommandReading, at: Places) -> bool:
    """Whether anything that is named can be in a tree of the machine. Where all start in the project, words tell."""
    if not (at.project and at.home and known.starts_in(at.project)):
        return True
    return known.shortened or REACHES.search(f"\n{known.words}\n") is not None


def _written(known: CommandReading, at: Places) -> Iterator[str]:
    searches = Searches(known.script, LISTERS)
    mounted = mounts(known.script)
    for target in known.targets:
        if elsewhere(target):
            yield from outside(target.path, mounted, writes=True)
        elif not target.word.known:
            yield from _sought(target, searches, at)
        # An agent that was started at the root, as in a container, works there.
        elif target.path == "/" and at.cwd != "/" and target.command and _spreads(target.command):
            yield ANYWHERE
        else:
            yield target.path


def _sought(target: Target, searches: Searches, at: Places) -> Iterator[str]:
    """What is written to every file that a search finds."""
    # The path is certain up to the place where the found name goes in.
    certain, mark, _ = target.word.text.partition("{}")
    if mark and certain and "$" not in certain and "`" not in certain:
        yield target.path
    elif target.command and (search := searches.of(target.word, target.command)):
        cwd = search.cwd or target.command.cwd or at.cwd
        if not searches.first(search, cwd):
            return
        yield from (resolve(f"{root.text}/{{}}", Standpoint(cwd, at.home)) or "" for root in search.roots if root.known)


def _spreads(command: Command) -> bool:
    """Whether it writes a tree, not a file, into the folder it is given."""
    program = find_program(command.name)
    if program.name in UNPACKERS:
        return True
    return program.name == "cp" and program.read(command.argv[1:]).has("recursive", "archive")


def _edited(event: PreToolUse, facts: Facts, at: Places) -> Iterator[str]:
    for text in named_paths(event.tool) if event.tool.edits else ():
        yield from meanings(text, Standpoint(at.cwd, at.home), facts.real_paths)
