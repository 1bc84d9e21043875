"""Text that UTF-8 can hold: an agent may send half a surrogate pair, and no file, database or JSON takes one."""

import re
from collections.abc import Mapping
from typing import Any

WORD_ENDS = frozenset(" \t\r\n\"'`{}[]<>|,")
_CUT_END = re.compile(r"\b(?:echo|printf)\b[^;&]*\Z|[^\s\"'`{}\[\]<>|,]+\Z")
"""The word in which a text was cut, and what may be piped into a program that is not there any more."""


def cut_start(text: str, most: int) -> str:
    """The beginning of a text, without the word in which it would be cut.

    Half a secret has no shape by which it could be redacted later: `https://me:PASSWORD` is none without its `@host`.
    """
    if len(text) <= most:
        return text
    start = text[:most]
    cut = _CUT_END.search(start)
    is_whole = text[most] in WORD_ENDS and not (cut and cut[0].startswith(("echo", "printf")))
    return f"{start if is_whole or not cut else start[: cut.start()]}..."


def join_lines(text: str) -> str:
    """A text in one line, with a sign where a line ended: for a shell the next one is another command."""
    return " ⏎ ".join(line for part in text.splitlines() if (line := " ".join(part.split())))


def to_utf8(text: str) -> str:
    """The same text with everything that UTF-8 cannot hold replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def to_utf8_deep(value: Any) -> Any:
    """`to_utf8` for every text in a value; keys become text."""
    if isinstance(value, str):
        return to_utf8(value)
    if isinstance(value, Mapping):
        return {to_utf8(str(key)): to_utf8_deep(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_utf8_deep(item) for item in value]
    return value
