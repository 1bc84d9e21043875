"""Private keys overwritten or deleted by the programs that make them."""

import re

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_script, select_commands
from synaptic.shell.book.entries import find_program
from synaptic.shell.read.script import Command, Script

KEY_PROGRAMS = frozenset({"ssh-keygen", "gpg", "gpg2"})
OTHER_WORK = ("y", "l", "R", "F", "D", "s", "H", "p", "e", "c", "B", "A", "k", "Q", "Y", "M", "i", "L")
"""Options with which `ssh-keygen` makes no new key."""
AGREED = re.compile(r"\s*y(?:es)?\s", re.IGNORECASE)
SCRATCH = ("/tmp/", "/var/tmp/", "$TMPDIR", "${TMPDIR")
GPG_DELETION = re.compile(r"--delete-secret(?:-and-public)?-keys?")


class KeyLoss(Policy):
    """Overwriting or deleting a private key.

    ## What it does
    Denies `ssh-keygen` when its question whether to overwrite a key is answered in advance (`yes | ssh-keygen`,
    `<<< y`), and `gpg --delete-secret-keys`.
    ## Why
    The public half is known to servers and signed commits; without its private half nobody gets in or can sign again.
    ## Known gaps
    Without an answer `ssh-keygen` keeps the key that is there, so nothing is said. Files of keys that are moved or
    removed are judged by the guards of files.
    """

    id = "secrets.key-loss"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = KEY_PROGRAMS
    priority = 22
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, KEY_PROGRAMS)
        if found is None:
            return None
        for command in select_commands(found, KEY_PROGRAMS):
            if command.name == "ssh-keygen" and _overwrites_key(command, found):
                return deny(
                    "`ssh-keygen` would overwrite a private key that is there already, because its question is "
                    "answered in advance. Give the new key a name of its own with `-f`, without the answer."
                )
            if any(map(GPG_DELETION.fullmatch, command.args)):
                return deny(
                    f"`{command.name}` would delete a private key for good. Export it to a safe place and let the user "
                    "delete it."
                )
        return None


def _overwrites_key(command: Command, found: Script) -> bool:
    """Whether a new key is made, and the question about the old one is answered with yes."""
    given = find_program("ssh-keygen").read(command.argv[1:])
    if given.has(*OTHER_WORK) or given.get_value("f").startswith(SCRATCH):
        return False
    if command.stdin is not None:
        return AGREED.match(f"{command.stdin}\n") is not None
    return any(one.name == "yes" and one.args[:1] in ((), ("y",), ("yes",)) for one in found.find_upstream(command))
