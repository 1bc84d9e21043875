"""The paths that a script writes or deletes."""

from collections.abc import Iterable, Iterator

import msgspec

from synaptic.shell.effects.effects import Effect
from synaptic.shell.paths import MAX_PATH, PLAIN_PATH, Standpoint, is_settled, resolve_path
from synaptic.shell.places import strip_match_all
from synaptic.shell.read.script import Command, Word


class WriteTarget(msgspec.Struct, frozen=True):
    """A file that would be written, and the word that names it."""

    path: str
    word: Word
    command: Command | None = None
    via: tuple[str, ...] = ()
    """Through what the command runs that writes it."""


def find_targets(changes: Iterable[Effect], at: Standpoint) -> Iterator[WriteTarget]:
    """The files that are changed, as far as their names are known."""
    for one in changes:
        word, folder = one.word, one.cwd or at.cwd
        text = word.text
        # The common case, without the cost of resolving; the result is the same.
        if PLAIN_PATH.fullmatch(text) and is_settled(folder) and len(text) <= MAX_PATH:
            yield WriteTarget(f"{folder}/{text}", word, one.command, one.via)
        elif text and (path := resolve_path(strip_match_all(text) if word.glob else text, Standpoint(folder, at.home))):
            yield WriteTarget(path, word, one.command, one.via)
