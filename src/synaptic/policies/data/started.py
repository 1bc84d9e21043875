"""Databases that the same line has started: nothing is in them but what the line has put there."""

import re
from itertools import pairwise

from synaptic.policies.reading import CONTAINER_PROGRAMS, runs_in_container
from synaptic.policies.throwaway import is_chained, is_local_host, is_unconditional
from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.read.script import Command, Script, Word

KEEPING = ("volume", "mount", "volumes-from")
"""Options by which a container holds what was there before."""


PORT_OPTIONS = ("port", "p")
HOST_OPTIONS = ("host", "h")
REDIS_SERVERS = split_names("redis-server valkey-server keydb-server")
REDIS_CLIENTS = split_names("redis-cli valkey-cli keydb-cli")
CLIENTS_OF_HERE = REDIS_CLIENTS | split_names("mongosh mongo")
"""Clients that connect to a port of this machine when no host is named; others use a socket then."""
USUAL_PORT = "6379"
"""Where a server may run already: then a second one fails to start, and the first one is emptied."""
REDIS_KEEPING = split_names("--dir --dbfilename --appendonly --replicaof --slaveof")
LOCAL_PORT = re.compile(r"\w+://(?:[^/@]*@)?(?:localhost|127\.0\.0\.1|\[::1\]):(\d+)(?:/|$)")


def uses_started_server(command: Command, found: Script) -> bool:
    """Whether its database is one that a command before has started anew."""
    return _uses_started_redis(command, found) or _uses_started_container(command, found)


def _uses_started_redis(command: Command, found: Script) -> bool:
    """Whether redis at a port of its own was started before, without a file of settings or of data."""
    if command.name not in REDIS_CLIENTS:
        return False
    given = find_program(command.name).read(command.argv[1:])
    port = given.get_value("p")
    if not port or port == USUAL_PORT or given.has("u", "s") or not all(map(_is_here, given.get_values("h"))):
        return False
    before = (one for one in found.commands[: command.index] if one.name in REDIS_SERVERS and one.via == command.via)
    return any(_starts_redis(one, port) and is_unconditional(one, found) for one in before)


def _is_here(word: Word) -> bool:
    return word.known and is_local_host(word.text)


def _starts_redis(command: Command, port: str) -> bool:
    """`redis-server --port 6399`; its first word may be a file of settings."""
    args = command.args
    return (
        args[:1] != () and args[0][:2] == "--" and ("--port", port) in pairwise(args) and REDIS_KEEPING.isdisjoint(args)
    )


def _uses_started_container(command: Command, found: Script) -> bool:
    """Whether its database is in a container that a command before has started anew, without a volume."""
    if runs_in_container(command):
        return _is_in_started(command, found)
    ports = _find_local_ports(command)
    return bool(ports) and any(
        _publishes(one, ports) and is_chained(one, command, found) for one in reversed(found.commands[: command.index])
    )


def _is_in_started(command: Command, found: Script) -> bool:
    outer = [one for one in found.commands[: command.index] if one.name in CONTAINER_PROGRAMS and "exec" in one.args]
    entered = _find_container(outer[-1]) if outer else ""
    return bool(entered) and any(_starts(one, entered) for one in found.commands[: outer[-1].index])


def _find_container(command: Command) -> str:
    """`docker exec -i NAME psql`: the first operand behind the verb."""
    place = command.args.index("exec")
    verb = find_program(command.name).find_verb("exec")
    operands = verb.read(command.argv[place + 2 :]).operands if verb is not None else ()
    return operands[0].text if operands else ""


def _starts(command: Command, name: str) -> bool:
    given = _read_start(command)
    return given is not None and given.get_value("name") == name


def _publishes(command: Command, ports: set[str]) -> bool:
    """`docker run -p 55432:5432`: it fails when something listens there already."""
    given = _read_start(command)
    published = given.get_values("publish") if given is not None else ()
    return any(word.text.split(":")[-2:-1] == [port] for word in published for port in ports)


def _read_start(command: Command) -> Arguments | None:
    """What a container is started with; None when nothing is started, or it holds what was there before."""
    if command.name not in CONTAINER_PROGRAMS or "run" not in command.args[:1]:
        return None
    verb = find_program(command.name).find_verb("run")
    given = verb.read(command.argv[2:]) if verb is not None else None
    return given if given is not None and not given.has(*KEEPING) else None


def _find_local_ports(command: Command) -> set[str]:
    """The ports of this machine that a client is told to connect to; without a host some use no port at all."""
    given = find_program(command.name).read(command.argv[1:])
    hosts = given.get_values(*HOST_OPTIONS)
    addresses = [one[1] for text in command.args if len(text) <= MAX_PATH and (one := LOCAL_PORT.match(text))]
    here = all(map(_is_here, hosts)) if hosts else command.name in CLIENTS_OF_HERE and not _names_address(given)
    named = given.get_values(*PORT_OPTIONS) if here else ()
    return {*addresses, *(word.text for word in named)}


def _names_address(given: Arguments) -> bool:
    """Whether an address says where the server is: `-u redis://db`, `mongosh db.example/shop`, a socket."""
    return given.has("u", "s") or any("/" in word.text or "." in word.text for word in given.operands)
