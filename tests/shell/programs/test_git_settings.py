"""Settings of git that a text makes itself."""

import pytest

from synaptic.shell.read.reader import read_script


def lines(text: str) -> list[str]:
    return [" ".join(word.text for word in command.argv) for command in read_script(text, "/p", "/h").commands]


@pytest.mark.parametrize(
    "made",
    [
        "git config alias.x 'reset --hard'",
        "git config -f .git/config alias.x 'reset --hard'",
        "git config --global alias.x 'reset --hard'",
        "printf '[alias]\\nx=reset --hard\\n' >> .git/config",
        "echo '[alias] x=reset --hard' >> .git/config",
        "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='reset --hard'",
        "export GIT_CONFIG_PARAMETERS=\"'alias.x=reset --hard'\"",
    ],
)
def test_an_alias_counts_by_whatever_way_it_was_set(made: str) -> None:
    assert lines(f"{made}; git x")[-1] == "git reset --hard"


@pytest.mark.parametrize(
    "text",
    [
        "git config alias.x '!rm a'; git x",
        "git -c difftool.x.cmd='rm a' difftool -t x",
        "git -c filter.x.clean='rm a' add b",
        "git -c credential.helper='!rm a' fetch",
        "git -c remote.r.uploadpack='rm a' fetch r",
        "git remote add r 'ext::rm a'",
        "git grep -O'rm a' x",
        "git clone -u 'rm a' . y",
        "printf '#!/bin/sh\\nrm a\\n' > .git/hooks/pre-commit; git commit -m x",
        "mkdir h; echo 'rm a' > h/post-checkout; git -c core.hooksPath=h checkout b",
        "echo 'rm a' > git-x; git x",
        "GIT_SSH='rm a' git fetch",
    ],
)
def test_commands_that_git_runs_are_read(text: str) -> None:
    assert "rm a" in lines(text)


def test_a_setting_is_printed_as_it_was_made() -> None:
    assert "rm a" in lines("git config x.y 'rm a'; eval \"$(git config x.y)\"")


def test_a_hook_does_not_run_where_none_is_called() -> None:
    assert "rm a" not in lines("echo 'rm a' > .git/hooks/pre-commit; git log")
