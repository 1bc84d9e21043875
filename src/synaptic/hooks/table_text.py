"""A TOML text cut at its `[[...]]` headers of one name, so that single tables can be changed and taken out.

Whatever people wrote between them stays: a TOML library that writes the whole document again would move comments and
blank lines. Who edits parses the result again and compares it with what was meant before anybody writes it.
"""

import re
from typing import Any

import tomlkit

from synaptic.model.errors import DeclarationError

KEY_NAME = r"(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')"
HEADER_TOKEN = re.compile(
    r'(?P<skip>"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*)'
    rf"|^[ \t]*(?P<header>\[\[?[ \t]*{KEY_NAME}(?:[ \t]*\.[ \t]*{KEY_NAME})*[ \t]*\]\]?)[ \t]*(?:#[^\n]*)?$",
    re.MULTILINE | re.DOTALL,
)
"""Matches strings and comments first, so that a table header inside one is not taken for a header."""
COMMENT_ABOVE = re.compile(r"(?:^[ \t]*#[^\n]*\n)+\Z", re.MULTILINE)


class TableText:
    """The text split at its tables of one name; what stands between them is kept."""

    def __init__(self, name: str, text: str, spans: list[tuple[int, int]]) -> None:
        self._name = name
        self._pieces: list[str] = []
        self._tables: list[int] = []
        end = 0
        for start, stop in spans:
            self._pieces += [text[end:start], text[start:stop]]
            self._tables.append(len(self._pieces) - 1)
            end = stop
        self._pieces.append(text[end:])

    def join(self) -> str:
        whole = "".join(self._pieces)
        return whole if not whole or whole.endswith("\n") else f"{whole}\n"

    def drop(self, number: int, mark: str = "") -> None:
        """Remove a table and the comment directly above it; at the top of the file only one that begins with `mark`."""
        index = self._tables[number]
        self._pieces[index] = ""
        above = self._pieces[index - 1]
        if mark and above.startswith(mark) and above.count("\n") == 1:
            above = ""
        elif "".join(self._pieces[: index - 1]).strip() or "\n\n" in above:
            above = COMMENT_ABOVE.sub("", above)
        gap = above == "\n" or above.endswith("\n\n")  # the blank line that set the table apart goes with it
        self._pieces[index - 1] = above[:-1] if gap else above

    def change(self, number: int, values: dict[str, Any]) -> None:
        index = self._tables[number]
        document = tomlkit.parse(self._pieces[index])
        table: Any = document[self._name]
        for key, value in values.items():
            if table[0].get(key) != value:
                table[0][key] = value
        self._pieces[index] = tomlkit.dumps(document)


def split_at_tables(name: str, text: str, count: int, where: str) -> TableText:
    """Cut the text at its `[[name]]` headers; DeclarationError where it does not have `count` of them."""
    spans: list[tuple[int, int]] = []
    start: int | None = None
    for found in HEADER_TOKEN.finditer(text):
        header = found["header"]
        if header is None or _is_inside(name, header):
            continue
        if start is not None:
            spans.append((start, _find_end(text, start, found.start())))
        start = found.start() if _is_header_of(name, header) else None
    if start is not None:
        spans.append((start, _find_end(text, start, len(text))))
    # Inline forms (`hook = [{...}]`) parse as TOML but have no header to cut at: refused rather than guessed.
    if len(spans) != count:
        hint = f"write each {name} as a table that begins with `[[{name}]]`"
        raise DeclarationError(f"its {name}s cannot be told apart", where=where, hint=hint)
    return TableText(name, text, spans)


def _find_end(text: str, start: int, stop: int) -> int:
    """Find where a table ends: blank lines and comments before the next header are not part of it."""
    lines = text[start:stop].splitlines(keepends=True)
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return start + sum(map(len, lines))


def _is_header_of(name: str, header: str) -> bool:
    return header.startswith("[[") and header.strip("[] \t\"'") == name


def _is_inside(name: str, header: str) -> bool:
    """A table inside the one above it."""
    return re.match(rf"{name}[\"']?[ \t]*\.", header.strip("[] \t\"'")) is not None
