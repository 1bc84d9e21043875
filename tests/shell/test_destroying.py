"""The looks of a command that destroys."""

import pytest

from synaptic.shell.destroying import find_destroying, may_destroy


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf ~/x",
        "rm --r x",
        "git reset --hard",
        "git -C x reset --hard",
        "git clean -fd",
        "find . -delete",
        "find x -exec rm {} +",
        "dd if=a of=b",
        "cat ~/.ssh/id_rsa",
    ],
)
def test_what_destroys_is_seen(text: str) -> None:
    assert may_destroy(f"please {text}")


@pytest.mark.parametrize("text", ["rm x", "git status", "git reset --soft HEAD~1", "find . -name x", "npm run build"])
def test_what_destroys_nothing_is_not(text: str) -> None:
    assert not may_destroy(text)


def test_a_command_ends_with_the_quote_it_stands_in() -> None:
    assert list(find_destroying('system("rm -rf a"); print("b")')) == ["rm -rf a"]
    assert list(find_destroying("qx(git reset --hard); 1")) == ["git reset --hard"]
    assert list(find_destroying("x; rm -rf a b")) == ["rm -rf a b"]
