"""The paths that a script writes or deletes."""

from collections.abc import Iterator

import msgspec

from synaptic.shell.effects.effects import Effects
from synaptic.shell.paths import LONGEST, PLAIN, Standpoint, resolve, settled
from synaptic.shell.places import without_everything
from synaptic.shell.read.script import Command, Word


class Target(msgspec.Struct, frozen=True):
    """A file that would be written, and the word that names it."""

    path: str
    word: Word
    command: Command | None = None
    via: tuple[str, ...] = ()
    """Through what the command runs that writes it."""


def find_targets(effects: Effects, at: Standpoint, patterns: bool = False) -> Iterator[Target]:
    """Every file that is changed, as far as its name is known; or only those that patterns name."""
    for one in effects.changes:
        word, folder = one.word, one.cwd or at.cwd
        text = word.text
        if patterns and not word.glob:
            continue
        if PLAIN.fullmatch(text) and settled(folder) and len(text) <= LONGEST:
            yield Target(f"{folder}/{text}", word, one.command, one.via)
        elif text and (path := resolve(without_everything(text) if word.glob else text, Standpoint(folder, at.home))):
            yield Target(path, word, one.command, one.via)
