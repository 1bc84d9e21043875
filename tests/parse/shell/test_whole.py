"""Words that are taken whole are the words that would be put together from their pieces."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synaptic.parse.shell import lexer, simple
from synaptic.parse.shell.reader import read
from synaptic.parse.shell.script import Script
from tests.parse.shell.test_limits import PIECES
from tests.parse.shell.wrapping import RUNNING

NEVER = re.compile(r"(?!)")
WORDS = (
    "ls", "a=b", "'x y'", "''", '"x y"', '""', '"$x"', '"a $x ${y} b"', "$x", "a/$x.b", "${x}", '"$@"', "$@", "$1",
    "*.c", "~", "~/$x", "#no", "a#b", "x=$y", "x=(a b)", "{a,$x}", "2>&1", ">f", "1&>f", "&", "&&", "|", ";", "\n",
    "if", "then", "fi", "(", ")", "f()", "[", "]", "echo", "declare", "IFS=,", "x='1 2'",
)  # fmt: skip
quick = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def in_pieces(text: str, patch: pytest.MonkeyPatch) -> Script:
    """The same text, every word of it taken apart."""
    with patch.context() as context:
        context.setattr(simple, "PLAIN", NEVER)
        context.setattr(lexer, "WOVEN", NEVER)
        return read(text, "/p", "/h")


@quick
@given(words=st.lists(st.sampled_from(WORDS), max_size=14), between=st.sampled_from([" ", "  ", "\t", ""]))
def test_taking_words_whole_changes_nothing(words: list[str], between: str, monkeypatch: pytest.MonkeyPatch):
    text = between.join(words)
    assert read(text, "/p", "/h") == in_pieces(text, monkeypatch)


@quick
@given(pieces=st.lists(st.sampled_from([*PIECES, *WORDS, " "]), max_size=30))
def test_nor_in_text_that_is_broken(pieces: list[str], monkeypatch: pytest.MonkeyPatch):
    text = "".join(pieces)
    assert read(text, "/p", "/h") == in_pieces(text, monkeypatch)


@pytest.mark.parametrize("name", RUNNING)
def test_nor_where_commands_hide(name: str, monkeypatch: pytest.MonkeyPatch):
    text = RUNNING[name]("rm -rf \"$HOME/x\" 'a b' c")
    assert read(text, "/p", "/h") == in_pieces(text, monkeypatch)


@pytest.mark.parametrize("word", ["x ", "'x' ", '"x" ', '"$x" ', "a$x "])
@pytest.mark.parametrize("count", range(1240, 1260, 3))
def test_they_count_as_much_as_their_pieces(word: str, count: int, monkeypatch: pytest.MonkeyPatch):
    text = "ls " + word * count * 2 + "; rm " + word * count * 2
    assert read(text).truncated == in_pieces(text, monkeypatch).truncated
