"""Texts that travel in a context: short, on one line, and saying that they were cut."""

from collections.abc import Mapping

SUMMARY = 500
"""Characters of a summary."""
VALUE = 8000
"""Characters of any one text in a context that is written down."""


def summary(text: str, limit: int = SUMMARY) -> str:
    """The first words of a text, on one line."""
    # Cut before it is split: a tool response may be megabytes long.
    head = " ".join(text[: limit * 4].split())
    return head if len(head) <= limit and len(text) <= limit * 4 else f"{head[: limit - 1]}…"


def shortened(value: object) -> object:
    """The same value with every long text in it cut."""
    if isinstance(value, str):
        return value if len(value) <= VALUE else f"{value[:VALUE]}… ({len(value) - VALUE} characters more)"
    if isinstance(value, Mapping):
        return {str(key): shortened(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(inner) for inner in value]
    return value
