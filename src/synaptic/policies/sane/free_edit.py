"""Edits that need no research: how many lines a call changes, and whether it stays within files that are free."""

import posixpath
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from synaptic.model.tool import PATCH, Tool
from synaptic.policies.sane.edit import count_lines


def count_changed_lines(tool: Tool) -> int | None:
    """Lines that an edit takes away or adds, whichever is more; None where the call does not show it."""
    if tool.name == PATCH:
        return sum(
            line[:1] in "+-" and line[:3] not in ("+++", "---") for line in tool.read_text("patch").splitlines() if line
        )
    edits = tool.input.get("edits")
    if edits is None and tool.name == "Edit":
        edits = [tool.input]
    if not isinstance(edits, list | tuple) or not edits:
        return None
    counts = [_count_edit_lines(edit) for edit in edits]
    return None if None in counts else sum(count for count in counts if count)


def is_free_file(paths: Sequence[str], globs: Sequence[str], root: str) -> bool:
    """Whether every file of a call is one of those: by its path in the project or by its name."""
    return bool(globs) and bool(paths) and all(_matches_glob(path, globs, root) for path in paths)


def _count_edit_lines(edit: object) -> int | None:
    if not isinstance(edit, Mapping) or edit.get("replace_all") is True:
        return None  # as often as the text is there, and the call does not say how often that is
    old, new = edit.get("old_string"), edit.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    return max(count_lines(old), count_lines(new))


def _matches_glob(path: str, globs: Sequence[str], root: str) -> bool:
    # What leads out of the project is not one of its free files, whatever it is called.
    plain = posixpath.normpath(posixpath.join(root, path))
    inner = plain.removeprefix(f"{root.rstrip('/')}/")
    if not root or inner == plain:
        return False
    return any(fnmatchcase(inner, glob) or fnmatchcase(posixpath.basename(inner), glob) for glob in globs)
