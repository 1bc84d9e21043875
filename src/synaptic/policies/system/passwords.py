"""Accounts left without a password."""

from synaptic.shell.book.entries import find_program
from synaptic.shell.read.script import Command

PASSWORD_PROGRAMS = frozenset({"passwd", "usermod"})


def removes_password(command: Command) -> bool:
    """Whether it takes an account's password away."""
    name = command.name.lower()
    if name == "passwd":
        return find_program(name).read(command.argv[1:]).has("delete")
    if name == "usermod":
        given = find_program(name).read(command.argv[1:])
        return any(not word.text for word in given.get_values("password"))
    return False
