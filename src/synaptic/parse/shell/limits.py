"""How much of a text is read: every limit in one place, and the counter that holds to them."""

MAX_TEXT = 1_000_000
"""Characters of one text; what comes after is not read."""
MAX_WORDS = 12_000
"""Words taken apart in one reading, nested code included."""
MAX_DEPTH = 24
"""Constructions inside one another, substitutions and nested code included."""
MAX_COMMANDS = 1_500
"""Commands yielded in one reading."""
MAX_ROUNDS = 16
"""Rounds of a loop, values of a variable that were assigned in branches, items fed to xargs."""
MAX_BRACES = 64
"""Words that one brace expansion may yield."""
MAX_STEPS = 6_000
"""Pieces of structure walked in one reading."""
MAX_LITERAL = 200_000
"""Characters of one value: what would grow longer counts as unknown."""


class LimitError(Exception):
    """A limit was reached. It ends one reading and never leaves this package."""


class Budget:
    """What is left of the limits of one reading."""

    __slots__ = ("commands", "reason", "steps", "words")

    def __init__(self) -> None:
        self.words = MAX_WORDS
        self.steps = MAX_STEPS
        self.commands = MAX_COMMANDS
        self.reason = ""

    def word(self) -> None:
        self.words -= 1
        if self.words < 0:
            self.stop(f"more than {MAX_WORDS} words")

    def step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            self.stop(f"more than {MAX_STEPS} steps")

    def command(self) -> None:
        self.commands -= 1
        if self.commands < 0:
            self.stop(f"more than {MAX_COMMANDS} commands")

    def stop(self, reason: str) -> None:
        """Remember the reason and end the reading."""
        self.reason = self.reason or reason
        raise LimitError(reason)
