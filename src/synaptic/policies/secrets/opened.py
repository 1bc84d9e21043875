"""Keys and credentials that others on the machine may read afterwards."""

import re
from collections.abc import Iterator

from synaptic.model.decision import Verdict, ask
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_script, select_commands
from synaptic.policies.secrets.private import is_private
from synaptic.shell.book.entries import find_program
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.read.script import Command

CHMOD = frozenset({"chmod"})
OPEN_MODE = re.compile(
    r"0*[0-7]?[0-7](?:[4-7][0-7]|[0-7][4-7])|(?:[ugo]*[goa][ugoa]*|(?=[+=]))[+=][rwxXst]*[rw][rwxXst]*"
)
"""A mode with which the group, or everybody, may read or write."""
MAX_MODE = 64
"""Characters of a mode."""
PRIVATE_NAMES = ("", "/credentials", "/hosts.yml", "/config", "/config.json")
"""What is private in a folder that is opened with everything in it; the first stands for the folder itself."""


class Opened(Policy):
    """Letting others on the machine read a key.

    ## What it does
    Asks before `chmod` lets the group or everybody read or write a private key or a file of credentials
    (`chmod 644 ~/.ssh/id_ed25519`), and before it does so with a folder that holds them and everything in it
    (`chmod -R 755 ~/.aws`). Public keys, the list of known hosts and everything that is only narrowed are free.
    ## Why
    Whoever can read the key is its owner from then on, and ssh refuses a key that others can read.
    ## Known gaps
    Access lists (`setfacl`) and modes taken from another file (`--reference`) are not read. Files of a project
    (`.env`, `server.key`) are its own choice.
    """

    id = "secrets.opened"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = CHMOD
    priority = 24
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, CHMOD)
        opened = (path for one in (select_commands(found, CHMOD) if found else ()) for path in _iter_opened(one, facts))
        path = next(opened, "")
        if not path:
            return None
        return ask(
            f"This lets others on the machine read {path!r}, which holds a key or a password. Keep it at `chmod 600` "
            "(`700` for its folder), or give the program that needs it a key of its own."
        )


def _iter_opened(command: Command, facts: Facts) -> Iterator[str]:
    """The private paths that a `chmod` opens."""
    given = find_program("chmod").read(command.argv[1:])
    mode, *files = given.operands or (None,)
    if mode is None or not any(len(part) <= MAX_MODE and OPEN_MODE.fullmatch(part) for part in mode.text.split(",")):
        return
    for word in files:
        path = resolve_path(word.text, Standpoint(command.cwd, facts.home))
        if path and _holds_key(path, given.has("recursive")):
            yield path


def _holds_key(path: str, is_recursive: bool) -> bool:
    """Whether a key is read by whoever may read this; a folder alone gives nobody what is in it."""
    if is_recursive:
        return any(is_private(f"{path.rstrip('/')}{name}") for name in PRIVATE_NAMES)
    return is_private(path) and not path.rstrip("/").endswith((".ssh", ".gnupg", ".password-store"))
