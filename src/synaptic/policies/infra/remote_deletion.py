"""Folders deleted on another machine, or out of the data of a container."""

import re
from collections.abc import Iterator
from typing import Annotated

from synaptic.model.decision import Verdict, ask
from synaptic.model.event import PreToolUse
from synaptic.policies.base import FEWER, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.infra.mirrored import MIRRORS, find_emptied
from synaptic.policies.infra.transferred import TRANSFER_PROGRAMS, iter_deleted_paths, iter_emptied_folders
from synaptic.policies.reading import (
    ELSEWHERE_PROGRAMS,
    SHELL_TOOLS,
    get_script,
    runs_elsewhere,
    runs_in_container,
    select_commands,
)
from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.find import read_find
from synaptic.shell.effects.searched import FIND_PROGRAMS
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.read.script import Command, Script, Word

FILE_DELETERS = split_names("rm unlink truncate shred")
DELETERS = FIND_PROGRAMS | FILE_DELETERS
SCRATCH = re.compile(r"(?:/private)?/(?:tmp|var/tmp|dev/shm|var/cache|var/crash)/+[^/*?.]|~/\.cache/.|\$\{?TMPDIR\b")
REMADE = split_names(
    "node_modules dist build out target coverage tmp temp venv .venv __pycache__ .cache cache caches .pytest_cache"
    " .mypy_cache .ruff_cache .next .nuxt .turbo .tox .gradle .eggs htmlcov log logs"
)
"""Names of folders that come back by themselves."""
KIND_OF_FILES = re.compile(r"\*?\.(?:log|pyc|pyo|tmp|bak|swp|o|gz|old|pid|lock)|.*\.(?:tar|tgz|gz|zip|log|deb)")
DATA_FOLDERS = re.compile(
    r"/(?:var/(?:lib/(?:postgresql|pgsql|mysql|mariadb|mongodb|redis|clickhouse|elasticsearch|rabbitmq|grafana|influxdb"
    r"|neo4j|cassandra|etcd)|opt|www)|data|bitnami|backups?|uploads|pgdata|usr/share/elasticsearch/data|srv|mnt)(?:/|$)"
)
"""Where containers keep what is in a volume."""
DATA_FILE = re.compile(r"\.(?:db|sqlite3?|sql|dump|rdb|mdb|ibd)$", re.IGNORECASE)
"""Single files that hold what others have put in."""
MAX_SUFFIX = 16
MAKERS = split_names("mkdir mktemp git tar unzip cp")
MadeFolder = tuple[tuple[str, ...], str]
"""A folder that the same line has made, and through what that command ran."""
SPEAKS_OF = ELSEWHERE_PROGRAMS | MIRRORS | TRANSFER_PROGRAMS
UNKNOWN_WHOLE = re.compile(r"\$\{?\w+\}?/?|\$\(.*\)/?", re.DOTALL)


class RemoteDeletion(Policy):
    """Deleting folders on another machine.

    ## What it does
    Asks before a command that runs on another machine (`ssh`, `mosh`, `gcloud compute ssh`, `aws ssm send-command`,
    `ansible` and others) deletes a folder, everything that a pattern matches, all that a search finds, or the file of a
    database. It is judged as a command over there: nothing of this machine's files or project counts. Free are its
    scratch folders (`/tmp/x`), what builds and caches make again (`node_modules`, `dist`, logs), and what the same
    command has made before. In containers only folders that are usually volumes are asked about
    (`/var/lib/postgresql`, `/data`). Asks also before a folder of another machine is made equal to one of this one
    (`rsync --delete build/ host:/home/`). A deployment into a folder of its own (`host:/var/www/app/`, `host:app/`) is
    free, unless it is called after what others have put in (`backups`, `uploads`) or the source is empty; so is `-n`.
    The commands for a file server are read too: `lftp -e 'mirror -R --delete build/ /'`, `rm -r` and patterns for
    everything, given with an option or on the input of lftp, sftp and ftp.
    ## Why
    What runs over there serves other people, is seldom in a repository, and nobody here can look at what is lost.
    ## Known gaps
    Other single files and a variable that stands alone are not asked about.
    """

    id = "infra.remote-deletion"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = SPEAKS_OF
    priority = 26
    preset = "essentials"

    remade: Annotated[tuple[str, ...], FEWER] = tuple(sorted(REMADE))
    """Names of folders over there that may be deleted anywhere."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, SPEAKS_OF)
        if found is None:
            return None
        for command in select_commands(found, MIRRORS):
            if lost := find_emptied(command, found):
                return ask(
                    f"`{command.name}` would delete everything in {lost.target.text!r} that is not in "
                    f"{lost.source.text!r}, and nothing here can bring it back. Look first (`{command.name} -n`), name "
                    "the folder of this one thing, or let the user do it."
                )
        return self._check_deleters(found) or self._check_transfers(found)

    def _check_transfers(self, found: Script) -> Verdict | None:
        for command in select_commands(found, TRANSFER_PROGRAMS):
            deleted = (path for path in iter_deleted_paths(command, found) if not self._is_remade(path))
            if emptied := next(iter_emptied_folders(command, found), None):
                return ask(
                    f"`{command.name}` would delete everything in {emptied!r} of the server that is not in the folder "
                    "it is made equal to. Look first (`mirror --dry-run`), name the folder of this one thing, or let "
                    "the user do it."
                )
            if path := next(deleted, None):
                return ask(
                    f"`{command.name}` would delete {path!r} of the server, with all that it holds, and nothing here "
                    "can bring it back. Show what is there first (`ls`), or let the user delete it."
                )
        return None

    def _check_deleters(self, found: Script) -> Verdict | None:
        made: set[MadeFolder] = set()
        for command in select_commands(found, DELETERS | MAKERS):
            if not runs_elsewhere(command):
                continue
            if command.name in MAKERS:
                made.update((command.via, _join_path(command.cwd, word.text).rstrip("/")) for word in command.argv[1:])
            elif word := self._find_lost(command, made):
                where = next(one for one in command.via if one.partition(" ")[0] in ELSEWHERE_PROGRAMS)
                return ask(
                    f"`{command.name}` would delete {word.text!r} where `{where}` runs it, with all that it holds, and "
                    "nothing here can bring it back. Show what is there first (`ls`), move it aside, or let the user "
                    "delete it."
                )
        return None

    def _find_lost(self, command: Command, made: set[MadeFolder]) -> Word | None:
        contained = runs_in_container(command)
        for word in _iter_deleted(command):
            path = _join_path(command.cwd, word.text)
            if contained and not DATA_FOLDERS.match(path):
                continue
            known = self._is_remade(path) or (command.via, path.rstrip("/")) in made
            if not known and not UNKNOWN_WHOLE.fullmatch(word.text):
                return word
        return None

    def _is_remade(self, path: str) -> bool:
        if len(path) > MAX_PATH or ".." in path:
            return False
        parts = [part for part in path.split("/") if part.strip("*?.")]
        if SCRATCH.match(path) or (parts and KIND_OF_FILES.fullmatch(path.rpartition("/")[2])):
            return True
        return len(parts) > 1 - (path[:1] != "/") and parts[-1] in self.remade


def _iter_deleted(command: Command) -> Iterator[Word]:
    """What is deleted with all it holds: by `rm -r`, by a pattern, by a search that takes everything."""
    if command.name.lower() in FIND_PROGRAMS:
        sought = read_find(command.argv)
        yield from sought.roots if sought.deletes and not sought.narrowed else ()
        return
    given = find_program(command.name).read(command.argv[1:])
    for word in given.operands:
        everything = word.glob and word.text.rpartition("/")[2].strip("*?") == ""
        if given.has("recursive") or everything or DATA_FILE.search(word.text[-MAX_SUFFIX:]):
            yield word


def _join_path(cwd: str, text: str) -> str:
    return text if text[:1] in "/~$" or not cwd else f"{cwd}/{text}"
