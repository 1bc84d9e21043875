"""A terminal of 80 columns and 24 lines, as far as our output needs one: text, colours, wrapping, scrolling."""

import re

COLUMNS, LINES = 80, 24
TOKEN = re.compile(r"\x1b\[([\d;]*)([A-Za-z])|\x1b\][^\x07]*\x07|\x1b.|[\r\n\t]|[^\x1b\r\n\t]+", re.DOTALL)
COLOURS = {31: "red", 32: "green", 33: "yellow", 34: "blue", 36: "cyan", 91: "red", 92: "green", 93: "yellow"}

Cell = tuple[str, str]
"""A character and its colour; `bold` counts as one."""
Frame = tuple[tuple[Cell, ...], ...]


class Screen:
    """Takes what a program prints; `frame` is what a person sees then."""

    def __init__(self) -> None:
        self._lines: list[list[Cell]] = [[]]
        self._colour = ""

    def feed(self, text: str) -> None:
        for found in TOKEN.finditer(text):
            if found[2] == "m":
                self._colour = _read_colour(found[1])
            elif found[0] == "\n":
                self._lines.append([])
            elif found[0] == "\t":
                self._put(" " * (8 - len(self._lines[-1]) % 8))
            elif not found[0].startswith(("\x1b", "\r")):
                self._put(found[0])

    @property
    def frame(self) -> Frame:
        return tuple(tuple(line) for line in self._lines[-LINES:])

    def _put(self, text: str) -> None:
        for letter in text:
            if len(self._lines[-1]) == COLUMNS:
                self._lines.append([])
            self._lines[-1].append((letter, self._colour))


def _read_colour(codes: str) -> str:
    known = [COLOURS.get(int(code), "bold" if code == "1" else "") for code in codes.split(";") if code]
    return next((colour for colour in reversed(known) if colour), "")
