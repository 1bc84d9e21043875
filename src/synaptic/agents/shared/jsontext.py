"""Edits of a JSON document that leave every other byte of it alone."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

from synaptic.model.errors import SettingsError

JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s,:{}\[\]"]+', re.DOTALL)
JSON_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|(?P<line>//[^\n]*\n?)|(?P<block>/\*.*?\*/)', re.DOTALL)
CLOSERS = "}]"
DEFAULT_INDENT = "  "


class JsonItem(msgspec.Struct, frozen=True):
    """One member of an object (with its key) or one element of an array (without)."""

    start: int
    value: "JsonNode"
    key: str | None = None

    @property
    def end(self) -> int:
        return self.value.end


class JsonNode(msgspec.Struct, frozen=True):
    """A value and where it stands: `text[start:end]` is its source."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int
    items: tuple[JsonItem, ...] = ()

    @property
    def interior(self) -> tuple[int, int]:
        return self.start + 1, self.end - 1

    def find_members(self, key: str) -> list[JsonItem]:
        """Every member of that name; JSON readers believe the last one."""
        return [item for item in self.items if item.key == key]


class TextEdit(msgspec.Struct, frozen=True):
    """`text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str = ""


class NewItem(msgspec.Struct, frozen=True):
    """A value to add: with a key to an object, without to an array."""

    value: Any
    key: str | None = None


class _OpenContainer(msgspec.Struct):
    """A container whose end has not been seen yet."""

    start: int
    is_object: bool
    items: list[JsonItem]
    key: tuple[str, int] | None = None


def scan_json(text: str) -> JsonNode:
    """The tree of a document with positions. Raises SettingsError when it is not JSON as the standard has it."""
    _validate_json(text)
    stack = [_OpenContainer(0, False, [])]
    for token in JSON_TOKEN.finditer(text):
        first = token.group()[0]
        if first in "{[":
            stack.append(_OpenContainer(token.start(), first == "{", []))
        elif first in CLOSERS:
            done = stack.pop()
            kind: Literal["object", "array"] = "object" if done.is_object else "array"
            _place_value(stack[-1], JsonNode(kind, done.start, token.end(), tuple(done.items)))
        elif first == '"' and stack[-1].is_object and stack[-1].key is None:
            stack[-1].key = (json.loads(token.group()), token.start())
        else:
            _place_value(stack[-1], JsonNode("scalar", token.start(), token.end()))
    return stack[0].items[0].value


def blank_comments(text: str) -> str:
    """Replace comments by blanks of the same length, so that positions found here are valid in the original text."""
    return JSON_COMMENT.sub(lambda found: _blank_text(found.group()) if found.lastgroup else found.group(), text)


def _blank_text(comment: str) -> str:
    return re.sub(r"[^\r\n]", " ", comment)


def spare_comments(text: str, edits: Iterable[TextEdit]) -> list[TextEdit]:
    """The same edits, with comments that they would take away and do not bring back left standing."""
    comments = [found for found in JSON_COMMENT.finditer(text) if found.lastgroup]
    return [_spare_in_edit(edit, comments) for edit in edits]


def _spare_in_edit(edit: TextEdit, comments: list[re.Match[str]]) -> TextEdit:
    inside = (found.group() for found in comments if edit.start <= found.start() and found.end() <= edit.end)
    kept = "".join(comment for comment in inside if comment not in edit.new)
    return TextEdit(edit.start, edit.end, edit.new + kept)


def _place_value(parent: _OpenContainer, value: JsonNode) -> None:
    key, start = parent.key if parent.key else (None, value.start)
    parent.items.append(JsonItem(start, value, key))
    parent.key = None


def _validate_json(text: str) -> None:
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


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """The text after all edits; they must not overlap."""
    pieces: list[str] = []
    position = 0
    # Edits carry positions in the old text, so they are applied in one pass from left to right.
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += (text[position : edit.start], edit.new)
        position = edit.end
    return "".join((*pieces, text[position:]))


def cut_items(node: JsonNode, indexes: Iterable[int]) -> list[TextEdit]:
    """Take some, not all, items out of a container, each with the comma that bound it."""
    # At the front the comma after an item goes with it, elsewhere the one before: nothing trails in either case.
    gone = set(indexes)
    edits: list[TextEdit] = []
    kept: JsonItem | None = None
    leading: JsonItem | None = None
    for index, item in enumerate(node.items):
        if index not in gone:
            if leading is not None:
                edits.append(TextEdit(leading.start, item.start))
            kept, leading = item, None
        elif kept is None:
            leading = leading or item
        else:
            edits.append(TextEdit(node.items[index - 1].end, item.end))
    return edits


def empty_container(node: JsonNode, interior: str = "") -> TextEdit:
    """Take everything out of a container and leave this whitespace between its brackets."""
    start, end = node.interior
    return TextEdit(start, end, interior)


def append_items(text: str, node: JsonNode, new: Sequence[NewItem]) -> TextEdit:
    """Put values at the end of a container, laid out as their neighbours are."""
    if node.items:
        last = node.items[-1]
        gap = _find_last_gap(text, node)
        return TextEdit(last.end, last.end, "".join(f",{gap}{_render_item(text, value, gap)}" for value in new))
    within = text[slice(*node.interior)]
    kept = within if within.strip() else ""  # only a comment is in it
    if _is_compact(text):
        return empty_container(node, kept + ", ".join(_render_item(text, value, "") for value in new))
    outer = _find_newline(text) + _find_line_indent(text, node.start)
    gap = outer + find_indent(text)
    return empty_container(node, kept + ",".join(gap + _render_item(text, value, gap) for value in new) + outer)


def _find_last_gap(text: str, node: JsonNode) -> str:
    start = node.items[-1].start
    return text[len(text[:start].rstrip(" \t\r\n")) : start]


def _render_item(text: str, new: NewItem, gap: str) -> str:
    """One item; on several lines when its neighbours start on lines of their own."""
    prefix = "" if new.key is None else json.dumps(new.key, ensure_ascii=False) + ": "
    if "\n" not in gap:
        return prefix + json.dumps(new.value, ensure_ascii=False)
    lines = json.dumps(new.value, ensure_ascii=False, indent=find_indent(text)).split("\n")
    return prefix + (_find_newline(text) + gap.rpartition("\n")[2]).join(lines)


def find_indent(text: str) -> str:
    """One step of indentation as this document has it."""
    found = re.match(r"\s*[{\[]\s*\n([ \t]+)\S", text)
    return found.group(1) if found else DEFAULT_INDENT


def _find_newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _is_compact(text: str) -> bool:
    """A document on one line that has something in it stays on one line."""
    bare = text.strip()
    return "\n" not in bare and any(mark in bare for mark in ':,"')


def _find_line_indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]
