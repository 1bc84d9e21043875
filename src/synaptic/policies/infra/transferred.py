"""What the commands for a file server delete there: those of lftp, sftp and ftp."""

import re
from collections.abc import Iterator

from synaptic.policies.infra.mirrored import is_own_folder
from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script

TRANSFER_PROGRAMS = split_names("lftp sftp ftp ncftp psftp")
FEEDING_PROGRAMS = split_names("echo printf cat")
COMMAND_END = re.compile(r"[;\n]|&&|\|\|")
PURGING = re.compile(r"--delete(?:-first|-excluded)?|-[a-zA-Z]*e[a-zA-Z]*")
REVERSED = re.compile(r"--reverse|-[a-zA-Z]*R[a-zA-Z]*")
REHEARSED = split_names("--dry-run --just-print --script")
VALUE_OPTIONS = split_names(
    "-x -X -i -I -O -F -f --exclude --include --exclude-glob --include-glob --newer-than --older-than"
)
DELETERS = split_names("rm mrm mdelete mdel rmdir")
RECURSIVE = re.compile(r"-[a-zA-Z]*r[a-zA-Z]*")
MAX_BATCH = 20_000


def iter_emptied_folders(command: Command, found: Script) -> Iterator[str]:
    """The folders of the server that are made equal to one of this machine, unless they hold one thing alone."""
    for words in _iter_commands(command, found):
        if words[0] != "mirror" or not REHEARSED.isdisjoint(words):
            continue
        if any(map(REVERSED.fullmatch, words)) and any(map(PURGING.fullmatch, words)):
            names = [*_iter_operands(words)]
            target = names[1] if len(names) > 1 else (names[0] if names else ".").rstrip("/").rpartition("/")[2]
            if not is_own_folder(target):
                yield target


def iter_deleted_paths(command: Command, found: Script) -> Iterator[str]:
    """What is deleted there with all it holds, or as a pattern for everything finds it."""
    for words in _iter_commands(command, found):
        at = 2 if words[0] == "glob" and words[1:2] == ["-a"] else int(words[0] == "glob")
        if not set(words[at : at + 1]) & DELETERS or words[at] == "rmdir":
            continue
        whole = any(map(RECURSIVE.fullmatch, words[at + 1 :]))
        for name in _iter_operands(words[at:]):
            if whole or name.rpartition("/")[2].strip("*?") == "":
                yield name


def _iter_commands(command: Command, found: Script) -> Iterator[list[str]]:
    for text in _iter_batches(command, found):
        for one in COMMAND_END.split(text[:MAX_BATCH]):
            # In the batch of sftp `-` and `@` stand before a command: go on when it fails, say nothing.
            if words := [word.strip("\"'") for word in one.strip().lstrip("-@").split()]:
                yield words


def _iter_batches(command: Command, found: Script) -> Iterator[str]:
    """The commands that the program is given: with an option, on its input."""
    if command.name == "lftp":
        yield from (word.text for word in find_program("lftp").read(command.argv[1:]).get_values("e", "c"))
    if command.stdin is not None:
        yield command.stdin
        return
    fed = (one for one in found.find_upstream(command) if one.name in FEEDING_PROGRAMS)
    yield from (text.replace("\\n", "\n") for one in fed for text in one.args)


def _iter_operands(words: list[str]) -> Iterator[str]:
    before = ""
    for text in words[1:]:
        if text[:1] != "-" and before not in VALUE_OPTIONS:
            yield text
        before = text
