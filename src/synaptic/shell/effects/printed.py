"""What a word means that holds the output of a command which prints folders."""

import re
from collections.abc import Iterator, Sequence

from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.find import passes_some_lines
from synaptic.shell.paths import MAX_PATH, is_inside
from synaptic.shell.places import EXPANSION, WorkFolders
from synaptic.shell.programs.git_line import read_git_call
from synaptic.shell.read.script import Command, Word

TOPLEVEL_OPTION = "--show-toplevel"
GIT_FOLDER_OPTIONS = frozenset({"--git-dir", "--git-common-dir", "--absolute-git-dir"})
ENVIRONMENT_PRINTERS = frozenset({"env", "printenv", "getent"})
"""Programs that print, among other things, where the home folder is."""
GREP_PROGRAMS = frozenset({"grep", "egrep", "ggrep"})
WHOLE_LINES = re.compile(r"\^(?:\(([^()]*)\)|([^()|]*))(/?)\$")
"""A pattern for lines that are one of some names and hold nothing else: `^(build|dist)/$`."""
PLAIN_NAME = re.compile(r"(?:[\w-]|\\\.)+")
MAX_PRINTERS = 8
"""Commands in one substitution that are looked at; what more than these print together cannot be told."""


def resolve_printed(word: Word, printers: Sequence[Command], at: WorkFolders) -> Iterator[tuple[Word, str]]:
    """The words that stand for what these commands print, each with the folder it is seen from."""
    if not 0 < len(printers) <= MAX_PRINTERS or word.text[:1] not in ("$", "`") or len(word.text) > MAX_PATH:
        return
    expansion = EXPANSION.match(word.text)
    tail = word.text[expansion.end() :] if expansion else ""
    if any(one.name in ENVIRONMENT_PRINTERS for one in printers):
        yield Word(f"~{tail}", glob=word.glob), ""
    for one in printers:
        if one.name == "git" and (folder := _find_git_folder(one, at)):
            yield Word(f"{folder}{tail}", glob=word.glob), one.cwd
    # `$(ls dir | grep old)` is some of the folder; only an unfiltered listing stands for all of it.
    if not tail.strip("/*") and not any(map(passes_some_lines, printers)):
        for one in printers:
            yield from _iter_listed(one)


def _find_git_folder(command: Command, at: WorkFolders) -> str:
    """The folder that git says the repository is in, as far as one can say without asking it."""
    if TOPLEVEL_OPTION not in command.args and GIT_FOLDER_OPTIONS.isdisjoint(command.args):
        return ""
    cwd = read_git_call(command).cwd or at.cwd
    top = at.project if is_inside(cwd, (at.project,)) else cwd
    return top if TOPLEVEL_OPTION in command.args else f"{top}/.git"


def _iter_listed(command: Command) -> Iterator[tuple[Word, str]]:
    program = find_program(command.name)
    if program.lists:
        words = program.read(command.argv[1:]).operands or (Word("."),)
        yield from ((word, command.cwd) for word in words)


def list_printed_lines(printers: Sequence[Command]) -> tuple[str, ...]:
    """The only lines that can come out of a pipeline, where its last command lets nothing but these through."""
    last = printers[-1] if printers else None
    if last is None or last.name not in GREP_PROGRAMS or len(last.argv) > 3 or not last.argv[-1].known:
        return ()
    extended = last.name == "egrep" or last.args[:-1] == ("-E",)
    found = WHOLE_LINES.fullmatch(last.args[-1]) if extended and last.args else None
    names = (found[1] or found[2]).split("|") if found else []
    return tuple(name.replace("\\", "") for name in names) if all(map(PLAIN_NAME.fullmatch, names)) else ()
