"""What a word means that holds the output of a command which prints folders."""

import pytest

from synaptic.shell.effects.printed import MAX_PRINTERS, list_printed_lines, resolve_printed
from synaptic.shell.effects.searched import ScriptSearches
from synaptic.shell.places import WorkFolders
from synaptic.shell.read.reader import read_script

AT = WorkFolders("/h/p", "/h", "/h/p/src")


def meanings(text: str) -> list[tuple[str, str]]:
    found = read_script(f"x {text}", AT.cwd, AT.home)
    command = found.by_name["x"][-1]
    word = command.argv[-1]
    return [
        (one.text, cwd) for one, cwd in resolve_printed(word, ScriptSearches(found).list_printers(word, command), AT)
    ]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('"$(git rev-parse --show-toplevel)"', "/h/p"),
        ("`git rev-parse --show-toplevel`", "/h/p"),
        ('"$(git rev-parse --show-toplevel)/build"', "/h/p/build"),
        ('"$(cd "$(git rev-parse --show-toplevel)" && pwd)/a"', "/h/p/a"),
        ('"$(git rev-parse --git-dir)"', "/h/p/.git"),
        ('"$(git rev-parse --absolute-git-dir)/hooks"', "/h/p/.git/hooks"),
        ('"$(git -C /tmp/a rev-parse --git-dir)"', "/tmp/a/.git"),
        ('"$(git -C /tmp/a rev-parse --show-toplevel)"', "/tmp/a"),
        ("$(ls)", "."),
        ("$(ls -A)", "."),
        ("$(ls -la /etc)", "/etc"),
        ("$(ls | grep -v keep)", "."),
        ("$(ls -I x | sort)", "."),
    ],
)
def test_a_folder_that_is_printed(text: str, path: str):
    assert path in [word for word, _ in meanings(text)]


@pytest.mark.parametrize(
    "text",
    ["a", "$X", "$(date)", "$(ls)/dist", "a/$(ls)", "$(ls | head -1)", "$(ls | grep x)", "$(git status)", "$(git log)"],
)
def test_nothing_is_known_to_be_printed(text: str):
    assert meanings(text) == []


def test_a_listing_is_seen_from_where_it_ran():
    found = read_script("cd build; a=$(ls); cd ..; x $a", AT.cwd, AT.home)
    command = found.by_name["x"][0]
    word = command.argv[1]
    printed = resolve_printed(word, ScriptSearches(found).list_printers(word, command), AT)
    assert [cwd for _, cwd in printed] == ["/h/p/src/build"]


def test_what_many_commands_print_together_is_not_guessed():
    assert meanings(f"$({'ls a; ' * (MAX_PRINTERS + 1)})") == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("ls | grep -E '^(build|dist)/$' | x", ("build", "dist")),
        (r"ls | egrep '^(\.venv|build)$' | x", (".venv", "build")),
        ("ls | grep -E '^build$' | x", ("build",)),
        ("ls | grep -E 'build$' | x", ()),
        ("ls | grep -E '^.venv$' | x", ()),
        ("ls | grep -E '^build|dist$' | x", ()),
        ("ls | grep -vE '^(build)$' | x", ()),
        ("ls | grep -E '^(build|)$' | x", ()),
        ("ls | grep -E '^(build)$' file | x", ()),
        ("ls | grep -E '^(build)$' | sed s/b/c/ | x", ()),
        ("ls | x", ()),
        ("x", ()),
    ],
)
def test_the_only_lines_that_a_pipeline_lets_through_are_known(text: str, lines: tuple[str, ...]) -> None:
    found = read_script(text, AT.cwd, AT.home)
    assert list_printed_lines(found.find_upstream(found.by_name["x"][-1])) == lines
