"""Which words of a tool's command line destroy something: one reading for every tool of the pack."""

import re
from collections.abc import Mapping

import msgspec

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts
from synaptic.policies.reading import get_script
from synaptic.shell.book.entries import BOOK
from synaptic.shell.read.script import Command, Script

DRY_RUN = re.compile(r"--dry-?run(?:=(?!none|false).*)?|--help|-h|--dryrun|-n=dry|--what-if|--whatif|--check|help")
MAX_LINE = 4000


class Harm(msgspec.Struct, frozen=True):
    """What is lost, and the form of the words that lose it, by program."""

    what: str
    forms: Mapping[str, re.Pattern[str]]

    def judge(self, event: PreToolUse, facts: Facts, firm: bool) -> Verdict | None:
        """Deny or ask, with what to do instead, when a command destroys something."""
        found = get_script(event, facts)
        command = self._find_destroying(found) if found else None
        if command is None:
            return None
        shown = " ".join((command.name, *command.args[:3]))
        say = deny if firm else ask
        return say(f"`{shown}` would destroy {self.what}. Show the plan or a dry run first and let the user apply it.")

    def _find_destroying(self, found: Script) -> Command | None:
        """The first command whose words match its program's form."""
        for command in found.commands:
            form = self.forms.get(command.name)
            if form is None or any(DRY_RUN.fullmatch(text) for text in command.args):
                continue
            # Cut, because the forms hold `.*`, which is slow on very long lines.
            if form.search(" ".join(command.args)[:MAX_LINE]):
                return command
        return None


def read_harm(kind: str, what: str) -> Harm:
    """The harm of one kind that programs of the book do, each with the form of the words that do it."""
    return Harm(what, {name: re.compile(one.destroys[kind]) for name, one in BOOK.items() if kind in one.destroys})
