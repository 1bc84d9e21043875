"""Where the paths of a tool call really lead."""

import os
from collections.abc import Iterator, Mapping
from itertools import islice

from synaptic.facts.gather import USER_HOME, EngineMeans, Gatherer, read_call_command
from synaptic.model.call import Call
from synaptic.model.event import ToolEvent
from synaptic.policies.reading import runs_elsewhere
from synaptic.policies.self.changed import COPIERS, READERS
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.reading import UNKNOWN_PROJECT

MAX_LOOKED_AT = 64
"""Words of one command that are looked up on the disk."""
MAX_LINK_NAME = 1024


async def gather_real_paths(call: Call, means: EngineMeans) -> Mapping[str, str]:
    """Resolve links, for each path of the call that leads somewhere else than it says."""
    if not isinstance(call.event, ToolEvent):
        return {}
    paths = call.event.tool.paths
    found = ((path, _resolve_links(_make_absolute(path, call.event.cwd, call), call.root)) for path in paths)
    return {path: real for path, real in found if real}


async def gather_linked_paths(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """Where the words of a shell command lead that it may change something with, through links on the disk."""
    known = read_call_command(call)
    if known is None:
        return ()
    words = islice(_iter_changed_words(known.script), MAX_LOOKED_AT)
    found = (_resolve_links(_make_absolute(text, cwd, call), call.root) for text, cwd in words)
    return tuple(dict.fromkeys(filter(None, found)))


def _iter_changed_words(found: Script) -> Iterator[tuple[str, str]]:
    """Words that may name something that is changed, each with the folder it is seen from."""
    for redirect in found.redirects:
        if redirect.is_write and _may_be_path(redirect.target) and not runs_elsewhere(redirect):
            yield redirect.target.text, redirect.cwd
    for command in found.commands:
        if command.name in READERS or len(command.argv) < 2 or runs_elsewhere(command):
            continue
        for word in _list_changed_words(command):
            text = word.text
            if text[:1] == "-":
                text = text.partition("=")[2]
            if text and _may_be_path(word):
                yield text, command.cwd


def _list_changed_words(command: Command) -> tuple[Word, ...]:
    """Every word; of a program that copies, the last one and those that may be values of options."""
    if command.name not in COPIERS:
        return command.argv[1:]
    return (*(word for word in command.argv[1:-1] if word.text[:1] == "-"), command.argv[-1])


def _may_be_path(word: Word) -> bool:
    return word.known and len(word.text) <= MAX_LINK_NAME and "\n" not in word.text


def _resolve_links(path: str, root: str) -> str:
    """The path behind links, or nothing when there are none. One that cannot be looked at has none."""
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
    while end != -1:
        if os.path.islink(path[:end]):  # noqa: PTH114 a Path costs more than the question
            return True
        end = path.find("/", end + 1)
    return os.path.islink(path)  # noqa: PTH114


def _make_absolute(path: str, cwd: str, call: Call) -> str:
    home = call.env.get("HOME") or USER_HOME
    expanded = f"{home}{path[1:]}" if path == "~" or path.startswith("~/") else path
    return os.path.join(cwd or call.event.cwd or call.root or UNKNOWN_PROJECT, expanded)  # noqa: PTH118


FACTS: Mapping[str, Gatherer] = {"real_paths": gather_real_paths, "linked_paths": gather_linked_paths}
