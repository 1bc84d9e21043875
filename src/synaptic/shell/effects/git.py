"""Every call of git in a piece of shell text."""

from collections.abc import Iterator
from itertools import chain
from operator import attrgetter

from synaptic.shell.programs.git_line import GitCall, read_configured, read_git_call
from synaptic.shell.read.reader import read_safely
from synaptic.shell.read.script import Command, Script
from synaptic.shell.read.writing import quote_word

GIT_AND_BLANK = ("git ", "git\t", "git\n")
MAX_NESTED_TEXTS = 4
"""Texts inside texts: an expansion that nobody knows, such as `${X?/git }`, reads as itself again and again."""


def find_git_calls(script: Script, home: str) -> tuple[GitCall, ...]:
    """Every call of git that a script makes. Aliases that it sets itself count from there on."""
    return tuple(_iter_calls(script, home))


def _iter_calls(script: Script, home: str, depth: int = 0) -> Iterator[GitCall]:
    if depth > MAX_NESTED_TEXTS:
        return
    settings: dict[str, str | None] = {}
    for command in _list_git_commands(script):
        if command.name.lower().startswith(GIT_AND_BLANK):
            yield from _iter_quoted_calls(command, home, depth)
            continue
        call = read_git_call(command, settings)
        if call.verb == "config":
            # A new dictionary, because earlier calls keep the one that was in force for them.
            settings = {**settings, **read_configured(call.given)}
        yield call
        if settings:
            for text in _list_alias_texts(call, settings):
                yield from _read_calls(text, call.cwd, home, depth)


def _list_git_commands(script: Script) -> list[Command]:
    """The commands that are calls of git, in their order."""
    calls = [commands for name, commands in script.by_name.items() if _is_git(name.lower())]
    return calls[0] if len(calls) == 1 else sorted(chain(*calls), key=attrgetter("index"))


def _is_git(name: str) -> bool:
    return name == "git" or name.startswith(("git-", *GIT_AND_BLANK))


def _read_calls(text: str, cwd: str, home: str, depth: int) -> Iterator[GitCall]:
    return _iter_calls(read_safely(text, cwd, home), home, depth + 1)


def _list_alias_texts(call: GitCall, settings: dict[str, str | None]) -> list[str]:
    """An alias that the same text has set to shell code. One on the command line was followed by the reader."""
    meaning = settings.get(f"alias.{call.verb.lower()}") or ""
    if not meaning.startswith("!") or not meaning[1:].strip():
        return []
    words = (quote_word(word.text) if word.known else word.text for word in call.args)
    return [" ".join([meaning[1:], *words])]


def _iter_quoted_calls(command: Command, home: str, depth: int) -> Iterator[GitCall]:
    """A whole command line in quotes: bash finds no such program, PowerShell pipes it to something that runs it.

    What would run it may split it at line breaks or take them for spaces.
    """
    text = command.argv[0].text
    for reading in dict.fromkeys((text, text.replace("\n", " "))):
        yield from _read_calls(reading, command.cwd, home, depth)
