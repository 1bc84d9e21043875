"""Files that a command empties before it reads them."""

from collections.abc import Iterator
from itertools import islice

import msgspec

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_work_folders, runs_elsewhere
from synaptic.shell.book.entries import UNKNOWN_PROGRAM, find_program
from synaptic.shell.effects.commands import READING_KINDS, find_acts
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.places import WorkFolders
from synaptic.shell.read.script import Command, Redirect, Script, Word
from synaptic.shell.reading import CommandReading

CUTTING = frozenset({">", ">|", "&>"})
OUTPUTS = frozenset({"", "1"})
DEVICES = ("/dev/", "/proc/")
MAX_CUT = 100
"""Redirections of one text that are looked at."""
MAX_STAGES = 32
"""Stages of a pipeline before one of them."""


class ReadTarget(msgspec.Struct, frozen=True):
    """A file that a pipeline reads and cuts, the command that cuts it, and how sure it is that it is read."""

    word: Word
    command: Command
    reader: Command
    certain: bool


class SelfTruncation(Policy):
    """Reading a file into itself.

    ## What it does
    Denies a command whose output goes to a file that the same pipeline reads: `sort f > f`, `jq . a.json > a.json`,
    `cat a b > b`, `tr a b < f > f`, `grep -v x f | sort > f`. Asks when a program that is not known is given the file
    (`python3 fix.py data.csv > data.csv`). What appends (`>>`), writes elsewhere, edits in place (`sed -i`, `sort -o`),
    or takes everything in before it writes (`sponge`) is fine.
    ## Why
    The shell empties the file before the program has read a line of it: the program then reads nothing.
    ## Known gaps
    The redirection of a group or a loop (`{ cat f; } > f`), two names of the same file by a link, and `tee`, which
    mostly wins the race, are not recognised.
    """

    id = "files.self-truncation"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 23
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None or not any(map(_cuts, known.script.redirects)):
            return None
        found = next(_iter_read_targets(known, get_work_folders(event, facts)), None)
        return _make_verdict(found) if found is not None else None


def _iter_read_targets(known: CommandReading, at: WorkFolders) -> Iterator[ReadTarget]:
    script, given = known.script, _join_given(known)
    for command, redirect in islice(_iter_cut(script), MAX_CUT):
        # Most files that are written are named nowhere else in the script.
        if redirect.target.text.rpartition("/")[2] in given:
            yield from _find_readers(redirect, command, script, at)


def _join_given(known: CommandReading) -> str:
    """All that commands are given to read: their words, and the files on their input."""
    fed = [one.target.text for one in known.script.redirects if one.operator == "<"]
    return "\n".join((*known.arguments, *fed))


def _iter_cut(script: Script) -> Iterator[tuple[Command, Redirect]]:
    for command in script.commands:
        for redirect in command.redirects:
            # In a loop over a pattern each round is about one file of it.
            is_one_file = command.looped or not redirect.target.glob
            if is_one_file and _cuts(redirect) and not runs_elsewhere(command):
                yield command, redirect


def _cuts(redirect: Redirect) -> bool:
    return (
        redirect.operator in CUTTING and redirect.descriptor in OUTPUTS and not redirect.target.text.startswith(DEVICES)
    )


def _find_readers(redirect: Redirect, command: Command, script: Script, at: WorkFolders) -> Iterator[ReadTarget]:
    readers = (*_list_before(command, script)[-MAX_STAGES:], command)
    name = redirect.target.text.rpartition("/")[2]
    # Most commands do not name the file a second time.
    if not name or not any(_names(reader, name) for reader in readers):
        return
    path = _resolve(redirect.target, redirect.cwd or command.cwd, at)
    for reader in readers if path else ():
        if runs_elsewhere(reader):
            continue
        if any(_resolve(word, reader.cwd, at) == path for word in _iter_read_words(reader)):
            yield ReadTarget(redirect.target, command, reader, certain=True)
        elif any(_resolve(word, reader.cwd, at) == path for word in _iter_given_words(reader)):
            yield ReadTarget(redirect.target, command, reader, certain=False)


def _names(command: Command, name: str) -> bool:
    return any(name in word.text for word in command.argv[1:]) or any(
        one.operator == "<" and name in one.target.text for one in command.redirects
    )


def _list_before(command: Command, script: Script) -> tuple[Command, ...]:
    """The stages of its pipeline before it. What is substituted into its words was read before the file is opened."""
    inside = {place for word in command.argv for place in word.outputs}
    return tuple(one for one in script.find_upstream(command) if one.index not in inside) if command.stages else ()


def _iter_read_words(command: Command) -> Iterator[Word]:
    yield from (one.target for one in command.redirects if one.operator == "<")
    if not _may_do_anything(command):
        yield from (word for kind, word in find_acts(command) if kind in READING_KINDS)


def _may_do_anything(command: Command) -> bool:
    """Whether nobody can say what it does with its words."""
    program = find_program(command.name)
    return program is UNKNOWN_PROGRAM or bool(program.language)


def _iter_given_words(command: Command) -> Iterator[Word]:
    """The words of such a program, but for options and their values."""
    before = ""
    for word in command.argv[1:] if _may_do_anything(command) else ():
        if word.text[:1] != "-" and (before[:1] != "-" or before == "--"):
            yield word
        before = word.text


def _resolve(word: Word, cwd: str, at: WorkFolders) -> str:
    """The path of a word; one that is not known is only like itself."""
    if not word.text or "\n" in word.text:
        return ""
    if not word.known:
        return f"{cwd}\n{word.text}" if word.text[:1] == "$" and not word.outputs else ""
    return resolve_path(word.text, Standpoint(cwd or at.cwd, at.home)) or ""


def _make_verdict(found: ReadTarget) -> Verdict:
    name = found.word.text
    said = f"The shell empties {name!r} before `{found.reader.name}` reads it, so everything in it is lost."
    said += f" Write to another file first: `... > {name}.new && mv {name}.new {name}`"
    if found.reader.name == "sort" and found.reader is found.command:
        said += f", or `sort -o {name} {name}`"
    elif found.reader.name == "sed" and found.reader is found.command:
        said += f", or edit in place: `sed -i ... {name}`"
    return (deny if found.certain else ask)(f"{said}.")
