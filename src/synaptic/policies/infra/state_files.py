"""Files in which terraform remembers what it has built, deleted."""

import re
from collections.abc import Iterator

from synaptic.shell.effects.searched import FIND_PROGRAMS
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.places import PathArea, WorkFolders
from synaptic.shell.read.script import Command
from synaptic.shell.reading import CommandReading

STATE_HINT = "tfstate"
STATE_NAME = re.compile(r"(?!(?:.*/)?\.terraform/)(?:.*/)?[\w.*?-]*\.?tfstate\*?")
"""`terraform.tfstate`, `prod.tfstate`, `*.tfstate*`: no backup of it, no lock, nothing that `init` makes again."""
COPIERS = split_names("cp mv scp rsync tar zip aws gsutil az rclone")
DELETERS = split_names("rm unlink shred truncate")


def find_deleted_state(known: CommandReading, at: WorkFolders) -> str:
    """The name of the state that a command deletes; empty when it deletes none, or keeps a copy."""
    for command in known.script.commands:
        if command.name in COPIERS and any(STATE_HINT in text for text in command.args):
            return ""
        if name := next(_iter_deleted(command, at), ""):
            return name
    return ""


def _iter_deleted(command: Command, at: WorkFolders) -> Iterator[str]:
    if command.name in DELETERS:
        for word in command.argv[1:]:
            if _is_state(word.text) and at.classify_word(word, command.cwd) is not PathArea.SCRATCH:
                yield word.text
    elif command.name in FIND_PROGRAMS and not {"-delete", "rm"}.isdisjoint(command.args):
        yield from filter(_is_state, command.args)


def _is_state(text: str) -> bool:
    return STATE_HINT in text and len(text) <= MAX_PATH and STATE_NAME.fullmatch(text) is not None
