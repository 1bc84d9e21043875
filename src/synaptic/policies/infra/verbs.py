"""Which words of a tool's command line destroy something: one reading for every tool of the pack."""

import re
from collections.abc import Mapping

from synaptic.model.decision import Verdict, ask, deny
from synaptic.parse.names import names
from synaptic.parse.shell.script import Command, Script

DRY = re.compile(r"--dry-?run(?:=(?!none|false).*)?|--help|-h|--dryrun|-n=dry|--what-if|--whatif|--check|help")
LONGEST = 4000
Table = Mapping[str, re.Pattern[str]]


def table(entries: Mapping[str, str]) -> Table:
    """A table from program names, several of them in one key, to the form that destroys."""
    return {name: re.compile(form) for keys, form in entries.items() for name in names(keys)}


def destroying(found: Script, forms: Table) -> Command | None:
    """The first command whose words match its program's form."""
    for command in found.commands:
        form = forms.get(command.name)
        if form is None or any(DRY.fullmatch(text) for text in command.args):
            continue
        if form.search(" ".join(command.args)[:LONGEST]):
            return command
    return None


def verdict(command: Command, what: str, firm: bool) -> Verdict:
    """Deny or ask, with what to do instead."""
    shown = " ".join((command.name, *command.args[:3]))
    say = deny if firm else ask
    return say(f"`{shown}` would destroy {what}. Show the plan or a dry run first and let the user apply it.")
