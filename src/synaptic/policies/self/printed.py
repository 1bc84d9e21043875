"""Paths that a script lets a program print, and then changes: `f=$(ls -d ~/.s*); echo > $f/config.toml`."""

import re
from collections.abc import Iterator

from synaptic.policies.reading import runs_elsewhere, select_commands
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH, Standpoint, resolve_path
from synaptic.shell.places import EXPANSION, strip_match_all
from synaptic.shell.read.script import Command, Script, Word, are_known
from synaptic.shell.reading import CommandReading

PATH_PRINTERS = split_names("ls dir echo printf readlink realpath dirname stat cd pushd compgen exa eza gls print")
"""Programs whose output may be the paths that they are given."""
READ_BUILTINS = split_names("read mapfile readarray")
CHANGE_FOLDER = split_names("cd pushd")
LEADING_VARIABLE = re.compile(r"\$\{?(\w+)")
MAX_WORDS = 200
"""Words of one command that are looked at."""


def iter_printed(known: CommandReading) -> Iterator[str]:
    """What the words stand for that begin with the output of such a program."""
    found = known.script
    if PATH_PRINTERS.isdisjoint(found.by_name):
        return
    read = {text for one in select_commands(found, READ_BUILTINS) for text in one.args}
    for word in _list_unknown(known):
        expansion = EXPANSION.match(word.text)
        tail = word.text[expansion.end() :].lstrip('"') if expansion else ""
        for printer in _list_printers(found, word, read):
            at = Standpoint(printer.cwd or known.standpoint.cwd, known.standpoint.home)
            for one in printer.argv[1 : MAX_WORDS + 1]:
                text = f"{strip_match_all(one.text) if one.glob and not tail else one.text}{tail}"
                yield (resolve_path(text, at) or "") if len(text) <= MAX_PATH else ""


def _list_unknown(known: CommandReading) -> list[Word]:
    """The words that name what is changed, or the folder it is in, and begin with something that is not known."""
    effects = known.effects.find_changes_where(lambda words, _: not are_known(words))
    changed = [one.word for one in effects if not runs_elsewhere(one)]
    folders = [word for one in select_commands(known.script, CHANGE_FOLDER) for word in one.argv[1:2]]
    return [word for word in (*changed, *folders) if not word.known and word.text[:1] in ("$", "`")][:MAX_WORDS]


def _list_printers(found: Script, word: Word, read: set[str]) -> list[Command]:
    if word.outputs:
        return [one for place in word.outputs if (one := found.commands[place]).name in PATH_PRINTERS]
    # What a loop reads may come from any of them.
    variable = LEADING_VARIABLE.match(word.text)
    return list(select_commands(found, PATH_PRINTERS)) if variable and variable[1] in read else []
