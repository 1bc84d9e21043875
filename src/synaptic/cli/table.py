"""Tables for people: what does not fit the terminal is wrapped between words, never within one."""

import re
from collections.abc import Sequence
from itertools import zip_longest

from synaptic.cli.cells import measure_cells

GAP = "  "
INDENT = "    "
PIECES = re.compile(r"[^\s,|/]*[,|/]\s*|[^\s,|/]+\s*")
"""What stays together: a word, a part of a list, of a pattern or of a path."""


def measure_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """How wide each column is where nothing is wrapped."""
    return [max(map(measure_cells, column)) for column in zip(*rows, strict=True)]


def lay_out(rows: Sequence[Sequence[str]], width: int) -> list[list[str]] | None:
    """The lines of each row within a width; None where the longest words alone do not fit beside each other."""
    widths = _choose_widths(rows, width)
    return None if widths is None else [_wrap_row(row, widths) for row in rows]


def stack_row(head: Sequence[str], row: Sequence[str], width: int) -> list[str]:
    """A row that fits no line: its first two cells, and the others with their titles below."""
    others = [f"{title.lower()} {cell}" for title, cell in zip(head[2:], row[2:], strict=True) if cell]
    lines = [GAP.join(row[:2]), *wrap_text("; ".join(others), width - len(INDENT))]
    return [lines[0], *(f"{INDENT}{line}" for line in lines[1:] if line)]


def wrap_text(text: str, width: int) -> list[str]:
    """Lines of whole words; a word that is longer than the width has a line of its own."""
    lines = [""]
    for piece in PIECES.findall(text):
        if lines[-1] and measure_cells(lines[-1]) + measure_cells(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def join_cells(row: Sequence[str], widths: Sequence[int]) -> str:
    """One line, each cell as wide as its column, also with letters that take two cells."""
    pairs = zip(row, widths, strict=True)
    return GAP.join(cell + " " * (width - measure_cells(cell)) for cell, width in pairs).rstrip()


def _choose_widths(rows: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """As they are where they fit; else the widest columns give way, down to their longest word."""
    widths = measure_columns(rows)
    least = [max(_measure_words(row[at]) for row in rows) for at in range(len(widths))]
    room = width - len(GAP) * (len(widths) - 1)
    while sum(widths) > room:
        spare = [(has - needs, at) for at, (has, needs) in enumerate(zip(widths, least, strict=True)) if has > needs]
        if not spare:
            return None
        _, widest = max((widths[at], at) for _, at in spare)
        widths[widest] -= 1
    return widths


def _measure_words(cell: str) -> int:
    return max((measure_cells(piece.rstrip()) for piece in PIECES.findall(cell)), default=0)


def _wrap_row(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    cells = [wrap_text(cell, width) for cell, width in zip(row, widths, strict=True)]
    lines = zip_longest(*cells, fillvalue="")
    return [join_cells(line, widths) for line in lines]
