"""Where the paths of a tool call really lead."""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from stat import S_ISLNK
from typing import NamedTuple

from synaptic.facts.gather import USER_HOME, EngineMeans, Gatherer, read_call_command
from synaptic.files.long_paths import MAX_PATH_CHARS
from synaptic.model.call import Call
from synaptic.model.event import ToolEvent
from synaptic.policies.reading import ELSEWHERE_PROGRAMS, runs_elsewhere
from synaptic.policies.self.changed import COPIERS, READERS
from synaptic.shell.effects.commands import CHANGING_KINDS, find_acts
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.reading import UNKNOWN_PROJECT, CommandReading

LEFT_OUT = READERS | ELSEWHERE_PROGRAMS
LINK_CHANGERS = split_names("rm unlink mv rmdir ln trash")
"""Programs that take a link away or replace it, and do nothing to what it leads to."""
MAX_LOOKED_AT = 2000
"""Words of one command that are looked up on the disk; where there are more, a person is asked."""
MAX_LINK_NAME = 1024


def gather_real_paths(call: Call, means: EngineMeans) -> Mapping[str, str]:
    """Resolve links, for each path of the call that leads somewhere else than it says."""
    if not isinstance(call.event, ToolEvent):
        return {}
    paths = call.event.tool.paths
    found = ((path, _resolve_links(_make_absolute(path, call.event.cwd, call), call.root)) for path in paths)
    return {path: real for path, real in found if real}


def gather_linked_paths(call: Call, means: EngineMeans) -> tuple[str, ...] | None:
    """Where the words of a shell command lead that it may change something with, through links on the disk.

    None when there are too many to look at.
    """
    known = read_call_command(call)
    if known is None or (not known.script.redirects and LEFT_OUT.issuperset(known.script.by_name)):
        return ()
    words = _list_changed_words(known)
    if len(words) > MAX_LOOKED_AT:
        return None
    found = (_resolve_links(_make_absolute(word.text, word.cwd, call), call.root, word.itself) for word in words)
    return tuple(dict.fromkeys(filter(None, found)))


class ChangedWord(NamedTuple):
    """A word that may name something that is changed, and the folder it is seen from."""

    text: str
    cwd: str
    itself: bool = False
    """Whether a link of this name is changed, not what it leads to."""


@lru_cache(maxsize=16)
def _list_changed_words(known: CommandReading) -> tuple[ChangedWord, ...]:
    """What the text alone says; where it leads is looked up for every call."""
    return tuple(islice(_iter_changed_words(known.script), MAX_LOOKED_AT + 1))


def _iter_changed_words(found: Script) -> Iterator[ChangedWord]:
    for redirect in found.redirects:
        if redirect.is_write and _may_be_path(redirect.target) and not runs_elsewhere(redirect):
            yield ChangedWord(redirect.target.text, redirect.cwd)
    for command in found.commands:
        if command.name in LEFT_OUT or len(command.argv) < 2 or runs_elsewhere(command):
            continue
        itself = command.name in LINK_CHANGERS
        for word in filter(_may_be_path, _iter_named_words(command)):
            name, assigned, value = word.text.partition("=")
            if name[:1] != "-":
                yield ChangedWord(word.text, command.cwd, itself)
            if assigned and value:
                yield ChangedWord(value, command.cwd, itself)


def _iter_named_words(command: Command) -> Iterable[Word]:
    """Every word; of a program that copies, those that name what it writes."""
    if command.name not in COPIERS:
        return command.argv[1:]
    return (word for kind, word in find_acts(command) if kind in CHANGING_KINDS)


def _may_be_path(word: Word) -> bool:
    return word.known and 0 < len(word.text) <= MAX_LINK_NAME and "\n" not in word.text


def _resolve_links(path: str, root: str, itself: bool = False) -> str:
    """The path behind links, or nothing when there are none. One that cannot be looked at has none."""
    if len(path) > MAX_PATH_CHARS:
        return ""
    if itself and (name := os.path.basename(path)) not in ("", ".", ".."):  # noqa: PTH119
        folder = _resolve_links(os.path.dirname(path), root)  # noqa: PTH120
        return f"{folder}/{name}" if folder else ""
    try:
        # Not made normal first: the system goes through a link before it goes up from there.
        if path.startswith(f"{root}/") and ".." not in path and not _has_link(path, len(root) + 1):
            return ""
        real = os.path.realpath(path)
    except (OSError, ValueError):
        return ""
    return real if real != os.path.normpath(path) else ""


def _has_link(path: str, start: int) -> bool:
    """Whether a part of the path below its root is a link: asking for those few is cheaper than for all."""
    end = path.find("/", start)
    try:
        while end != -1:
            if S_ISLNK(os.lstat(path[:end]).st_mode):
                return True
            end = path.find("/", end + 1)
        return S_ISLNK(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False  # nothing below what is not there is a link


def _make_absolute(path: str, cwd: str, call: Call) -> str:
    if path[:1] == "~" and path[1:2] in ("", "/"):
        path = f"{call.env.get('HOME') or USER_HOME}{path[1:]}"
    if path[:1] == "/":
        return path
    folder = cwd or call.event.cwd or call.root or UNKNOWN_PROJECT
    return f"{folder}{path}" if folder[-1] == "/" else f"{folder}/{path}"


FACTS: Mapping[str, Gatherer] = {"real_paths": gather_real_paths, "linked_paths": gather_linked_paths}
