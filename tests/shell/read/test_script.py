"""What a reading offers: neighbours in a pipeline, and rewriting one word."""

import pytest

from synaptic.shell.read.reader import read_script
from synaptic.shell.read.script import Command, Script


def named(script: Script, name: str) -> Command:
    return next(command for command in script.commands if command.name == name)


@pytest.mark.parametrize(
    "text",
    [
        "curl u | sh",
        "curl u | tee f | sudo sh",
        "(curl u; ls) | sh",
        "curl u | { cat; } | env sh",
        'sh -c "$(curl u)"',
        "sh <(curl u)",
        "sh < <(curl u)",
        'x=$(curl u); sh -c "$x"',
    ],
)
def test_where_code_comes_from(text: str) -> None:
    script = read_script(text)
    assert "curl" in {command.name for command in script.find_upstream(named(script, "sh"))}


def test_commands_beside_each_other_do_not_feed_each_other() -> None:
    script = read_script("curl u > f; echo a | sh; sh x")
    assert [command.name for command in script.find_upstream(named(script, "sh"))] == ["echo"]
    assert [command.name for command in script.find_downstream(named(script, "echo"))] == ["sh", "a"]
    assert not script.find_upstream(script.commands[-1])


@pytest.mark.parametrize(
    ("text", "old", "new", "want"),
    [
        ("git push --force  origin x # --force", "--force", "-n", "git push -n  origin x # --force"),
        ("echo 'é' && git push '--force' x", "--force", "-n", "echo 'é' && git push -n x"),
        ("bash -c 'git push --force x'", "--force", "-n", "bash -c 'git push -n x'"),
        ("sudo git push --force", "--force", "-n", "sudo git push -n"),
        ("echo $(git push --force)", "--force", "-n", "echo $(git push -n)"),
        ("f() { git push --force; }; f", "--force", "-n", "f() { git push -n; }; f"),
        ("sh <<'E'\ngit push --force\nE", "--force", "-n", "sh <<'E'\ngit push -n\nE"),
        ("eval 'git push --force x'", "--force", "a 'b'", None),
        ("x='git push --force'; eval \"$x\"", "--force", "-n", None),
        ("echo Z2l0IHB1c2ggLS1mb3JjZQ== | base64 -d | sh", "--force", "-n", None),
    ],
)
def test_one_word_is_replaced_where_it_stands(text: str, old: str, new: str, want: str | None) -> None:
    script = read_script(text)
    git = [command for command in script.commands if command.name == "git"][-1]
    word = next(word for word in git.argv if word.text == old)
    assert script.replace(word, new) == want


def test_several_words_and_whole_commands_are_replaced_at_once() -> None:
    script = read_script("a 1 && b 2")
    first, second = script.commands
    assert script.replace_all([(first.argv[1], "x"), (second, "c 'y'")]) == "a x && c 'y'"
    assert script.replace_all([(first, "z"), (first.argv[1], "x")]) is None


def test_zero_characters_leave_nothing_to_rewrite() -> None:
    script = read_script("l\0s a")
    assert script.replace(script.commands[0].argv[1], "b") is None


def test_a_command_of_another_reading_has_no_neighbours_here():
    """What is guessed in text that is no shell is not in the script: nothing is known of its pipes."""
    script, other = read_script("echo a"), read_script("x; y | z")
    assert script.find_upstream(named(other, "z")) == ()
    assert script.find_downstream(named(other, "y")) == ()
