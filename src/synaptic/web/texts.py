"""Texts of agents as a page shows them: bounded, and with a sign for each letter that nobody would see."""

from collections.abc import Callable

import msgspec

from synaptic.store.redact import MAX_SECRET, redact_text
from synaptic.work.event_words import show_text
from synaptic.work.text_diff import DiffPart, InputChange

LONGEST_TEXT = 20_000
LONGEST_SAVED = 4_000
MOST_FIELDS = 40

CleanText = Callable[[str], str]
"""What is done to each text of somebody else before it is shown."""


class ShownText(msgspec.Struct, frozen=True):
    """A text under its name."""

    name: str
    text: str
    left_out: int = 0
    """Letters behind its end."""


def clean_saved(text: str) -> str:
    """For a file that may be handed on: without secrets, also those that were not known when it was written down."""
    return show_text(redact_text(text[: LONGEST_SAVED + MAX_SECRET])[:LONGEST_SAVED])


def clean_shown(text: str) -> str:
    """For a page."""
    return show_text(text[:LONGEST_TEXT])


def make_text(name: str, text: str, clean: CleanText) -> ShownText:
    """A text with its name, and how much of it is not there."""
    longest = LONGEST_SAVED if clean is clean_saved else LONGEST_TEXT
    return ShownText(clean(name[:200]), clean(text), max(len(text) - longest, 0))


def clean_parts(parts: tuple[DiffPart, ...], clean: CleanText) -> tuple[DiffPart, ...]:
    """A comparison for a page."""
    return tuple(DiffPart(part.change, clean(part.text)) for part in parts)


def clean_changes(changes: tuple[InputChange, ...], clean: CleanText) -> tuple[InputChange, ...]:
    """What was rewritten, for a page."""
    return tuple(InputChange(clean(one.name[:200]), clean_parts(one.parts, clean)) for one in changes[:MOST_FIELDS])
