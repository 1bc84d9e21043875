"""Dumps that drop what is there, put into a database of another machine."""

import re

from synaptic.policies.reading import REMOTE_PROGRAMS, runs_in_container
from synaptic.policies.throwaway import URL, is_local_host
from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script, Word

CLEAN = re.compile(r"--clean|-[aOxsCvew]*c[aOxsCvew]*")
"""How `pg_dump` is told to drop before it makes."""
PG_DUMPERS = split_names("pg_dump pg_dumpall")
MYSQL_DUMPERS = split_names("mysqldump mariadb-dump")
KEEPING = re.compile(r"--(?:skip-add-drop-table|skip-opt|compact|no-create-info|add-drop-table=(?:0|false))|-t")
"""How `mysqldump` is told not to drop: it does so by itself."""
NEAR_NAME = re.compile(r"local|dev|test|tmp|scratch|sandbox", re.IGNORECASE)
"""Parts of a variable's name that say that its value is no loss."""


def replaces_elsewhere(command: Command, found: Script) -> bool:
    """Whether a client is fed a dump that drops, and its database is not on this machine."""
    dumped = any(map(_drops_first, found.find_upstream(command)))
    return dumped and not runs_in_container(command) and _is_elsewhere(command)


def _drops_first(command: Command) -> bool:
    if command.name in PG_DUMPERS:
        return any(map(CLEAN.fullmatch, command.args))
    return command.name in MYSQL_DUMPERS and not any(map(KEEPING.fullmatch, command.args))


def _is_elsewhere(command: Command) -> bool:
    if any(label.partition(" ")[0] in REMOTE_PROGRAMS for label in command.via):
        return True
    given = find_program(command.name).read(command.argv[1:])
    hosts = given.get_values("host")
    names = (*given.get_values("dbname", "database"), *given.operands[:1])
    return any(is_far(word, word.text) for word in hosts) or any(map(is_far_address, names))


def is_far_address(word: Word) -> bool:
    """Whether an address, or the variable that holds it, names another machine."""
    found = URL.fullmatch(word.text)
    if found is None or not found["host"]:
        return not word.known and is_far(word, "")
    return is_far(word, found["host"].rpartition("@")[2])


def is_far(word: Word, host: str) -> bool:
    """Whether a host is another machine; one that only a variable names is, unless its name says otherwise."""
    if not word.known:
        return "$" in word.text and NEAR_NAME.search(word.text) is None
    return not is_local_host(host)
