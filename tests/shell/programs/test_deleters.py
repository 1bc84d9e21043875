"""Programs that delete as `rm -rf` does."""

import pytest

from tests.shell.read.seen import commands, seen


@pytest.mark.parametrize(
    "text",
    [
        "rimraf a",
        "npx rimraf@5 --glob a",
        "yarn rimraf a",
        "pnpm dlx rimraf a",
        "./node_modules/.bin/rimraf a",
        "npx del-cli --force a '!b'",
        "npx del a",
        "npx shx rm -rf a",
    ],
)
def test_they_are_seen_as_what_they_do(text: str) -> None:
    assert seen(text)[-1] == "rm -rf a"


def test_their_patterns_are_patterns_even_in_quotes() -> None:
    assert commands("npx rimraf '/x/**'")[-1].argv[-1].glob
    assert not commands("npx rimraf '/x/a'")[-1].argv[-1].glob


def test_del_of_windows_is_left_alone() -> None:
    assert seen("del C:/temp/a.txt") == ["del C:/temp/a.txt"]


def test_without_a_path_nothing_is_deleted() -> None:
    assert seen("rimraf --help") == ["rimraf --help"]
