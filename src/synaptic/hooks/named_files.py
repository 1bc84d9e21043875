"""The words of a command that name files: what it runs, and what it is given."""

import glob
import os
from collections.abc import Iterator
from itertools import islice

from synaptic.shell.book.entries import find_program, normalize_name
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.read.script import Command, Word

SOURCING_COMMANDS = frozenset({".", "source"})
MAX_MATCHES = 1000
"""Files that one pattern may stand for."""


def list_run_words(command: Command) -> list[Word]:
    """The words that name what runs: the program, and the script that a shell or another interpreter is given."""
    words = command.argv
    if command.name in SOURCING_COMMANDS:
        return [words[0], *words[1:2]]
    program = find_program(normalize_name(command.name))
    if not (program.shell or program.language):
        return [words[0]]
    given = program.read(words[1:])
    if given.get_by_role("code", "print", "module") or given.has("command"):
        return [words[0]]
    scripts = given.get_by_role("script") or given.operands[:1]
    return [words[0], *(word for word in scripts if word.text not in ("-", "/dev/stdin"))]


def iter_named_words(command: Command) -> Iterator[str]:
    """Every word of a command that may name a file."""
    words = (*command.argv[1:], *(value for _, value in command.assignments))
    texts = [word.text for word in words if word.known]
    yield from (text for text in texts if not text.startswith("-"))
    yield from filter(None, (text.partition("=")[2] for text in texts if "=" in text))


def find_matches(pattern: str) -> list[str]:
    """The files that a pattern stands for now."""
    return sorted(islice(glob.iglob(pattern), MAX_MATCHES))  # noqa: PTH207 - as a shell: hidden files match no star


def find_folders(pattern: str) -> Iterator[str]:
    """Every folder in which a new name may match."""
    folder = os.path.dirname(pattern)  # noqa: PTH120 - as above
    while GLOB_SIGN.search(folder):
        yield from islice(glob.iglob(folder), MAX_MATCHES)  # noqa: PTH207
        folder = os.path.dirname(folder)  # noqa: PTH120
    yield folder
