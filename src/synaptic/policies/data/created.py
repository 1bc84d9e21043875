"""Tables and databases that the same line has made: to drop them again loses nothing."""

import re

from synaptic.policies.throwaway import is_chained
from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script

STOPPING_CLIENTS = split_names("psql mysql mariadb sqlite3 sqlite duckdb")
"""Clients that end at the first statement of an argument that fails: so what they come to is what they have made."""
FORCED = split_names("mysql mariadb")
GOING_ON = split_names("-f --force")
"""Clients that can be told to go on, and how."""
KINDS = r"(?P<kind>table|database|schema|keyspace)"
CREATED = re.compile(
    rf"\s*+create\s++(?:(?:global|local|temp|temporary|unlogged)\s++)*+{KINDS}\s++(?!if\s)(?P<name>[\w.\"`\[\]]++)",
    re.IGNORECASE,
)
"""`create table if not exists` makes nothing for certain."""
LOST = re.compile(
    rf"\s*+(?:drop\s++{KINDS}\s++(?:if\s++exists\s++)?+|truncate\s++(?:table\s++)?+|delete\s++from\s++|update\s++(?=\S++\s++set\b))"
    r"(?P<names>[\w.\"`\[\]]++(?:\s*+,\s*+[\w.\"`\[\]]++)*+)",
    re.IGNORECASE,
)
ELSEWHERE = re.compile(r"\bsearch_path\b|(?:^|;)\s*+use\s|\\c", re.IGNORECASE)
"""What makes the same name stand for another thing."""
DATABASE_MAKERS = {"dropdb": "createdb", "dropuser": "createuser"}
PLACE_OPTIONS = ("host", "port", "username")


def keeps_going(command: Command) -> bool:
    """Whether a client may go on behind a statement that has failed."""
    return command.name not in STOPPING_CLIENTS or (command.name in FORCED and not GOING_ON.isdisjoint(command.args))


def strip_created(text: str) -> str:
    """A text of statements without those that lose nothing but what an earlier one of them has made."""
    if ELSEWHERE.search(text):
        return text
    made: set[str] = set()
    kept: list[str] = []
    for one in text.split(";"):
        lost = LOST.match(one)
        names = {_spell(lost["kind"], name) for name in lost["names"].split(",")} if lost else set()
        if names and names <= made:
            # Behind a temporary table that is dropped there may be a real one of the same name.
            made -= names if lost is not None and lost["kind"] else set()
            continue
        if created := CREATED.match(one):
            made.add(_spell(created["kind"], created["name"]))
        kept.append(one)
    return ";".join(kept)


def _spell(kind: str | None, name: str) -> str:
    return f"{(kind or 'table').lower()} {name.strip().lower()}"


def was_created_before(command: Command, found: Script) -> bool:
    """Whether `dropdb` drops what `createdb` has made before, in the same place: it fails when there is one already."""
    maker = DATABASE_MAKERS.get(command.name)
    if maker is None:
        return False
    return any(
        one.name == maker and _read_place(one) == _read_place(command) and is_chained(one, command, found)
        for one in reversed(found.commands[: command.index])
    )


def _read_place(command: Command) -> tuple[tuple[str, ...], tuple[str, ...]]:
    given = find_program("dropdb").read(command.argv[1:])
    return tuple(word.text for word in given.operands), tuple(map(given.get_value, PLACE_OPTIONS))
