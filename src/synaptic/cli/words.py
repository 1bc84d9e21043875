"""Text in lines of whole words: what a terminal breaks by itself, it breaks anywhere."""

import re
from collections.abc import Iterator

from synaptic.cli.table import PIECES

HANG = 2
"""How much further in a line goes on that did not fit."""
WORDS = re.compile(r"\S+\s*")
OWN_LINES = ("#", "- ", "* ", "  ", "`" * 3)
"""How lines begin that are no part of a paragraph."""


def wrap_lines(text: str, width: int) -> str:
    """Every line within the width, and what did not fit below it, a little further in."""
    return "\n".join(part for line in text.split("\n") for part in wrap_line(line, width))


def wrap_line(line: str, width: int, hang: int | None = None) -> list[str]:
    """One line as lines of whole words; the later ones begin `hang` columns in, or a little further than the first."""
    if len(line) <= width:
        return [line]
    begun = len(line) - len(line.lstrip())
    further = begun + HANG if hang is None else hang
    lines = [line[:begun]]
    for piece in _iter_pieces(line[begun:], width - further):
        if lines[-1].strip() and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append(" " * further)
        lines[-1] += piece
    return [one.rstrip() for one in lines]


def join_paragraphs(text: str) -> str:
    """Paragraphs as single lines: a text that was broken for a file is broken anew for a terminal."""
    joined: list[str] = []
    for line in text.split("\n"):
        goes_on = joined and joined[-1] and not joined[-1].startswith("#")
        if goes_on and line and not line.startswith(OWN_LINES):
            joined[-1] += f" {line}"
        else:
            joined.append(line)
    return "\n".join(joined)


def _iter_pieces(text: str, room: int) -> Iterator[str]:
    """Words; only one that is longer than a whole line comes in parts, such as those of a path."""
    for word in WORDS.findall(text):
        yield from (word,) if len(word.rstrip()) <= room else PIECES.findall(word)
