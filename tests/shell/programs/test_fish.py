"""Fish that agents type, as other shells write it."""

import pytest

from synaptic.shell.programs.fish import translate_fish
from synaptic.shell.read.reader import read_script


def list_deleted(code: str) -> list[str]:
    quoted = code.replace("'", "'\\''")
    script = read_script(f"fish -c '{quoted}'", "/home/u/p", "/home/u")
    return [command.args[-1] for command in script.commands if command.name == "rm"]


@pytest.mark.parametrize(
    "code",
    [
        "rm -rf ~/Documents",
        "set x ~/Documents; rm -rf $x",
        "set -gx x ~/Documents\nrm -rf $x",
        "rm -rf (echo ~/Documents)",
        "true; and rm -rf ~/Documents",
        "false\nor rm -rf ~/Documents",
        "not false; and rm -rf ~/Documents",
        "begin; rm -rf ~/Documents; end",
        "function f; rm -rf ~/Documents; end; f",
        "for x in ~/Documents; rm -rf $x; end",
        "if test -d x; rm -rf ~/Documents; end",
    ],
)
def test_what_fish_deletes_is_seen(code: str) -> None:
    assert "/home/u/Documents" in list_deleted(code)


@pytest.mark.parametrize(
    "code",
    ["echo 'rm -rf ~/Documents'", "set x ~/Documents; echo $x", "set -e x; echo done", "test -d build; and ls build"],
)
def test_what_fish_only_says_is_not(code: str) -> None:
    assert list_deleted(code) == []


def test_words_inside_quotes_stay() -> None:
    assert translate_fish("echo 'a (b); and c'") == "echo 'a (b); and c'"
    assert translate_fish('git commit -m "x (y)"') == 'git commit -m "x (y)"'
