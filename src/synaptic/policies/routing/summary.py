"""Texts that travel in a context: short, on one line, and saying that they were cut."""

from collections.abc import Mapping

from synaptic.store.redact import cut_text

MAX_SUMMARY = 500
"""Characters of a summary."""
MAX_VALUE = 8000
"""Characters of any one text in a context that is written down."""


def summarize_text(text: str, limit: int = MAX_SUMMARY) -> str:
    """The first words of a text, on one line."""
    # Cut before it is split: a tool response may be megabytes long.
    head = " ".join(cut_text(text, limit * 4).split())
    return head if len(head) <= limit and len(text) <= limit * 4 else f"{cut_text(head, limit - 1)}…"


def shorten_texts(value: object) -> object:
    """The same value with every long text in it cut."""
    if isinstance(value, str):
        more = len(value) - MAX_VALUE
        return value if more <= 0 else f"{cut_text(value, MAX_VALUE)}… ({more} characters more)"
    if isinstance(value, Mapping):
        return {str(key): shorten_texts(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [shorten_texts(inner) for inner in value]
    return value
