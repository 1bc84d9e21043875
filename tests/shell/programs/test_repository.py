"""What git runs by itself."""

import pytest

from synaptic.shell.read.reader import read_script


def run(text: str) -> list[tuple[str, tuple[str, ...], str]]:
    return [(command.name, command.args, command.cwd) for command in read_script(text, "/p", "/h").commands[1:]]


@pytest.mark.parametrize(
    "text",
    [
        "git -c alias.x='!danger 1' x",
        "git rebase -i --exec 'danger 1' main",
        "git rebase -x 'danger 1' main",
        "git bisect run danger 1",
        "git submodule foreach --recursive 'danger 1'",
        "git submodule foreach danger 1",
        "git filter-branch --tree-filter 'danger 1' HEAD",
        "git difftool -x 'danger 1'",
        "git -c core.pager='danger 1' log",
        "GIT_SSH_COMMAND='danger 1' git fetch",
        "git fetch --upload-pack 'danger 1' origin",
        "git clone --upload-pack='danger 1' host:x",
        "git clone 'ext::danger% 1'",
    ],
)
def test_what_git_is_told_to_run_is_found(text: str) -> None:
    assert ("danger", ("1",), "/p") in run(text)


def test_an_alias_gets_the_arguments_of_its_call() -> None:
    assert run("git -C sub -c alias.x='!danger' x 'a b' c") == [("danger", ("a b", "c"), "/p/sub")]


@pytest.mark.parametrize(
    "text",
    [
        "git commit -m 'danger 1'",
        "git -c alias.x='!danger' status",
        "git -c user.name=danger log",
        "git submodule update",
        "git bisect start",
        "git rebase main",
    ],
)
def test_what_git_does_not_run_is_not_found(text: str) -> None:
    assert not run(text)
