"""Where the version of a file goes that git prints."""

from collections.abc import Iterator

from synaptic.shell.effects.commands import find_acts
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import CommandReading

PRINTING_VERBS = ("show", "cat-file")
APPENDING_OPERATORS = (">>", "&>>")
APPENDING_OPTIONS = frozenset({"-a", "--append", "-ai", "-ia", "oflag=append"})
"""Of `tee`, `sponge` and `dd`: what is there stays."""
EVERYTHING, HANDED_OVER = ".", "{}"
"""What a name may stand for that a loop or `xargs` fills in."""
WrittenFile = tuple[Word, str]
"""The word that names a file, and the folder it starts from."""


def find_overwritten_by_print(call: GitCall, known: CommandReading) -> str:
    """The file of the same name that a printed version is written over, by a redirection or behind a pipe."""
    shown = {word.text.partition(":")[2].removeprefix("./") for word in call.given.operands if ":" in word.text}
    if call.verb not in PRINTING_VERBS or not shown:
        return ""
    names = {path.rpartition("/")[2] for path in shown}
    for word, folder in _iter_written(call, known):
        if not _is_one_file(word):
            if word.text.removeprefix("./") in shown and not _lists_deleted(known):
                return word.text if word.known and word.glob else EVERYTHING
            continue
        path = resolve_path(word.text, Standpoint(folder, known.home))
        if path and path.rpartition("/")[2] in names:
            return path
    return ""


def _is_one_file(word: Word) -> bool:
    return word.known and not word.glob and word.text != HANDED_OVER


def _lists_deleted(known: CommandReading) -> bool:
    """Whether the line lists what is not there any more: to bring that back loses nothing."""
    return any(
        (other.verb == "ls-files" and other.given.has("deleted")) or "--diff-filter=D" in other.command.args
        for other in known.acting_git_calls
    )


def _iter_written(call: GitCall, known: CommandReading) -> Iterator[WrittenFile]:
    """The files that the output of a call is written to, whatever it passes on the way."""
    for command in (call.command, *_list_receivers(call.command, known)):
        for redirect in command.redirects:
            if redirect.is_write and redirect.operator not in APPENDING_OPERATORS:
                yield redirect.target, redirect.cwd or command.cwd
        if command is not call.command and APPENDING_OPTIONS.isdisjoint(command.args):
            yield from ((word, command.cwd) for kind, word in find_acts(command) if kind == "write")


def _list_receivers(command: Command, known: CommandReading) -> list[Command]:
    """The commands that a command's output reaches: through a pipe, `<(...)` or `$(...)`, and pipes behind those."""
    script = known.script
    found = list(script.find_downstream(command))
    if not any(sign in known.text for sign in ("(", "`")):
        return found
    inside = [one for one in script.commands if command.index in _list_inner_outputs(one)]
    return found + [each for one in inside for each in (one, *script.find_downstream(one))]


def _list_inner_outputs(command: Command) -> tuple[int, ...]:
    words = (*command.argv, *(redirect.target for redirect in command.redirects))
    return tuple(place for word in words for place in word.outputs)
