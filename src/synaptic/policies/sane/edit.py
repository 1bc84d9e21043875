"""What a file will be after an edit: computed from the call and the text that is there now."""

from collections.abc import Mapping

from synaptic.model.tool import PATCH, Tool


def count_lines(text: str) -> int:
    """Lines as an editor numbers them: a last line without a line break counts."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


def project_text(tool: Tool, now: str | None) -> str | None:
    """The text after the call; None where that cannot be known (the file is not there, the tool is another one)."""
    if tool.name == "Write":
        return tool.read_text("content")
    if tool.name == "NotebookEdit":
        return tool.read_text("new_source")
    edits = tool.input.get("edits")
    if now is None or tool.name == PATCH:
        return None
    if tool.name == "Edit" and edits is None:
        return _apply_replacement(now, tool.input)
    for edit in edits if isinstance(edits, list | tuple) else ():
        if isinstance(edit, Mapping):
            now = _apply_replacement(now, edit)
    return now


def _apply_replacement(text: str, edit: Mapping[str, object]) -> str:
    old, new = edit.get("old_string"), edit.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return text
    if not old:
        return text + new
    return text.replace(old, new) if edit.get("replace_all") is True else text.replace(old, new, 1)
