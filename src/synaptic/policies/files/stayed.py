"""Where a command really runs when the `cd` in front of it fails: `cd dist; rm -rf *` with no `dist` there."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from synaptic.policies.git.sequence import is_chained, stops_at_failure
from synaptic.shell.effects.commands import DELETING_PROGRAMS
from synaptic.shell.effects.losses import find_made
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.read.script import Command
from synaptic.shell.reading import CommandReading

DELETERS = DELETING_PROGRAMS | {"find"}
ENTERING_PROGRAMS = ("cd", "pushd", "chdir")
LEAVING_PROGRAMS = split_names("exit return exec mkdir break continue")
"""What stands behind a `cd` for the case that it fails, and ends the line there or makes the folder."""
TESTING_PROGRAMS = split_names("test [ [[")
QUIET_PROGRAMS = TESTING_PROGRAMS | split_names(
    "cd pushd popd chdir mkdir rm rmdir ls echo printf pwd set export unset touch cat true : sleep date which type grep"
    " find head tail wc du df stat file read"
)
"""Programs that make no folder which their words do not name; any other may make the one that is entered."""
GROUPS = ("&&(", "&&{")
GOING_ON = (";", "\n", "||")
"""What stands between commands of which the second runs even when the first has failed."""
MAX_DELETING, MAX_ENTERED = 16, 4
"""Commands of one line that are looked at, and ways into a folder in front of each."""


@lru_cache(maxsize=32)
def list_unsure_folders(known: CommandReading) -> tuple[str, ...]:
    """The folders that a command enters, and goes on without when they are not there."""
    # Most lines join all they do with `&&`.
    if known.programs.isdisjoint(ENTERING_PROGRAMS) or not any(sign in known.text for sign in GOING_ON):
        return ()
    deleting = islice((one for one in known.script.commands if one.name in DELETERS), MAX_DELETING)
    return tuple(sorted({folder for command in deleting for _, folder in _iter_unsure(command, known)}))


def find_stayed(command: Command, known: CommandReading, absent: tuple[str, ...]) -> str:
    """The folder that a command runs in because the one it should is not there; empty when it is."""
    folder = command.cwd
    for _ in absent:
        if folder not in absent:
            break
        stays = (entry.cwd for entry, entered in _iter_unsure(command, known) if entered == folder)
        folder = next(stays, folder)
    return folder if folder != command.cwd and folder not in absent else ""


def _iter_unsure(command: Command, known: CommandReading) -> Iterator[tuple[Command, str]]:
    """The ways into a folder in front of a command that it does not depend on, the last one first."""
    if command.name in ENTERING_PROGRAMS or command.span is None or command.inner or command.via:
        return
    before = reversed(known.script.commands[: command.index])
    for entry in islice((one for one in before if one.name in ENTERING_PROGRAMS), MAX_ENTERED):
        if entry.span is None or entry.inner or entry.via or not entry.cwd:
            continue
        folder = _find_entered(entry, known)
        if folder and is_inside(command.cwd, (folder,)) and not _is_sure(entry, command, folder, known):
            yield entry, folder


def _find_entered(entry: Command, known: CommandReading) -> str:
    words = [word for word in entry.argv[1:] if word.text[:1] != "-"]
    if len(words) != 1 or not words[0].known or words[0].glob:
        return ""
    return resolve_path(words[0].text, Standpoint(entry.cwd, known.home)) or ""


def _is_sure(entry: Command, command: Command, folder: str, known: CommandReading) -> bool:
    """Whether the command runs only where the folder was entered, or the folder may be there by then."""
    if stops_at_failure(known) or is_chained(entry, command, known) or _decides(entry, command, known):
        return True
    before = known.script.commands[: entry.index]
    between = known.script.commands[entry.index + 1 : command.index]
    if not LEAVING_PROGRAMS.isdisjoint(one.name for one in between):
        return True
    if any(one.name not in QUIET_PROGRAMS or _tests(one, entry, known) for one in before):
        return True
    return any(_is_around(made.word.text, made.cwd, folder, known) for made in find_made(known.effects))


def _decides(entry: Command, command: Command, known: CommandReading) -> bool:
    """`if cd x; then ...`, `cd x && { ...; }`: the words between them say that it succeeded."""
    if entry.span is None or command.span is None:
        return False
    behind = "".join(known.text[entry.span[1] : command.span[0]].split())
    return known.text[: entry.span[0]].rstrip().endswith(("if", "while")) or behind.startswith(GROUPS)


def _tests(test: Command, entry: Command, known: CommandReading) -> bool:
    """Whether a test in front decides about more than the way into the folder."""
    return test.name in TESTING_PROGRAMS and not is_chained(test, entry, known)


def _is_around(text: str, cwd: str, folder: str, known: CommandReading) -> bool:
    path = resolve_path(text, Standpoint(cwd or known.cwd, known.home))
    return path is not None and (is_inside(path, (folder,)) or is_inside(folder, (path,)))
