"""Folders that are filled with what no word names, and names that archives get while they are unpacked."""

from collections.abc import Iterator

from synaptic.policies.reading import runs_elsewhere
from synaptic.shell.book.entries import BOOK, find_program
from synaptic.shell.effects.filled import FILLING_PROGRAMS, LANGUAGE_NAMES, find_filled_folders, iter_option_values
from synaptic.shell.paths import MAX_PATH, Standpoint, resolve_path
from synaptic.shell.programs.patches import PATCH_VERBS
from synaptic.shell.read.script import Command
from synaptic.shell.reading import CommandReading

UNPACKING_PROGRAMS = FILLING_PROGRAMS - LANGUAGE_NAMES
TAR_PROGRAMS = frozenset(BOOK["tar"].names)
TRANSFORMING_OPTIONS = ("-s",)
"""What bsdtar calls it."""


def iter_filled(known: CommandReading) -> Iterator[str]:
    """Every folder that a program fills from an archive, a patch or another folder, and what it renames on the way."""
    if UNPACKING_PROGRAMS.isdisjoint(known.programs):
        return
    for command in known.script.commands:
        if command.name not in UNPACKING_PROGRAMS or runs_elsewhere(command) or _names_no_files(command):
            continue
        at = Standpoint(command.cwd or known.standpoint.cwd, known.standpoint.home)
        texts = (*(word.text for word in find_filled_folders(command)), *_iter_renamed(command))
        yield from (path for text in texts if len(text) <= MAX_PATH and (path := resolve_path(text, at)))


def _names_no_files(command: Command) -> bool:
    """Whether git only goes to another state of what it keeps, or a patch says itself which files it changes."""
    if command.name == "git":
        return bool(command.paths) or PATCH_VERBS.isdisjoint(command.args)
    return bool(command.paths)


def _iter_renamed(command: Command) -> Iterator[str]:
    """What `tar --transform s,OLD,NEW,` makes of names."""
    if command.name not in TAR_PROGRAMS:
        return
    given = find_program("tar").read(command.argv[1:])
    folder = next((f"{word.text}/" for word in given.get_values("directory")[-1:]), "")
    for word in (*given.get_values("transform"), *iter_option_values(command.argv[1:], TRANSFORMING_OPTIONS)):
        for one in word.text.split(";"):
            sign = one.lstrip("s")[:1]
            parts = one.split(sign) if sign else []
            if len(parts) > 2:
                yield f"{folder}{parts[2]}"
