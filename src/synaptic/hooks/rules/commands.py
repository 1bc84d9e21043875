"""Which commands of a call a rule means: by program and leading words, options and arguments, never by text."""

from collections.abc import Iterable, Iterator

import msgspec

from synaptic.shell.book.arguments import Arguments, Flag
from synaptic.shell.book.entries import UNKNOWN_PROGRAM, ProgramEntry, find_program, normalize_name
from synaptic.shell.effects.flow import classify_interpreter
from synaptic.shell.globs import matches_glob
from synaptic.shell.programs.git_line import GIT_ENTRY, read_git_call
from synaptic.shell.read.script import Command, Word

GIT = "git"
FlagName = tuple[str, bool]
"""An option by its first spelling in the book, and whether it is on: `--no-verify` is `verify`, off."""


class SortedCommand(msgspec.Struct, frozen=True):
    """A command with its words told apart: what it is called, its leading words, its options."""

    command: Command
    program: str
    words: tuple[Word, ...]
    """Without options and their values."""
    flags: tuple[Flag, ...]
    entries: tuple[ProgramEntry, ...]
    """What the book says of the program and of its verb."""

    @property
    def folder(self) -> str:
        """Where it works: `git -C folder` is somewhere else than the shell."""
        return read_git_call(self.command).cwd if self.program == GIT else self.command.cwd


class CommandPattern(msgspec.Struct, frozen=True):
    """What a rule says about one command with `run`, `flags` and `args`."""

    runs: tuple[tuple[str, ...], ...] = ()
    """Program and leading words."""
    flags: tuple[str, ...] = ()
    args: tuple[str, ...] = ()

    def matches(self, one: SortedCommand) -> bool:
        """Whether all of it holds for this command."""
        return (
            (not self.runs or any(is_run_as(one, words) for words in self.runs))
            and (not self.flags or any(has_flag(one, flag) for flag in self.flags))
            and (not self.args or any(matches_glob(text, glob) for text in one.command.args for glob in self.args))
        )


def sort_command(command: Command) -> SortedCommand:
    """Tell the words of a command apart, as its program does."""
    program = normalize_name(command.name)
    if program == GIT or program.startswith("git-"):
        call = read_git_call(command)
        before = GIT_ENTRY.read(command.argv[1:]).flags if program == GIT else ()
        verb = Word(call.verb, known=bool(call.verb), span=call.place.span if call.place else None)
        return _join_verb(command, GIT, (verb, *call.args), before)
    entry = find_program(command.name)
    given = entry.read(command.argv[1:])
    if entry.verbs and given.operands:
        return _join_verb(command, program, given.operands, given.flags)
    if entry.grammar.stops:  # options of what it starts are no options of its own
        return SortedCommand(command, program, given.operands, given.flags, (entry,))
    return SortedCommand(command, program, given.operands, given.flags, (entry,))


def _join_verb(command: Command, program: str, words: tuple[Word, ...], before: Iterable[Flag]) -> SortedCommand:
    entry = GIT_ENTRY if program == GIT else find_program(command.name)
    verb = entry.find_verb(words[0].text) or UNKNOWN_PROGRAM
    given: Arguments = verb.read(words[1:])
    return SortedCommand(command, program, (words[0], *given.operands), (*before, *given.flags), (entry, verb))


def is_run_as(one: SortedCommand, words: tuple[str, ...]) -> bool:
    """Whether a command is this program with these leading words."""
    if normalize_name(name_program(words[0])) != one.program and not _starts_script(one, words[0]):
        return False
    rest = words[1:]
    given = one.words[: len(rest)]
    return len(given) == len(rest) and all(
        word.known and (word.text == text or _is_same_verb(one, word.text, text))
        for word, text in zip(given, rest, strict=True)
    )


def name_program(text: str) -> str:
    """The name by which the reader knows a program: the last part of its path."""
    return text.rstrip("/").rpartition("/")[2]


def _starts_script(one: SortedCommand, written: str) -> bool:
    """`bash deploy.sh` and `python tools/x.py` run that file as `./deploy.sh` does."""
    if "." not in written or not one.words or not classify_interpreter(one.command.name):
        return False
    return name_program(one.words[0].text) == name_program(written)


def _is_same_verb(one: SortedCommand, given: str, written: str) -> bool:
    """Whether two verbs are names of the same one, where the book knows that."""
    entry = one.entries[0]
    known = entry.find_verb(given)
    return known is not None and known is entry.find_verb(written)


def has_flag(one: SortedCommand, written: str) -> bool:
    """Whether an option is given, in whatever spelling the program takes it."""
    if any(text == written or text.startswith(f"{written}=") for text in _iter_options(one)):
        return True
    given = {(flag.name, flag.on) for flag in one.flags}
    return any(names and names <= given for names in map(set, _iter_readings(one, written)))


def _iter_options(one: SortedCommand) -> Iterator[str]:
    return (flag.word.text for flag in one.flags)


def _iter_readings(one: SortedCommand, written: str) -> Iterator[list[FlagName]]:
    """What the option is called by the program, and by its verb."""
    for entry in one.entries:
        flags = entry.read((Word(written),)).flags
        # `-name` of a program that nobody knows may be one option or four: only what is written counts then.
        if flags and (len(flags) == 1 or all(flag.known for flag in flags)):
            yield [(flag.name, flag.on) for flag in flags]
