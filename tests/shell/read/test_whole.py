"""Words that are taken whole are the words that would be put together from their pieces."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synaptic.shell.read import compound, lexer, simple
from synaptic.shell.read.limits import MAX_WORDS
from synaptic.shell.read.reader import read_script
from synaptic.shell.read.script import Script
from tests.shell.read.test_limits import PIECES
from tests.shell.read.wrapping import RUNNING

NEVER = re.compile(r"(?!)")
WORDS = (
    "ls", "a=b", "'x y'", "''", '"x y"', '""', '"$x"', '"a $x ${y} b"', "$x", "a/$x.b", "${x}", '"$@"', "$@", "$1",
    "*.c", "~", "~/$x", "#no", "a#b", "x=$y", "x=(a b)", "{a,$x}", "2>&1", ">f", "1&>f", "&", "&&", "|", ";", "\n",
    "if", "then", "fi", "(", ")", "f()", "[", "]", "echo", "declare", "IFS=,", "x='1 2'", "a'b'\"c $x\"d", '"a"$x',
    "${x%-*}", '"${x:-a b}"', "${1}", "${x[0]}", "${x:=y}", '"$(ls "$x")"', "$(ls)", '"$(ls)b"(', "for x in", "do",
    "done", "# c\n", "case x in", "a)", ";;", "esac", "{", "}", "<<E\n", "\nE\n", "\\\n",
)  # fmt: skip
quick = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def in_pieces(text: str, patch: pytest.MonkeyPatch) -> Script:
    """The same text, every word of it taken apart."""
    with patch.context() as context:
        context.setattr(simple, "NEXT_WORD", NEVER)
        context.setattr(simple, "REDIRECTED", NEVER)
        context.setattr(lexer, "WORD", NEVER)
        context.setattr(compound, "LOOP", NEVER)
        return read_script(text, "/p", "/h")


@quick
@given(words=st.lists(st.sampled_from(WORDS), max_size=14), between=st.sampled_from([" ", "  ", "\t", ""]))
def test_taking_words_whole_changes_nothing(words: list[str], between: str, monkeypatch: pytest.MonkeyPatch):
    text = between.join(words)
    assert read_script(text, "/p", "/h") == in_pieces(text, monkeypatch)


@quick
@given(pieces=st.lists(st.sampled_from([*PIECES, *WORDS, " "]), max_size=30))
def test_nor_in_text_that_is_broken(pieces: list[str], monkeypatch: pytest.MonkeyPatch):
    text = "".join(pieces)
    assert read_script(text, "/p", "/h") == in_pieces(text, monkeypatch)


@pytest.mark.parametrize("name", RUNNING)
def test_nor_where_commands_hide(name: str, monkeypatch: pytest.MonkeyPatch):
    text = RUNNING[name]("rm -rf \"$HOME/x\" 'a b' c")
    assert read_script(text, "/p", "/h") == in_pieces(text, monkeypatch)


@pytest.mark.parametrize("word", ["x ", "'x' ", '"x" ', '"$x" ', "a$x ", "a'b'\"$x\" "])
def test_a_word_that_is_taken_whole_counts_once(word: str):
    assert not read_script("ls " + word * (MAX_WORDS - 1)).truncated
    assert read_script("ls " + word * MAX_WORDS).truncated == f"more than {MAX_WORDS} words"
