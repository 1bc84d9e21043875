"""Accounts left without a password."""

from synaptic.shell.effects.arguments import arguments
from synaptic.shell.read.script import Command

NO_PASSWORD = frozenset({"passwd", "usermod"})


def blanked(command: Command) -> bool:
    """Whether it takes an account's password away."""
    name = command.name.lower()
    if name == "passwd":
        return arguments(command.argv[1:]).has("-d", "--delete")
    if name == "usermod":
        given = arguments(command.argv[1:], ("-p", "--password"))
        return any(not word.text for word in given.values("-p", "--password"))
    return False
