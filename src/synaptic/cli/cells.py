"""Text in the cells of a terminal, where a letter may take two of them, or none."""

import unicodedata
from collections.abc import Iterator

SIGN_OF_MORE = "…"
MOST_MARKS = 4
"""Marks above and below one letter; more of them would run over the lines around it."""


def clean_line(text: str) -> str:
    """A text in one line in which nothing can drive the terminal."""
    return "".join(_iter_safe(" ".join(text.split())))


def measure_cells(text: str) -> int:
    """How many cells a clean text takes."""
    return len(text) if text.isascii() else sum(map(_measure_letter, text))


def cut_cells(text: str, room: int) -> str:
    """The beginning that fits, with a sign where something is missing."""
    if measure_cells(text) <= room:
        return text
    kept, used = [], 0
    for letter in text:
        used += _measure_letter(letter)
        if used > room - 1:
            break
        kept.append(letter)
    return "".join(kept) + SIGN_OF_MORE if room > 0 else ""


def wrap_cells(text: str, room: int) -> list[str]:
    """A clean text in lines of whole words; a word that is longer than a line is broken."""
    room = max(room, 2)
    lines = [""]
    for word in _iter_pieces(text, room):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if measure_cells(joined) <= room:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def _iter_pieces(text: str, room: int) -> Iterator[str]:
    for word in text.split():
        piece, used = "", 0
        for letter in word:
            used += _measure_letter(letter)
            if used > room:
                yield piece
                piece, used = "", _measure_letter(letter)
            piece += letter
        yield piece


def _iter_safe(text: str) -> Iterator[str]:
    marks = 0
    for letter in text:
        marks = 0 if letter.isascii() or not unicodedata.combining(letter) else marks + 1
        if marks <= MOST_MARKS:
            yield letter if letter.isprintable() else "\ufffd"


def _measure_letter(letter: str) -> int:
    if letter.isascii():
        return 1
    if unicodedata.category(letter) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
