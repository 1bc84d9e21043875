"""How much of a text is read: every limit in one place, and the counter that holds to them."""

MAX_TEXT = 1_000_000
"""Characters of one text; what comes after is not read."""
MAX_WORDS = 5_000
"""Words of one reading, nested code included, and the pieces of words that have to be taken apart. Words that close
nothing count as well, and so do lines that look like the end of a here-document, and words that braces yield."""
MAX_DEPTH = 24
"""Constructions inside one another, substitutions and nested code included."""
MAX_COMMANDS = 1_000
"""Commands yielded in one reading."""
MAX_ROUNDS = 16
"""Rounds of a loop, values of a variable that were assigned in branches. The rest counts as one unknown round."""
MAX_ITEMS = 1_000
"""Items fed to `xargs`."""
MAX_BRACES = 64
"""Words that one brace expansion may yield."""
MAX_BRACED = 2_000
"""Characters of a word whose braces are expanded."""
MAX_ARITHMETIC = 4_000
"""Characters in which the end of `((` is looked for; without one it is read as two subshells."""
MAX_STEPS = 4_000
"""Pieces of structure walked in one reading."""
MAX_LITERAL = 100_000
"""Characters of one value: what would grow longer counts as unknown."""
MAX_VOLUME = 1_000_000
"""Characters that all expansions of one reading may yield."""
MAX_ESCAPES = 20_000
"""Characters in which backslash escapes are decoded."""
MAX_FOREIGN = 12_000
"""Characters of code in other languages that are taken apart; what goes beyond is searched with less care."""
MAX_MADE = 40
"""Pieces of code that are made from texts of other commands: inside one another they would be read in every order."""
MAX_SOURCE = 20_000
"""Characters of an expansion's source that stand for its unknown value."""
MAX_PATTERN = 500
"""Characters that a pattern in `${x%pattern}` is tried on."""


class LimitError(Exception):
    """A limit was reached. It ends one reading and never leaves this package."""


class Budget:
    """What is left of the limits of one reading."""

    __slots__ = ("carriage", "commands", "foreign", "made", "reason", "steps", "volume", "words")

    def __init__(self) -> None:
        self.words = MAX_WORDS
        self.steps = MAX_STEPS
        self.volume = MAX_VOLUME
        self.commands = MAX_COMMANDS
        self.foreign = MAX_FOREIGN
        self.made = MAX_MADE
        self.reason = ""
        self.carriage = False

    def count_word(self) -> bool:
        """Count a word; whether it may still be read."""
        self.words -= 1
        if self.words >= 0:
            return True
        self.reason = self.reason or f"more than {MAX_WORDS} words"
        return False

    def count_words(self, number: int) -> bool:
        """Count the words that one written word becomes; whether they may still be listed."""
        self.words -= number - 1
        return self.count_word()

    def count_foreign_code(self, length: int) -> bool:
        """Count code of another language; whether it may still be taken apart."""
        self.foreign -= length
        return self.foreign >= 0

    def count_made_code(self) -> None:
        """Count a piece of code that is made from other texts."""
        self.made -= 1
        if self.made < 0:
            self.stop(f"more than {MAX_MADE} pieces of code that are made from others")

    def count_text(self, length: int) -> None:
        self.volume -= length
        if self.volume < 0:
            self.stop(f"more than {MAX_VOLUME} characters in expansions")

    def count_step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            self.stop(f"more than {MAX_STEPS} steps")

    def count_command(self) -> None:
        self.commands -= 1
        if self.commands < 0:
            self.stop(f"more than {MAX_COMMANDS} commands")

    def stop(self, reason: str) -> None:
        """Remember the reason and end the reading."""
        # The first limit is the one to report: later ones follow from it.
        self.reason = self.reason or reason
        raise LimitError(reason)
