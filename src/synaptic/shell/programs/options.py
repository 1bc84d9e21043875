"""Where the options of a command end."""

import re
from collections.abc import Iterable, Iterator

from synaptic.shell.read.script import Word

BUNDLE = re.compile(r"-[A-Za-z]{2,}")


def rest(words: list[Word], valued: Iterable[str], skip: int = 0) -> list[Word]:
    """The words behind a command's own options; `valued` take a value of their own, `skip` words are passed over."""
    place = operands(words, frozenset(valued))
    return words[place + skip :]


def operands(words: list[Word], valued: frozenset[str], start: int = 1) -> int:
    """The place of the first word that is no option and no option's value."""
    place = start
    while place < len(words):
        text = words[place].text
        if text == "--":
            return place + 1
        if text[:1] != "-" or text == "-":
            return place
        place += 2 if takes_value(text, valued) else 1
    return place


def takes_value(text: str, valued: frozenset[str]) -> bool:
    """Whether the next word is the value of this option: `-n 5`, `--lines 5`, and `-xn 5`, but not `-n5`."""
    if text in valued:
        return True
    if text[:2] == "--" or len(text) < 3:
        return False
    for place, letter in enumerate(text[1:], 1):
        if f"-{letter}" in valued:
            return place == len(text) - 1
    return False


def value_of(words: list[Word], names: frozenset[str]) -> Word | None:
    """The value of an option, written `-C x`, `-Cx`, `-qC x`, `--cwd x` or `--cwd=x`."""
    for place, word in enumerate(words):
        text = word.text
        if text == "--":
            return None
        if text in names or (BUNDLE.fullmatch(text) and f"-{text[-1]}" in names):
            return words[place + 1] if place + 1 < len(words) else None
        name, equals, value = text.partition("=")
        if equals and name in names and name[:2] == "--":
            return Word(value, word.known)
        if text[:2] in names and text[:2] != "--" and len(text) > 2:
            return Word(text[2:], word.known)
    return None


def letter_values(words: list[Word], valued: frozenset[str], letter: str) -> Iterator[Word]:
    """Every value of a one-letter option, written `-o x`, `-ox`, `-qvo x` or `-qvox`, wherever it stands."""
    place = 0
    while place < len(words) and words[place].text != "--":
        word = words[place]
        at = _valued_letter(word.text, valued)
        place += 1
        if not at:
            continue
        value: Word | None = Word(word.text[at + 1 :], word.known)
        if at == len(word.text) - 1:
            value = words[place] if place < len(words) else None
            place += 1
        if value is not None and word.text[at] == letter:
            yield value


def _valued_letter(text: str, valued: frozenset[str]) -> int:
    """Where the letter that takes a value stands among bundled options; 0 when there is none."""
    if text[:1] != "-" or text[:2] == "--":
        return 0
    return next((at for at in range(1, len(text)) if f"-{text[at]}" in valued), 0)
