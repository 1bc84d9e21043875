"""Text that the shell reads back as it is."""

from hypothesis import given
from hypothesis import strategies as st

from synaptic.shell.read.reader import read_script
from synaptic.shell.read.writing import escape_double_quoted, quote_word

texts = st.text(alphabet=st.characters(exclude_characters="\0\r", exclude_categories=("Cs",)), min_size=1, max_size=30)


def test_a_plain_word_stays_plain() -> None:
    assert quote_word("/home/u/a-b_c.txt") == "/home/u/a-b_c.txt"
    assert quote_word("~x") == "'~x'"


@given(texts)
def test_a_word_comes_back_as_it_was(text: str) -> None:
    (command,) = read_script(f"echo {quote_word(text)}", "/p", "/h").commands
    assert command.args == (text,)


@given(texts)
def test_text_in_double_quotes_comes_back_as_it_was(text: str) -> None:
    (command,) = read_script(f'echo "{escape_double_quoted(text)}"', "/p", "/h").commands
    assert command.args == (text,)
