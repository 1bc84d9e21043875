"""The arguments of a command: options by name, bundled or abbreviated, and what is left."""

from collections.abc import Collection, Iterable

import msgspec

from synaptic.shell.read.script import Word

ABBREVIATED = 4
"""Characters that an abbreviated long option has at least, dashes included."""
NONE: frozenset[str] = frozenset()


class Arguments(msgspec.Struct, frozen=True):
    """Options with their values, in order, and the words that are none."""

    options: tuple[tuple[str, Word | None], ...]
    operands: tuple[Word, ...]

    def has(self, *names: str) -> bool:
        """Whether one of these options is given: `-r`, or `--recursive` and what it may be shortened to."""
        for given, _ in self.options:
            if given in names or (given[:2] == "--" and any(_is(given, name) for name in names)):
                return True
        return False

    def values(self, *names: str) -> tuple[Word, ...]:
        """The values of these options."""
        if not self.options:
            return ()
        return tuple(value for given, value in self.options if value and any(_is(given, name) for name in names))

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.operands)


def arguments(words: Iterable[Word], valued: Collection[str] = NONE) -> Arguments:
    """Take the words behind a command's name apart; options in `valued` take the next word."""
    words = tuple(words)
    if not any(word.text[:1] == "-" for word in words):
        return Arguments((), words)
    options: list[tuple[str, Word | None]] = []
    operands: list[Word] = []
    rest = iter(words)
    for word in rest:
        text = word.text
        if text == "--":
            operands.extend(rest)
        elif text[:1] != "-" or text == "-":
            operands.append(word)
        elif text[:2] == "--":
            options.append(_long(word, rest, valued))
        else:
            options.extend(_bundle(word, rest, valued))
    return Arguments(tuple(options), tuple(operands))


def operands(words: Iterable[Word], valued: Collection[str] = NONE) -> list[Word]:
    """The words that are neither options nor their values: what `arguments` leaves over, without sorting the rest."""
    found: list[Word] = []
    rest = iter(words)
    for word in rest:
        text = word.text
        if text[:1] != "-" or text == "-":
            found.append(word)
        elif text == "--":
            found.extend(rest)
        elif valued and _takes_next(text, valued):
            next(rest, None)
    return found


def _takes_next(text: str, valued: Collection[str]) -> bool:
    if text[:2] == "--":
        return text in valued and "=" not in text
    for place, letter in enumerate(text[1:], 2):
        if f"-{letter}" in valued:
            return place == len(text)
    return False


def _long(word: Word, rest: Iterable[Word], valued: Collection[str]) -> tuple[str, Word | None]:
    name, equals, value = word.text.partition("=")
    if equals:
        return name, msgspec.structs.replace(word, text=value)
    return name, next(iter(rest), None) if name in valued else None


def _bundle(word: Word, rest: Iterable[Word], valued: Collection[str]) -> Iterable[tuple[str, Word | None]]:
    """`-rf`, `-ofile`, `-o file`."""
    if not valued:
        return [(f"-{letter}", None) for letter in word.text[1:]]
    return _valued_bundle(word, rest, valued)


def _valued_bundle(word: Word, rest: Iterable[Word], valued: Collection[str]) -> Iterable[tuple[str, Word | None]]:
    for place, letter in enumerate(word.text[1:], 2):
        name = f"-{letter}"
        if name in valued:
            attached = word.text[place:]
            yield name, msgspec.structs.replace(word, text=attached) if attached else next(iter(rest), None)
            return
        yield name, None


def _is(given: str, name: str) -> bool:
    return given == name or (len(given) >= ABBREVIATED and given[:2] == "--" and name.startswith(given))
