"""Folders that programs set up, read from their words."""

import pytest

from synaptic.shell.effects.created import find_set_up
from synaptic.shell.reading import CommandReading


def find(command: str) -> list[str]:
    script = CommandReading(command, "/home/u/project", "/home/u", False).script
    return list(dict.fromkeys(word.text for _, word in find_set_up(script)))


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ("python3 -m venv --prompt x env", "env"),
        ("python3.12 -m virtualenv env", "env"),
        ("virtualenv -p python3 env", "env"),
        ("uv venv env --python 3.12", "env"),
        ("npm create vite@latest shop -- --template react", "shop"),
        ("npx create-react-app shop", "shop"),
        ("npx degit a/b shop", "shop"),
        ("cargo new shop", "shop"),
        ("django-admin startproject site folder", "folder"),
    ],
)
def test_the_folder_that_is_set_up_is_named(command: str, folder: str) -> None:
    assert find(command) == [folder]


@pytest.mark.parametrize(
    "command",
    [
        "python3 -m pytest env",
        "python3 env",
        "npm run build",
        "npm test create",
        "cargo build new",
        "uv run venv",
        "npx",
    ],
)
def test_other_work_of_the_same_programs_sets_up_nothing(command: str) -> None:
    assert find(command) == []
