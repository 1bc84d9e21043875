"""Guarded files whose paths a program puts together: awk from its texts and variables, code from a text backwards."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import permutations

from synaptic.agents.shared.guarded import find_usual_paths
from synaptic.policies.reading import runs_elsewhere, select_commands
from synaptic.policies.self.carried import AWK_PROGRAMS
from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.read.script import Command
from synaptic.shell.reading import CommandReading

AWK_WRITE = re.compile(r"print[^\n]*(?:>|[|])|system\s*\(")
AWK_TEXT = re.compile(r'"([^"\\\n]{0,300})"')
AWK_VALUE = re.compile(r"(?:-v)?[A-Za-z_]\w*=(.*)", re.DOTALL)
BACKWARDS = split_names("::-1 reverse( reversed( .reverse strrev")
"""What code holds that turns a text around."""
MAX_TEXT = 20_000
MAX_VALUES = 4
"""Values that are put together in every order."""


def iter_computed(known: CommandReading, engine_folder: str) -> Iterator[str]:
    """The guarded files that such a program may write to."""
    for command in () if AWK_PROGRAMS.isdisjoint(known.programs) else select_commands(known.script, AWK_PROGRAMS):
        if not runs_elsewhere(command):
            yield from _iter_by_awk(command, known.standpoint, engine_folder)
    text = known.text
    # What each of those signs holds at least: a text may be long.
    if ("rev" in text or "::-1" in text) and any(sign in text for sign in BACKWARDS):
        yield from _iter_backwards(known, engine_folder)


def _iter_by_awk(command: Command, at: Standpoint, engine_folder: str) -> Iterator[str]:
    program = "\n".join(command.args)[:MAX_TEXT]
    if not AWK_WRITE.search(program):
        return
    texts = AWK_TEXT.findall(program)
    values = [found[1] for text in command.args[:20] if (found := AWK_VALUE.fullmatch(text))]
    values += [word.text for _, word in command.assignments]
    if len(texts) + len(values) < 2:
        return  # one text is the whole path, which is read as such
    orders = permutations(values) if len(values) <= MAX_VALUES else [tuple(values)]
    joined = "\n".join("".join((*order, *texts)) for order in orders)
    away = "ENVIRON" in program or "$" in program or at.home in joined
    yield from _iter_named(joined, at.home if away else command.cwd or at.cwd, engine_folder)


def _iter_backwards(known: CommandReading, engine_folder: str) -> Iterator[str]:
    for command in known.script.commands:
        if find_program(command.name).language and not runs_elsewhere(command):
            text = "\n".join((*command.args, command.stdin or ""))[:MAX_TEXT]
            yield from _iter_named(text[::-1], known.standpoint.home, engine_folder)


def _iter_named(text: str, folder: str, engine_folder: str) -> Iterator[str]:
    """The guarded files that a text names, in a folder."""
    if ".synaptic/" in text and engine_folder:
        yield engine_folder
    for name in _list_names():
        if name in text:
            yield resolve_path(name.rstrip("%"), Standpoint(folder, folder)) or ""


@cache
def _list_names() -> tuple[str, ...]:
    """Agents' files, and their folders where the name behind is filled in."""
    usual = find_usual_paths()
    return (*usual.files, *(f"{name}/%" for name in usual.folders))
