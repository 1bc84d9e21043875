"""Keys of redis deleted: all of them, or all that match a pattern."""

import re

from synaptic.policies.data.restored import is_far, is_far_address
from synaptic.policies.reading import REMOTE_PROGRAMS
from synaptic.shell.book.entries import BOOK, find_program
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script

REDIS_CLIENTS = frozenset(name for name, one in BOOK.items() if one.database == "redis")
CLUSTER_PROGRAMS = split_names("kubectl oc k3s")
FLUSH_COMMANDS = split_names("flushall flushdb shutdown")
DELETE_COMMANDS = split_names("del unlink")
FLUSHED = re.compile(r"call\s*+\(\s*+['\"]flush(?:all|db)\b", re.IGNORECASE)
LISTED = re.compile(r"call\s*+\(\s*+['\"](?:keys|scan)\b", re.IGNORECASE)
DELETED = re.compile(r"call\s*+\(\s*+['\"](?:del|unlink)\b", re.IGNORECASE)
DELETING_FILE = re.compile(r"(?:^|[-_/.])(?:del|delete|flush|purge|clear|wipe|remove|unlink)", re.IGNORECASE)
"""Names of scripts, which are not read, that say what they do."""
MAX_SCRIPT = 20_000


def flushes_redis(command: Command) -> bool:
    """Whether the command that redis is given, or one on its input, empties it; keys and values are data."""
    words = _list_words(command)
    if words[:1] == ["eval"]:
        return any(FLUSHED.search(text[:MAX_SCRIPT]) for text in words[1:2])
    lines = words[:1] or (command.stdin or "").lower().splitlines()
    return any(not FLUSH_COMMANDS.isdisjoint(line.split(maxsplit=1)[:1]) for line in lines)


def deletes_matching_keys(command: Command, found: Script) -> bool:
    """Whether redis of another machine is told to delete every key that matches a pattern."""
    words = _list_words(command)
    if words[:1] == ["eval"]:
        whole = any(LISTED.search(text[:MAX_SCRIPT]) and DELETED.search(text[:MAX_SCRIPT]) for text in words[1:2])
    elif named := find_program(command.name).read(command.argv[1:]).get_value("eval"):
        whole = DELETING_FILE.search(named) is not None
    else:
        whole = not DELETE_COMMANDS.isdisjoint(words[:1]) and any(map(_lists_keys, found.find_upstream(command)))
    return whole and _is_elsewhere(command)


def _list_words(command: Command) -> list[str]:
    words = [word.text.lower() for word in find_program(command.name).read(command.argv[1:]).operands]
    return words[1:] if "--cluster" in command.args else words  # `--cluster call HOST:PORT COMMAND`


def _lists_keys(command: Command) -> bool:
    return command.name in REDIS_CLIENTS and ("--scan" in command.args or _list_words(command)[:1] == ["keys"])


def _is_elsewhere(command: Command) -> bool:
    """Whether its server is not on this machine; without a host it is where the client runs."""
    if any(label.partition(" ")[0] in REMOTE_PROGRAMS | CLUSTER_PROGRAMS for label in command.via):
        return True
    given = find_program(command.name).read(command.argv[1:])
    return any(is_far(word, word.text) for word in given.get_values("h")) or any(
        map(is_far_address, given.get_values("u"))
    )
