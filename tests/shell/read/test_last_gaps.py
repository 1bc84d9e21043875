"""What the reader once read differently from the shells: searches, lists, switches, copies, zsh's brackets."""

import pytest

from synaptic.shell.effects.find import read_find
from synaptic.shell.read.script import Word
from tests.shell.read.seen import seen


def find_words(text: str) -> list[Word]:
    return [Word(piece) for piece in text.split()]


def test_a_word_of_the_command_that_find_runs_is_no_action() -> None:
    assert not read_find(find_words("find / -exec echo -delete ;")).deletes
    assert not read_find(find_words("find / -exec echo -delete {} +")).deletes
    assert read_find(find_words("find / -exec echo {} + -delete")).deletes
    assert read_find(find_words("find / -name x -delete")).narrowed


@pytest.mark.parametrize("option", ["--nice 10", "--load 80%", "--memfree 1G", "--env PATH", "-C ,", "--block 1M"])
def test_the_value_of_an_option_of_parallel_is_no_command(option: str) -> None:
    assert "rm -rf /a" in seen(f"parallel {option} rm -rf ::: /a")
    assert "rm -rf /a" in seen(f"parallel {option} 'rm -rf {{}}' ::: /a")


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("bash -n -c 'rm x'", False),
        ("bash -n +n -c 'rm x'", True),
        ("bash +n -c 'rm x'", True),
        ("bash +n -n -c 'rm x'", False),
        ("bash -n script.sh", False),
    ],
)
def test_the_last_switch_says_whether_a_shell_runs_its_code(command: str, runs: bool) -> None:
    assert ("rm x" in seen(command)) is runs


def test_dd_copies_what_a_file_holds() -> None:
    assert "rm -rf /a" in seen("echo 'rm -rf /a' > x; dd if=x of=y; sh y")
    assert "rm -rf /a" not in seen("echo 'rm -rf /a' > x; dd if=x of=y; cat y")
    assert "rm -rf /a" in seen("echo 'rm -rf /a' > x; dd if=x | sh")


@pytest.mark.parametrize(
    "text", ["f(){rm -rf /a};f", "f() {rm -rf /a}; f", "{rm -rf /a}", "x && {rm -rf /a}", "(f(){rm -rf /a};f)"]
)
def test_zsh_needs_no_blank_in_a_group(text: str) -> None:
    assert "rm -rf /a" in seen(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{echo,hi}", "echo hi"),
        ("ls && {echo,a,b}", "echo a b"),
        ("x=a; echo ${x}b", "echo ab"),
        ("git show HEAD@{1}", "git show HEAD@{1}"),
        ("awk '{print $1}' f", "awk {print $1} f"),
    ],
)
def test_brackets_that_are_no_group_stay(text: str, line: str) -> None:
    assert line in seen(text)


def test_a_descriptor_that_exec_opens_writes_its_file() -> None:
    assert "rm -rf /a" in seen("exec 3>x; echo 'rm -rf /a' >&3; exec 3>&-; sh x")
    assert "rm -rf /a" in seen("exec {out}>x; echo 'rm -rf /a' >&$out; sh x")
