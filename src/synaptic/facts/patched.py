"""The files that a patch on the disk names, when a command applies it."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice

from synaptic.facts.gather import USER_HOME, EngineMeans, Gatherer, read_call_command
from synaptic.files.bounded import read_start
from synaptic.model.call import Call
from synaptic.model.once import kept_beside
from synaptic.policies.reading import runs_elsewhere
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.programs.git_line import read_git_call
from synaptic.shell.programs.patches import MAX_DIFF, PATCH_VERBS, iter_diff_names
from synaptic.shell.read.script import Command, Script
from synaptic.shell.reading import UNKNOWN_PROJECT, CommandReading

PATCH_PROGRAMS = frozenset({"patch", "git"})
STRIP_OPTION = re.compile(r"(?:-p|--strip=)(\d{1,3})")
MAX_PATCHES = 64
"""Words of one command that are looked at as patches."""


def gather_patched_paths(call: Call, means: EngineMeans) -> tuple[str, ...] | None:
    """Every path that such a patch may change, however many folders are taken off its names; None for too many."""
    known = read_call_command(call)
    if known is None or PATCH_PROGRAMS.isdisjoint(known.programs) or not _applies_patch(known):
        return ()
    home, start = call.env.get("HOME") or USER_HOME, call.event.cwd or call.root or UNKNOWN_PROJECT
    found: dict[str, None] = {}
    for command, folder in _iter_applying(known.script):
        at = Standpoint(folder or start, home)
        files = list(islice(_iter_files(known.script, command), MAX_PATCHES + 1))
        if len(files) > MAX_PATCHES:
            return None
        for path in filter(None, (resolve_path(text, at) for text in files)):
            found.update(dict.fromkeys(resolve_path(name, at) or "" for name in _iter_names(path, command)))
    return tuple(found)


@kept_beside
def _applies_patch(known: CommandReading) -> bool:
    return next(_iter_applying(known.script), None) is not None


def _iter_applying(found: Script) -> Iterator[tuple[Command, str]]:
    """The commands that apply a patch, and the folder that they do it in."""
    for command in found.commands:
        if command.name not in PATCH_PROGRAMS or runs_elsewhere(command):
            continue
        if command.name == "patch":
            yield command, command.cwd
        elif (call := read_git_call(command)).verb in PATCH_VERBS:
            yield command, call.cwd


def _iter_files(found: Script, command: Command) -> Iterator[str]:
    """What may be the patch: a word, what is redirected, or what a program before it shows."""
    before = (text for one in found.find_upstream(command) for text in one.args)
    redirected = (one.target.text for one in found.redirects if one.operator == "<")
    words = (text.rpartition("=")[2] for text in (*command.args, *before) if text[:1] != "-" or "=" in text)
    return chain(redirected, words)


def _iter_names(path: str, command: Command) -> Iterator[str]:
    strips = {0, 1, *(int(found[1]) for text in command.args if (found := STRIP_OPTION.fullmatch(text)))}
    for name in iter_diff_names(read_start(path, MAX_DIFF).decode(errors="replace")):
        parts = name.split("/")
        yield from ("/".join(parts[strip:]) for strip in strips)


FACTS: Mapping[str, Gatherer] = {"patched_paths": gather_patched_paths}
