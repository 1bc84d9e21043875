"""Every call of git in a piece of shell text."""

from collections.abc import Iterator
from itertools import chain
from operator import attrgetter

from synaptic.shell.programs.git_line import GitCall, read_git_call
from synaptic.shell.read.reader import read_safely
from synaptic.shell.read.script import Command, Script

GIT_AND_BLANK = ("git ", "git\t", "git\n")
MAX_TEXTS = 64
"""Texts inside texts that are read: an expansion that nobody knows, such as `${X?/git }`, reads as itself again and
again, and text that is no shell may hold hundreds."""

QuotedText = tuple[str, str]
"""A command line in quotes, and the folder that it would run in."""


def find_git_calls(script: Script, home: str) -> tuple[GitCall, ...]:
    """Every call of git that a script makes. The reader has added what the aliases stand for that it sets itself."""
    commands = _list_git_commands(script)
    return tuple(_iter_calls(commands, home, set())) if commands else ()


def _iter_calls(commands: list[Command], home: str, seen: set[QuotedText]) -> Iterator[GitCall]:
    for command in commands:
        if command.name.lower().startswith(GIT_AND_BLANK):
            yield from _iter_quoted_calls(command, home, seen)
        else:
            yield read_git_call(command)


def _list_git_commands(script: Script) -> list[Command]:
    """The commands that are calls of git, in their order."""
    # Most names end at the first question, and most scripts have no call at all.
    calls = [commands for name, commands in script.by_name.items() if name[:1] in "gG" and _is_git(name.lower())]
    if len(calls) < 2:
        return calls[0] if calls else []
    return sorted(chain(*calls), key=attrgetter("index"))


def _is_git(name: str) -> bool:
    return name == "git" or name.startswith(("git-", *GIT_AND_BLANK))


def _iter_quoted_calls(command: Command, home: str, seen: set[QuotedText]) -> Iterator[GitCall]:
    """A whole command line in quotes: bash finds no such program, PowerShell pipes it to something that runs it.

    What would run it may split it at line breaks or take them for spaces.
    """
    text = command.argv[0].text
    for reading in (text, text.replace("\n", " ")):
        if (reading, command.cwd) not in seen and len(seen) < MAX_TEXTS:
            seen.add((reading, command.cwd))
            yield from _iter_calls(_list_git_commands(read_safely(reading, command.cwd, home)), home, seen)
