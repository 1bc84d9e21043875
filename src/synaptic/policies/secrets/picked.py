"""Secrets picked out of a file that holds other things as well, or out of the environment of another process."""

import re

from synaptic.policies.reading import CONTAINER_PROGRAMS, runs_in_container
from synaptic.policies.secrets.printers import SECRET_HINT, PrintedOutputs
from synaptic.policies.secrets.private import is_tokens_file
from synaptic.shell.book.entries import find_program
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.read.script import Command, Script
from synaptic.shell.reading import CommandReading

PROCESS = "/proc/"
OTHER_ENVIRONMENT = re.compile(r"/proc/(?!self/|thread-self/|\$\$/|\$\{?BASHPID\}?/).+/environ")
TOKEN_HINT = re.compile(rf"_auth|password|{SECRET_HINT.pattern}", re.IGNORECASE)
NAMES_ONLY = re.compile(r"-f ?1|-d=|-F=|.*=\.\*//.*|.*=\[\^.*|-c|-l|-q|-o|--count|--quiet|-L|-v")
"""Words with which a filter leaves names, or how many there are."""
LOOKERS = frozenset({"test", "[", "stat", "wc"})
"""Programs that say something about a file, and not what is in it."""
TOKEN_FILES = ("npmrc", "yarnrc", ".m2", ".gem")
"""What the name of such a file holds."""


def find_other_environment(known: CommandReading) -> str:
    """The path of another process's environment that is shown."""
    if PROCESS not in known.text or "environ" not in known.text:
        return ""
    found = known.script
    outputs = PrintedOutputs(found)
    for command in found.commands:
        words = [*command.argv[1:], *(one.target for one in command.redirects if one.operator == "<")]
        path = next((word.text for word in words if OTHER_ENVIRONMENT.fullmatch(word.text)), "")
        boxed = command.name in CONTAINER_PROGRAMS or runs_in_container(command)
        if path and not boxed and shows_values(command, found, outputs):
            return path
    return ""


def shows_values(command: Command, found: Script, outputs: PrintedOutputs) -> bool:
    """Whether what a command prints is shown with its values, and not only names or one that is no secret."""
    after = found.find_downstream(command)
    if find_program(command.name).lists or command.name in LOOKERS or not outputs.ends_shown(command):
        return False
    if any(map(NAMES_ONLY.fullmatch, (text for one in (command, *after) for text in one.args))):
        return False
    # Whoever picks one variable by a name that is no secret's sees no secret.
    picked = [one for one in (command, *after) if find_program(one.name).picks]
    return all(any(map(TOKEN_HINT.search, one.args)) for one in picked)


def find_picked_token(known: CommandReading, at: Standpoint) -> str:
    """The file out of which a line with a token is picked and shown: `grep _authToken ~/.npmrc`."""
    if not any(hint in known.text for hint in TOKEN_FILES):
        return ""
    found = known.script
    outputs = PrintedOutputs(found)
    for command in found.commands:
        if not find_program(command.name).picks or not any(map(TOKEN_HINT.search, command.args)):
            continue
        if any(map(NAMES_ONLY.fullmatch, command.args)) or not outputs.is_shown(command):
            continue
        paths = (resolve_path(text, Standpoint(command.cwd or at.cwd, at.home)) or "" for text in command.args[1:])
        if file := next((path for path in paths if is_tokens_file(path, at.home)), ""):
            return file
    return ""
