"""Code that is not known, made from texts that are."""

import pytest

from tests.shell.read.seen import gaps, seen


@pytest.mark.parametrize(
    "text",
    [
        "eval \"$(fold <<< 'rm -rf b')\"",
        "eval \"$(fold <<< 'x; rm -rf b')\"",
        "eval \"$(gzip <<< 'rm -rf b' | gunzip)\"",
        "X='rm -rf b'; eval \"$(declare -p X | foo)\"",
        "alias x='rm -rf b'; eval \"$(alias x | foo)\"",
        "git commit -m 'rm -rf b'; eval \"$(git log -1)\"",
        "echo 'rm -rf b' > f; eval \"$(foo f)\"",
        "{ echo rm; echo -rf b; } | foo | sh",
        "echo 'rm -rf b' | foo | while read x; do $x; done",
        "x=$(foo <<< rm); $x -rf b",
        "$SUDO rm -rf b",
    ],
)
def test_a_command_that_destroys_is_read_as_if_it_ran(text: str) -> None:
    assert "rm -rf b" in seen(text)


def test_a_hint_is_a_gap_with_its_origin() -> None:
    assert any("parts" in gap for gap in gaps("eval \"$(foo <<< 'gitQresetQ--hard')\""))


@pytest.mark.parametrize(
    "text",
    [
        'eval "$(ssh-agent -s)"',
        'eval "$(brew shellenv)"',
        "source <(kubectl completion bash)",
        "eval \"$(sed -n 's/^export //p' .env)\"",
        'eval "$(direnv hook bash)"',
        "rm -rf build; $PYTHON setup.py",
        "echo 'rm -rf b'; eval \"$(ssh-agent)\"",
    ],
)
def test_ordinary_code_stays_ordinary(text: str) -> None:
    assert not any("parts" in gap for gap in gaps(text))
    assert not any("made code" in line for line in seen(text))
