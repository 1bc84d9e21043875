"""Folders of another machine made equal to one of this machine: what only the other one holds is deleted."""

import re

import msgspec

from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.read.script import Command, Script, Word

MIRRORS = split_names("rsync openrsync")
PLACE = re.compile(r"(?:rsync://[^/]+/|[^/:]+::?)(?P<path>.*)", re.DOTALL)
"""A folder of another machine: `me@host:path`, `host::module/path`, `rsync://host/module/path`."""
OWN_FOLDER = re.compile(
    r"/(?:var/www|srv|opt|usr/share/nginx|usr/local/(?:www|share|lib|apache2)|home/[^/]+|Users/[^/]+|root|var/tmp|tmp"
    r"|(?:mnt|media|Volumes|data|storage|export)(?:/[^/]+)?|volume\d+|apps|sites|www|web)/+[^/.]"
    r"|/(?:app|www|web|site|htdocs|httpdocs|public_html|code|workspace)/*$|(?:~[^/]*/+|(?:\./+)*)[^/~.]|\$"
)
"""A place for one thing: below a folder that holds many, or in the home of whoever connects. Deployments go there."""
SHARED_NAME = re.compile(
    r"backups?|archives?|snapshots?|data|databases?|db|pgdata|mysql|media|homes?|users|shares?|shared|mail|vmail"
    r"|photos|pictures|videos|music|private|volumes?",
    re.IGNORECASE,
)
"""Names of folders that hold what many have put there."""
GIVEN_NAME = re.compile(r"(?:user-?|customer-?)?uploads?|customers?|invoices|documents", re.IGNORECASE)
"""Names of folders below which everything was given by users."""
EMPTY_NAME = re.compile(r"(?:.*[/_-])?(?:empty|blank|void|nothing)(?:[_-]?dir)?/*|/dev/null", re.IGNORECASE)


class MirroredFolder(msgspec.Struct, frozen=True):
    """The folder over there, and the one that it is made equal to."""

    target: Word
    source: Word


def find_emptied(command: Command, found: Script) -> MirroredFolder | None:
    """The folder of another machine that loses what the source has not, unless it is the place of one deployment."""
    given = find_program(command.name).read(command.argv[1:])
    words = given.operands
    if len(words) < 2 or not given.has_role("purge") or given.has_role("dry"):
        return None
    place = PLACE.fullmatch(words[-1].text) if len(words[-1].text) <= MAX_PATH else None
    if place is None or place["path"].startswith(("/tmp/", "/var/tmp/")):
        return None
    emptied = any(_is_empty(word, command, found) for word in words[:-1])
    return MirroredFolder(words[-1], words[0]) if emptied or not is_own_folder(place["path"]) else None


def is_own_folder(path: str) -> bool:
    """Whether a folder of another machine is the place of one thing alone, as those of deployments are."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts or OWN_FOLDER.match(path) is None:
        return False
    return SHARED_NAME.fullmatch(parts[-1]) is None and not any(map(GIVEN_NAME.fullmatch, parts))


def _is_empty(word: Word, command: Command, found: Script) -> bool:
    """Whether a folder has nothing in it: its name says so, or the command before has made it."""
    if EMPTY_NAME.fullmatch(word.text[:MAX_PATH]):
        return True
    made = {
        text.rstrip("/") for one in found.commands[: command.index][-1:] if one.name == "mkdir" for text in one.args
    }
    return word.text.rstrip("/") in made
