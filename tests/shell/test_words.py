import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.shell.words import simple_commands, split_words


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("", []),
        ("ls -la", [["ls", "-la"]]),
        ("a && b;c|d\ne & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("cat 'a b' \"c d\" e\\ f", [["cat", "a b", "c d", "e f"]]),
        ("x'y'\"z\"", [["xyz"]]),
        ("a > out 2>&1 <in", [["a", "out", "2", "1", "in"]]),
        ("> out cmd", [["", "out", "cmd"]]),
        ("a &> out", [["a", "out"]]),
        ("echo $(cat x)", [["echo", "$"], ["cat", "x"]]),
        ("ls # a comment; rm x\npwd", [["ls"], ["pwd"]]),
        ("a#b", [["a#b"]]),
        ("echo 'a; b' \"c | d\"", [["echo", "a; b", "c | d"]]),
        ('echo "say \\"hi\\""', [["echo", 'say "hi"']]),
        ("echo 'never closed /etc/x", [["echo", "never", "closed", "/etc/x"]]),
        ("a \\\n b", [["a", "", "b"]]),
    ],
)
def test_shell_text_is_split_into_simple_commands(text: str, commands: list[list[str]]):
    assert simple_commands(text) == commands


def test_words_of_one_command():
    assert split_words("./a.sh 'b c'") == ("./a.sh", "b c")
    assert split_words("./a.sh 'b") == ()


@given(st.text(alphabet="ab/. \n'\"\\;|&<>()`#$", max_size=60))
def test_any_text_can_be_split(text: str):
    for command in simple_commands(text):
        assert command


@pytest.mark.parametrize("piece", ["'", '"', "\\", "a", "(", "<", "'a\"", '"\\'])
def test_long_text_is_split_in_linear_steps(piece: str):
    simple_commands(piece * 20_000)
