"""The only parser of program arguments: options with their values, and operands."""

from collections.abc import Iterator, Sequence

import msgspec

from synaptic.shell.book.notation import OptionGrammar, ProgramOption
from synaptic.shell.read.script import Word

NO_OPTIONS = OptionGrammar()
HELP_FLAGS = frozenset({"help", "h"})
MAX_CLUSTER = 32
"""Characters of a word like `-rf` whose letters are all counted."""
MAX_REPEATED = 3


class Flag(msgspec.Struct, frozen=True, gc=False):
    """One option as it was given."""

    name: str
    """Its first spelling in the book; what was written, without dashes, when the book does not have it."""
    word: Word
    value: Word | None = None
    on: bool = True
    """Off for `--no-...`."""
    role: str = ""
    known: bool = True
    """Whether the book has it."""

    @property
    def text(self) -> str:
        """The value as text; empty without one."""
        return self.value.text if self.value is not None else ""


class Arguments(msgspec.Struct, frozen=True):
    """The words behind a program's name, sorted."""

    flags: tuple[Flag, ...] = ()
    words: tuple[Word, ...] = ()
    """Operands in front of `--`."""
    behind: tuple[Word, ...] = ()
    """What stands behind `--`, or behind an option that ends the options as `--` does."""
    dashes: bool = False

    @property
    def operands(self) -> tuple[Word, ...]:
        return self.words + self.behind if self.behind else self.words

    @property
    def is_help(self) -> bool:
        """Whether only the manual or the usage is shown."""
        return any(flag.name in HELP_FLAGS for flag in self.flags)

    def has(self, *names: str) -> bool:
        """Whether one of them is on: of several mentions of the same option the last one counts."""
        # Loops instead of generators, here and below: guards ask this about most commands of every script.
        last: dict[str, bool] = {}
        for flag in self.flags:
            if flag.name in names:
                last[flag.name] = flag.on
        return True in last.values()

    def has_role(self, *roles: str) -> bool:
        """Whether an option of one of these roles is given."""
        for flag in self.flags:  # noqa: SIM110
            if flag.role in roles and flag.on:
                return True
        return False

    def find_last(self, *names: str) -> str:
        """Which of several modes counts: the one that was given last."""
        return next((flag.name for flag in reversed(self.flags) if flag.name in names and flag.on), "")

    def get_value(self, name: str) -> str:
        """The text of an option's value: of the last mention."""
        return next((flag.text for flag in reversed(self.flags) if flag.name == name), "")

    def get_values(self, *names: str) -> tuple[Word, ...]:
        """The values of these options."""
        return tuple(flag.value for flag in self.flags if flag.value is not None and flag.name in names)

    def get_by_role(self, *roles: str) -> tuple[Word, ...]:
        """The values of options with one of these roles."""
        if not self.flags:
            return ()
        return tuple([flag.value for flag in self.flags if flag.value is not None and flag.role in roles])


GivenOption = tuple[Flag, ProgramOption | None]
"""An option as it was given, and what the book says of it."""


def read_arguments(words: Sequence[Word], grammar: OptionGrammar = NO_OPTIONS) -> Arguments:
    """Sort the words behind a program's name; an option that the book does not have takes no value."""
    # Most commands have no options; this skips the loop for them.
    if not grammar.assigned and not holds_option(words):
        return Arguments((), tuple(words))
    flags: list[Flag] = []
    operands: list[Word] = []
    place, size = 0, len(words)
    while place < size:
        word = words[place]
        text = word.text
        place += 1
        if text == "--":
            return Arguments(tuple(flags), tuple(operands), tuple(words[place:]), True)
        if text[:1] != "-" or text == "-":
            if grammar.assigned and (flag := _read_assigned(grammar, word)) is not None:
                flags.append(flag)
                continue
            if grammar.stops:
                return Arguments(tuple(flags), tuple(words[place - 1 :]))
            operands.append(word)
            continue
        found = _read_long(grammar, word) if text[:2] == "--" else _read_short(grammar, word)
        last, option = found[-1]
        if option is not None and last.value is None and option.value[:1] == "=" and place < size:
            # `=` takes the next word, `==` the next two, of which the second is the value (`--arg NAME VALUE`).
            place += len(option.value)
            last = Flag(last.name, last.word, words[min(place, size) - 1], True, last.role)
        if len(found) > 1:
            flags += [flag for flag, _ in found[:-1]]
        flags.append(last)
        if option is not None and option.ends:
            return Arguments(tuple(flags), tuple(operands), tuple(words[place:]), True)
    return Arguments(tuple(flags), tuple(operands))


def holds_option(words: Sequence[Word]) -> bool:
    """Whether one of the words begins as an option does."""
    for word in words:  # noqa: SIM110 - this runs for most commands
        if word.text[:1] == "-":
            return True
    return False


def _read_long(grammar: OptionGrammar, word: Word) -> list[GivenOption]:
    text, equals, attached = word.text[2:].partition("=")
    value = _make_value(word, attached) if equals else None
    option = grammar.find_option(text) or grammar.words.get(text)
    if option is not None:
        return [(Flag(option.name, word, value, True, option.role), option)]
    # After the names of the book, because some options really begin with `no-`.
    if text.startswith("no-"):
        meant = grammar.find_option(text[3:])
        return [(Flag(meant.name if meant else text[3:], word, value, False, meant.role if meant else ""), None)]
    return [(Flag(text, word, value, known=False), None)]


def _read_short(grammar: OptionGrammar, word: Word) -> list[GivenOption]:
    """`-rf`, `-ofile`, `-o file`, and `-out file` where a program spells its options so."""
    text = word.text
    if grammar.words:
        name, equals, attached = text[1:].partition("=")
        option = grammar.words.get(name)
        value = _make_value(word, attached) if equals else None
        if option is not None:
            return [(Flag(option.name, word, value, True, option.role), option)]
        if not grammar.letters and not grammar.names:
            return [(Flag(name, word, value, known=False), None)]
    if len(text) == 2:  # as most are written
        option = grammar.letters.get(text[1])
        if option is None:
            return [(Flag(text[1], word, known=False), None)]
        return [(Flag(option.name, word, role=option.role), option)]
    found: list[GivenOption] = []
    letters = enumerate(text[1:], 2) if len(text) <= MAX_CLUSTER else _iter_few_letters(text)
    for place, letter in letters:
        option = grammar.letters.get(letter)
        if option is None:
            # An unknown letter with `=`: the rest is its value. Otherwise `-x=rf` would switch on `-r`.
            if text[place : place + 1] == "=":
                return [*found, (Flag(letter, word, _make_value(word, text[place + 1 :]), known=False), None)]
            found.append((Flag(letter, word, known=False), None))
        elif option.value:
            value = _make_value(word, text[place:]) if place < len(text) else None
            return [*found, (Flag(option.name, word, value, True, option.role), option)]
        else:
            found.append((Flag(option.name, word, role=option.role), option))
    return found


def _iter_few_letters(text: str) -> Iterator[tuple[int, str]]:
    """The letters of a long cluster, each with the place behind it: `-ff` says more than `-f`, no letter more often."""
    counts: dict[str, int] = {}
    for place, letter in enumerate(text[1:], 2):
        counts[letter] = counts.get(letter, 0) + 1
        if counts[letter] <= MAX_REPEATED or text[place : place + 1] == "=":
            yield place, letter


def _read_assigned(grammar: OptionGrammar, word: Word) -> Flag | None:
    name, equals, value = word.text.partition("=")
    option: ProgramOption | None = grammar.names.get(name) if equals else None
    return Flag(name, word, _make_value(word, value), True, option.role) if option is not None else None


def _make_value(word: Word, text: str) -> Word:
    """A value that is part of a word: it has no place of its own in the text."""
    return Word(text, word.known, word.glob, None, word.inner, word.outputs)
