"""Text that UTF-8 can hold: an agent may send half a surrogate pair, and no file, database or JSON takes one."""

from collections.abc import Mapping
from typing import Any


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
