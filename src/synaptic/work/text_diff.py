"""What has changed from one text to another, in few pieces: word by word, or line by line where they are long."""

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal, NamedTuple

import msgspec

from synaptic.store.journal_payload import find_subject, read_input
from synaptic.store.record import JournalEntry

WORD = re.compile(r"\s+|\w+|[^\w\s]+")
MOST_PIECES = 300
"""Words or lines that are compared with each other; comparing takes the square of it."""
MOST_LETTERS = 20_000
EDITED_KEYS = (("old_string", "new_string"), ("oldString", "newString"), ("old_str", "new_str"))
"""Keys under which tools that edit name what a text was and what it is to be."""

Change = Literal["same", "gone", "new"]


class DiffPart(NamedTuple):
    """A piece of both texts, or of one of them."""

    change: Change
    text: str


class InputChange(msgspec.Struct, frozen=True):
    """One field of a tool's input that has changed."""

    name: str
    parts: tuple[DiffPart, ...]


def compare_texts(before: str, after: str) -> tuple[DiffPart, ...]:
    """The pieces of both texts in their order. Of a long text only the beginning."""
    first, second = WORD.findall(before[:MOST_LETTERS]), WORD.findall(after[:MOST_LETTERS])
    if max(len(first), len(second)) > MOST_PIECES:
        first, second = (text[:MOST_LETTERS].splitlines(keepends=True) for text in (before, after))
    return tuple(_join_parts(_compare_pieces(first, second)))


def list_changes(entry: JournalEntry) -> tuple[InputChange, ...]:
    """What a rewrite has changed in the input of a call."""
    new = entry.decision.input
    if new is None:
        return ()
    old = read_input(entry.payload)
    if not isinstance(old, dict) or not old.keys() & new.keys():
        now = find_subject(msgspec.json.encode({"tool_input": new}, enc_hook=repr).decode())
        return (InputChange("input", compare_texts(find_subject(entry.payload), now)),)
    names = [*new, *(name for name in old if name not in new)]
    changed = [name for name in names if old.get(name) != new.get(name)]
    return tuple(InputChange(name, compare_texts(as_text(old.get(name)), as_text(new.get(name)))) for name in changed)


def list_edits(given: Mapping[str, object]) -> tuple[DiffPart, ...]:
    """What a tool that edits is to change in a file, as its input says it."""
    for old, new in EDITED_KEYS:
        before, after = given.get(old), given.get(new)
        if isinstance(before, str) and isinstance(after, str):
            return compare_texts(before, after)
    return ()


def as_text(value: object) -> str:
    """A value of an input as somebody reads it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return msgspec.json.format(msgspec.json.encode(value, enc_hook=repr), indent=2).decode("utf-8", "replace")


def _compare_pieces(first: list[str], second: list[str]) -> Iterator[DiffPart]:
    start = _count_equal(first, second)
    end = _count_equal(first[start:][::-1], second[start:][::-1])
    yield DiffPart("same", "".join(first[:start]))
    yield from _compare_middle(first[start : len(first) - end], second[start : len(second) - end])
    yield DiffPart("same", "".join(first[len(first) - end :]))


def _compare_middle(first: list[str], second: list[str]) -> Iterator[DiffPart]:
    if max(len(first), len(second)) > MOST_PIECES:
        yield from (DiffPart("gone", "".join(first)), DiffPart("new", "".join(second)))
        return
    for _, begin, end, new_begin, new_end in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        old, new = "".join(first[begin:end]), "".join(second[new_begin:new_end])
        yield from (DiffPart("same", old),) if old == new else (DiffPart("gone", old), DiffPart("new", new))


def _count_equal(first: list[str], second: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _join_parts(parts: Iterator[DiffPart]) -> Iterator[DiffPart]:
    last = DiffPart("same", "")
    for part in parts:
        if part.change == last.change:
            last = DiffPart(last.change, last.text + part.text)
        elif part.text:
            if last.text:
                yield last
            last = part
    if last.text:
        yield last
