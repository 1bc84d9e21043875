"""A person's word for another machine: here it is only seen who gives it. What they say is signed by who has asked."""

from typing import ClassVar

import msgspec

from synaptic.work.command import Command, CommandContext
from synaptic.work.consent import obtain_yes


class PersonsWord(msgspec.Struct, frozen=True):
    """Somebody has given it."""

    by: str
    """Who, and how that is known."""


class GiveWord(Command[PersonsWord], frozen=True, kw_only=True):
    """Say that a person answers a question of another machine: who says so must be as sure as for an exception here."""

    method: ClassVar[str] = "person.agree"
    people_only: ClassVar[str] = "answer a refusal for a person"
    needs_authority: ClassVar[bool] = True
    may_block: ClassVar[bool] = True

    pin: str = ""
    """Where it cannot be seen that a person asks; it is kept nowhere."""

    def run(self, context: CommandContext) -> PersonsWord:
        return PersonsWord(obtain_yes(context, self.pin))
