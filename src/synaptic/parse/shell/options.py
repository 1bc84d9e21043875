"""Where the options of a command end."""

import re
from collections.abc import Iterable

from synaptic.parse.shell.script import Word

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
