"""Edits of a JSON document that leave every other byte of it alone."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

from synaptic.model.errors import SettingsError

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s,:{}\[\]"]+', re.DOTALL)
COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|(?P<line>//[^\n]*\n?)|(?P<block>/\*.*?\*/)', re.DOTALL)
CLOSERS = "}]"
DEFAULT_INDENT = "  "


class Item(msgspec.Struct, frozen=True):
    """One member of an object (with its key) or one element of an array (without)."""

    start: int
    value: "Node"
    key: str | None = None

    @property
    def end(self) -> int:
        return self.value.end


class Node(msgspec.Struct, frozen=True):
    """A value and where it stands: `text[start:end]` is its source."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int
    items: tuple[Item, ...] = ()

    @property
    def interior(self) -> tuple[int, int]:
        return self.start + 1, self.end - 1

    def members(self, key: str) -> list[Item]:
        """Every member of that name; JSON readers believe the last one."""
        return [item for item in self.items if item.key == key]


class Edit(msgspec.Struct, frozen=True):
    """`text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str = ""


class New(msgspec.Struct, frozen=True):
    """A value to add: with a key to an object, without to an array."""

    value: Any
    key: str | None = None


class _Open(msgspec.Struct):
    """A container whose end has not been seen yet."""

    start: int
    is_object: bool
    items: list[Item]
    key: tuple[str, int] | None = None


def scan(text: str) -> Node:
    """The tree of a document with positions. Raises SettingsError when it is not JSON as the standard has it."""
    _validate(text)
    stack = [_Open(0, False, [])]
    for token in TOKEN.finditer(text):
        first = token.group()[0]
        if first in "{[":
            stack.append(_Open(token.start(), first == "{", []))
        elif first in CLOSERS:
            done = stack.pop()
            kind: Literal["object", "array"] = "object" if done.is_object else "array"
            _place(stack[-1], Node(kind, done.start, token.end(), tuple(done.items)))
        elif first == '"' and stack[-1].is_object and stack[-1].key is None:
            stack[-1].key = (json.loads(token.group()), token.start())
        else:
            _place(stack[-1], Node("scalar", token.start(), token.end()))
    return stack[0].items[0].value


def plain(text: str) -> str:
    """Replace comments by blanks of the same length, so that positions found here are valid in the original text."""
    return COMMENT.sub(lambda found: _blank(found.group()) if found.lastgroup else found.group(), text)


def _blank(comment: str) -> str:
    return re.sub(r"[^\r\n]", " ", comment)


def spare(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """The same edits, with comments that they would take away and do not bring back left standing."""
    comments = [found for found in COMMENT.finditer(text) if found.lastgroup]
    return [_sparing(edit, comments) for edit in edits]


def _sparing(edit: Edit, comments: list[re.Match[str]]) -> Edit:
    inside = (found.group() for found in comments if edit.start <= found.start() and found.end() <= edit.end)
    kept = "".join(comment for comment in inside if comment not in edit.new)
    return Edit(edit.start, edit.end, edit.new + kept)


def _place(parent: _Open, value: Node) -> None:
    key, start = parent.key if parent.key else (None, value.start)
    parent.items.append(Item(start, value, key))
    parent.key = None


def _validate(text: str) -> None:
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise SettingsError(f"invalid JSON at line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise SettingsError("the JSON is nested too deeply to be edited") from error
    except ValueError as error:
        raise SettingsError(f"invalid JSON: {error}") from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits; they must not overlap."""
    pieces: list[str] = []
    position = 0
    # Edits carry positions in the old text, so they are applied in one pass from left to right.
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += (text[position : edit.start], edit.new)
        position = edit.end
    return "".join((*pieces, text[position:]))


def cut(node: Node, indexes: Iterable[int]) -> list[Edit]:
    """Take some, not all, items out of a container, each with the comma that bound it."""
    # At the front the comma after an item goes with it, elsewhere the one before: nothing trails in either case.
    gone = set(indexes)
    edits: list[Edit] = []
    kept: Item | None = None
    leading: Item | None = None
    for index, item in enumerate(node.items):
        if index not in gone:
            if leading is not None:
                edits.append(Edit(leading.start, item.start))
            kept, leading = item, None
        elif kept is None:
            leading = leading or item
        else:
            edits.append(Edit(node.items[index - 1].end, item.end))
    return edits


def empty(node: Node, interior: str = "") -> Edit:
    """Take everything out of a container and leave this whitespace between its brackets."""
    start, end = node.interior
    return Edit(start, end, interior)


def append(text: str, node: Node, new: Sequence[New]) -> Edit:
    """Put values at the end of a container, laid out as their neighbours are."""
    if node.items:
        last = node.items[-1]
        gap = _gap_before_last(text, node)
        return Edit(last.end, last.end, "".join(f",{gap}{_render(text, value, gap)}" for value in new))
    within = text[slice(*node.interior)]
    kept = within if within.strip() else ""  # only a comment is in it
    if _is_compact(text):
        return empty(node, kept + ", ".join(_render(text, value, "") for value in new))
    outer = _newline(text) + _line_indent(text, node.start)
    gap = outer + indent_of(text)
    return empty(node, kept + ",".join(gap + _render(text, value, gap) for value in new) + outer)


def _gap_before_last(text: str, node: Node) -> str:
    start = node.items[-1].start
    return text[len(text[:start].rstrip(" \t\r\n")) : start]


def _render(text: str, new: New, gap: str) -> str:
    """One item; on several lines when its neighbours start on lines of their own."""
    prefix = "" if new.key is None else json.dumps(new.key, ensure_ascii=False) + ": "
    if "\n" not in gap:
        return prefix + json.dumps(new.value, ensure_ascii=False)
    lines = json.dumps(new.value, ensure_ascii=False, indent=indent_of(text)).split("\n")
    return prefix + (_newline(text) + gap.rpartition("\n")[2]).join(lines)


def indent_of(text: str) -> str:
    """One step of indentation as this document has it."""
    found = re.match(r"\s*[{\[]\s*\n([ \t]+)\S", text)
    return found.group(1) if found else DEFAULT_INDENT


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _is_compact(text: str) -> bool:
    """A document on one line that has something in it stays on one line."""
    bare = text.strip()
    return "\n" not in bare and any(mark in bare for mark in ':,"')


def _line_indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]
