"""Read TOML that somebody else may have written: in a time that grows with its length only."""

import re
import tomllib
from typing import Any

MAX_KEY_PARTS = 32
KEY_END = re.compile(r"[=\n]")
LINE_STRING = re.compile(r'"(?:[^"\\\n]|\\[^\n])*+"?|\'[^\'\n]*+\'?|#[^\n]*+')
"""Strings and comments, to the end of the line where they have no other: whatever begins is passed over once."""
LONG_QUOTES = ('"""', "'''")


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a document. Raises ValueError for everything that is none, or has a key of very many parts."""
    if _has_long_key(text):
        raise ValueError(f"a key has more than {MAX_KEY_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def _has_long_key(text: str) -> bool:
    """Whether some key has very many parts: `tomllib` takes the square of their number, a minute for 64 KiB."""
    # Where a string can have many lines, what is a string cannot be told line by line: then every dot counts.
    bare = text if any(quotes in text for quotes in LONG_QUOTES) else LINE_STRING.sub("s", text)
    return any(piece.count(".") >= MAX_KEY_PARTS for piece in KEY_END.split(bare))
