"""Loops: what their variable stands for."""

from synaptic.shell.read.reader import read_script


def test_the_variable_of_a_loop_over_a_pattern_is_the_pattern_in_quotes_too() -> None:
    found = read_script('for f in d/* e; do x "$f" "$f"/b "${f}c" pre"$f"; done', "/h", "/h")
    words = [[(word.text, word.glob) for word in command.argv[1:]] for command in found.by_name["x"]]
    assert words == [
        [("d/*", True), ("d/*/b", True), ("d/*c", True), ("pred/*", True)],
        [("e", False), ("e/b", False), ("ec", False), ("pree", False)],
    ]


def test_a_pattern_in_a_plain_variable_stays_a_text_in_quotes() -> None:
    found = read_script("f='d/*'; x \"$f\" $f", "/h", "/h")
    assert [word.glob for word in found.by_name["x"][0].argv[1:]] == [False, True]
