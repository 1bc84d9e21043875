"""Files of the system written by an agent."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Annotated

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.model.once import kept_beside
from synaptic.policies.base import FEWER, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.mounts import find_host_paths, find_mounts
from synaptic.policies.reading import get_work_folders, runs_elsewhere
from synaptic.policies.secrets.private import iter_meanings, iter_named_paths
from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.searched import LISTING_PROGRAMS, ScriptSearches
from synaptic.shell.effects.targets import WriteTarget
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.places import SYSTEM_TREES, PathArea, WorkFolders
from synaptic.shell.read.script import Command
from synaptic.shell.reading import CommandReading

FREE_TREES = ("/usr/local", "/usr/share/keyrings", "/opt", "/srv", "/var/www", "/var/tmp", "/run/user", "/var/folders")
DEVICES = ("/dev", "/proc/self/fd", "/proc/thread-self/fd")
SUSPECT = (*SYSTEM_TREES, "/mnt/", "/media/")
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


class SystemFiles(Policy):
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

    free: Annotated[tuple[str, ...], FEWER] = FREE_TREES
    """System trees in which files may be written."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        at = get_work_folders(event, facts)
        known = facts.command
        written = _iter_written(known, at) if known is not None and _may_reach_system(known, at) else ()
        paths = chain(written, _iter_edited(event, facts, at) if event.tool.may_write else ())
        path = next((path for path in paths if self._is_closed(path, at)), "")
        if not path:
            return None
        return deny(
            f"{path!r} belongs to the system. Write inside the project and tell the user what to put there, or use the "
            "package manager."
        )

    def _is_closed(self, path: str, at: WorkFolders) -> bool:
        low = path.lower()
        if path == ANYWHERE:
            return True
        # Cheap question first: nearly every path is elsewhere.
        if not low.startswith(SUSPECT):
            return False
        if (at.project and path.startswith(f"{at.project}/")) or is_inside(path, (*self.free, *DEVICES)):
            return False
        return (is_inside(low, SYSTEM_TREES) or low.startswith(("/mnt/", "/media/"))) and at.classify(
            path
        ) is PathArea.SYSTEM


@kept_beside
def _may_reach_system(known: CommandReading, at: WorkFolders) -> bool:
    """Whether anything that is named can be in a tree of the machine. Where all start in the project, words tell."""
    if not (at.project and at.home and known.starts_in(at.project)):
        return True
    return known.has_long_words or (known.leads_out and REACHES.search(f"\n{known.words}\n") is not None)


def _iter_written(known: CommandReading, at: WorkFolders) -> Iterator[str]:
    searches = ScriptSearches(known.script, LISTING_PROGRAMS)
    mounted = find_mounts(known.script)
    for target in known.targets:
        if runs_elsewhere(target):
            yield from find_host_paths(target.path, mounted, writes=True)
        elif not target.word.known:
            yield from _iter_found(target, searches, at)
        # An agent that was started at the root, as in a container, works there.
        elif target.path == "/" and at.cwd != "/" and target.command and _writes_tree(target.command):
            yield ANYWHERE
        else:
            yield target.path


def _iter_found(target: WriteTarget, searches: ScriptSearches, at: WorkFolders) -> Iterator[str]:
    """What is written to every file that a search finds."""
    # The path is certain up to the place where the found name goes in.
    certain, mark, _ = target.word.text.partition("{}")
    if mark and certain and "$" not in certain and "`" not in certain:
        yield target.path
    elif target.command and (search := searches.find_search(target.word, target.command)):
        cwd = search.cwd or target.command.cwd or at.cwd
        if not searches.ask_once(search, cwd):
            return
        yield from (
            resolve_path(f"{root.text}/{{}}", Standpoint(cwd, at.home)) or "" for root in search.roots if root.known
        )


def _writes_tree(command: Command) -> bool:
    """Whether it writes a tree, not a file, into the folder it is given."""
    program = find_program(command.name)
    if program.name in UNPACKERS:
        return True
    return program.name == "cp" and program.read(command.argv[1:]).has("recursive", "archive")


def _iter_edited(event: PreToolUse, facts: Facts, at: WorkFolders) -> Iterator[str]:
    for text in iter_named_paths(event.tool):
        yield from iter_meanings(text, Standpoint(at.cwd, at.home), facts.real_paths)
