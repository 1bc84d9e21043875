"""What a repository, a command or a payload names is read through `files.bounded` and `files.snapshot` only."""

import ast
from pathlib import Path

import pytest

import synaptic

SOURCE = Path(synaptic.__file__).parent
ROOMS = ("model", "shell", "agents", "policies", "hooks", "pipeline", "facts", "engine")
READING_METHODS = frozenset({"read_bytes", "listdir", "iterdir", "glob", "rglob", "walk"})
OWN_FILES = {
    "shell/book/entries.py": "the book is part of the program",
    "agents/opencode.py": "the plugin is part of the program",
    "agents/shared/processes.py": "the kernel's own files about a process",
    "agents/shared/authority.py": "a switch of the kernel's",
    "engine/shadow.py": "files of the engine's own folder",
    "engine/shadow_queue.py": "files of the engine's own folder",
    "engine/last_known.py": "files of the engine's own folder",
    "policies/cases.py": "the cases are part of the program",
    "engine/operator_files.py": "appends, without waiting for a reader",
    "hooks/coverage.py": "walks a tree for a person who is asked to trust it, and gives up after so many files",
    "engine/outside.py": "lists its own folder, to empty it when it is full",
    "facts/engine_places.py": "the engine's own folders, once",
    "facts/deleted_work.py": "walks a folder that is to be deleted, and gives up after so many files",
    "hooks/scaffold.py": "creates files for a person at a terminal",
    "facts/files.py": "walks a tree in a thread, and gives up after so many files",
}
"""Modules that open files by themselves, and why that is safe."""


def _is_reading(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name):
        return call.func.id == "open"
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr == "walk" and ast.unparse(call.func.value) != "os":
        return False
    # Our own values have a method `read_text` too, which is given the name of a field.
    return call.func.attr in READING_METHODS or (
        call.func.attr in ("open", "read_text") and (not call.args or ast.unparse(call.func.value) in ("os", "io"))
    )


@pytest.mark.parametrize("room", ROOMS)
def test_nothing_else_opens_a_file_or_lists_a_folder(room: str) -> None:
    found = []
    for file in sorted((SOURCE / room).rglob("*.py")):
        name = file.relative_to(SOURCE).as_posix()
        calls = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))
        if name not in OWN_FILES:
            found += [f"{name}:{call.lineno}: {ast.unparse(call)[:80]}" for call in calls if _is_reading(call)]
    assert found == []
