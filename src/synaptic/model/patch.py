"""The patch format of `apply_patch`: which files it adds, changes, moves and deletes, each as the edit it is.

It is read as loosely as the most tolerant agent reads it: a file that is overlooked here is a file nobody judges.
"""

import re
from collections.abc import Iterator

import msgspec

from synaptic.model.tool import PATCH, Input, Tool

BEGIN, END = "*** Begin Patch", "*** End Patch"
HEADER = re.compile(r"\s*\*\*\* (?P<act>Add|Update|Delete) File:\s*(?P<path>\S.*?)\s*")
MOVE = re.compile(r"\*\*\* Move to:\s*(?P<path>\S.*?)\s*")
BETWEEN = ("@@", "***")
"""What separates the changes of one file."""

Chunk = tuple[list[str], list[str]]
"""Lines before and after."""


class FileChange(msgspec.Struct, frozen=True):
    """What a patch does to one file."""

    act: str
    """Add, Update or Delete."""
    path: str
    moved: str = ""
    """Where the file goes."""
    chunks: tuple[Chunk, ...] = ()


def find_patch(given: Input) -> tuple[str, str]:
    """The key of a tool's input that holds a patch, and the patch; two empty texts where there is none."""
    if isinstance(text := given.get("input"), str):
        return "input", text
    found = ((key, value) for key, value in given.items() if isinstance(value, str) and BEGIN in value)
    return next(found, ("", ""))


def read_patch_files(text: str) -> tuple[FileChange, ...]:
    """Every file that a patch names, in its order; some agents ask for no mark around it."""
    found: list[tuple[re.Match[str], list[str]]] = []
    for line in text.split("\n"):
        changing = bool(found) and found[-1][0]["act"] == "Update"
        # In a change, a line that begins with a space is text of the file and never a mark.
        if (header := HEADER.fullmatch(line)) and not (changing and line[0] == " "):
            found.append((header, []))
        elif found:
            found[-1][1].append(line.removesuffix("\r"))
    return tuple(_read_change(header, lines) for header, lines in found)


def read_patch_call(text: str) -> Tool:
    """The canonical call of a patch: one file is a Write or an Edit of it, anything else is an ApplyPatch."""
    edits = [edit for change in read_patch_files(text) for edit in split_file_change(change)]
    if len(edits) == 1:
        return edits[0]
    paths = list(dict.fromkeys(edit.read_text("file_path") for edit in edits))
    named = {"file_path": paths[0], "paths": paths} if paths else {}
    return Tool(PATCH, {**named, "patch": text})


def split_file_change(change: FileChange) -> Iterator[Tool]:
    """What happens to one file, as calls that concern one file each: a move changes two."""
    yield _make_edit(change, change.path)
    if change.moved:
        yield _make_edit(change, change.moved)


def make_adding_patch(path: str, content: str) -> str:
    """The patch that writes one file."""
    lines = "".join(f"+{line}\n" for line in content.removesuffix("\n").split("\n"))
    return f"{BEGIN}\n*** Add File: {path}\n{lines}{END}\n"


def write_patch(new: Input) -> str | None:
    """The patch that reads as exactly this input; None when there is none."""
    path, content, text = new.get("file_path"), new.get("content"), new.get("patch")
    if isinstance(path, str) and isinstance(content, str):
        text = make_adding_patch(path, content)
    return text if isinstance(text, str) and dict(read_patch_call(text).input) == dict(new) else None


def _read_change(header: re.Match[str], lines: list[str]) -> FileChange:
    if header["act"] == "Add":
        lines = [line for line in lines if line[:1] == "+"]
    moved = MOVE.fullmatch(lines[0]) if lines else None
    return FileChange(header["act"], header["path"], moved["path"] if moved else "", tuple(_split_chunks(lines)))


def _split_chunks(lines: list[str]) -> Iterator[Chunk]:
    chunk: Chunk = ([], [])
    for line in [*lines, END]:
        if not line.startswith(BETWEEN):
            _add_line(chunk, line)
            continue
        if any(chunk):
            yield chunk
        if line.rstrip() == END:
            return
        chunk = ([], [])


def _add_line(chunk: Chunk, line: str) -> None:
    """A line that neither comes nor goes is on both sides."""
    before, after = chunk
    if line[:1] != "+":
        before.append(line[1:])
    if line[:1] != "-":
        after.append(line[1:])


def _make_edit(change: FileChange, path: str) -> Tool:
    if change.act == "Add":
        text = "".join(f"{line}\n" for _, after in change.chunks for line in after)
        return Tool("Write", {"file_path": path, "content": text})
    edits = [{"old_string": "\n".join(old), "new_string": "\n".join(new)} for old, new in change.chunks]
    whole = {key: "\n".join(edit[key] for edit in edits) for key in ("old_string", "new_string")}
    more = {"edits": edits} if len(edits) > 1 else {}
    return Tool("Edit", {"file_path": path, **whole, **more})
