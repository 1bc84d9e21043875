"""What a word means that holds the output of a command which prints folders."""

from collections.abc import Iterator, Sequence

from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.find import chooses
from synaptic.shell.paths import LONGEST, inside
from synaptic.shell.places import EXPANSION, Places
from synaptic.shell.programs.git_line import git_call
from synaptic.shell.read.script import Command, Word

TOP = "--show-toplevel"
GIT_FOLDER = frozenset({"--git-dir", "--git-common-dir", "--absolute-git-dir"})
PRINTERS = 8
"""Commands in one substitution that are looked at; what more than these print together cannot be told."""


def meant(word: Word, printers: Sequence[Command], at: Places) -> Iterator[tuple[Word, str]]:
    """The words that stand for what these commands print, each with the folder it is seen from."""
    if not 0 < len(printers) <= PRINTERS or word.text[:1] not in ("$", "`") or len(word.text) > LONGEST:
        return
    expansion = EXPANSION.match(word.text)
    tail = word.text[expansion.end() :] if expansion else ""
    for one in printers:
        if one.name == "git" and (folder := _of_git(one, at)):
            yield Word(f"{folder}{tail}", glob=word.glob), one.cwd
    # `$(ls dir | grep old)` is some of the folder; only an unfiltered listing stands for all of it.
    if not tail.strip("/*") and not any(map(chooses, printers)):
        for one in printers:
            yield from _listed(one)


def _of_git(command: Command, at: Places) -> str:
    """The folder that git says the repository is in, as far as one can say without asking it."""
    if TOP not in command.args and GIT_FOLDER.isdisjoint(command.args):
        return ""
    cwd = git_call(command).cwd or at.cwd
    top = at.project if inside(cwd, (at.project,)) else cwd
    return top if TOP in command.args else f"{top}/.git"


def _listed(command: Command) -> Iterator[tuple[Word, str]]:
    program = find_program(command.name)
    if program.lists:
        words = program.read(command.argv[1:]).operands or (Word("."),)
        yield from ((word, command.cwd) for word in words)
