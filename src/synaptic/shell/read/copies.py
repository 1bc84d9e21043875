"""Programs under another name: a copy or a link of one is remembered as a script that starts it."""

import re
from typing import TYPE_CHECKING

from synaptic.shell.names import split_names
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.writing import quote_word

if TYPE_CHECKING:
    from synaptic.shell.read.evaluate import Evaluation

COPYING_PROGRAMS = split_names("cp ln mv install rsync cat dd link")
PROGRAM_PATH = re.compile(r"(?:/usr|/usr/local|/opt/homebrew)?/s?bin/[\w.+-]+")


def note_copies(shell: "Evaluation", call: CommandCall) -> None:
    """Remember what `cp /bin/sh z` and its kin make of a program."""
    if not any(word.outputs or "bin/" in word.text for word in call.words):
        return
    words = [word for word in call.words[1:] if word.text[:1] != "-"]
    sources = [path for word in words if (path := _find_program_path(word))]
    if not sources:
        return
    name = sources[0].rpartition("/")[2]
    if call.name in ("cat", "dd"):
        targets = [one.target.text for one in call.redirects if one.is_write]
        targets += [word.text.removeprefix("of=") for word in words if word.text.startswith("of=")]
    else:
        last = words[-1].text if words[-1].text != sources[-1] else "."
        # The last word may be a folder; only the file system knows, so both names count.
        targets = [last, f"{last.rstrip('/')}/{name}"]
    for target in targets:
        shell.remember_file(target, f'exec {quote_word(sources[0])} "$@"\n')


def _find_program_path(word: Word) -> str:
    """The program that a word names by its path, or that `which` has found."""
    text = word.text.removeprefix("if=")
    if PROGRAM_PATH.fullmatch(text):
        return text
    return text if word.known and word.outputs and text.isalnum() else ""
