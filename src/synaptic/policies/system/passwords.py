"""Accounts left without a password."""

from synaptic.parse.shell.script import Command

NO_PASSWORD = {"passwd": ("-d", "--delete"), "usermod": ("-p", "--password")}
"""Programs that change a password, by the options that take it away; `usermod` when the value is empty."""


def blanked(command: Command) -> bool:
    """Whether it takes an account's password away."""
    flags = NO_PASSWORD.get(command.name.lower())
    if flags is None:
        return False
    args = command.args
    if flags[0] == "-d":
        return any(text in flags or (text[:1] == "-" and text[:2] != "--" and "d" in text) for text in args)
    return any(text in flags and args[n + 1 : n + 2] == ("",) for n, text in enumerate(args)) or any(
        text in ("-p=", "--password=") for text in args
    )
