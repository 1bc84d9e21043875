"""Databases in containers that the same line has started: nothing is in them but what the line has put there."""

from synaptic.policies.reading import CONTAINER_PROGRAMS, runs_in_container
from synaptic.shell.book.entries import find_program
from synaptic.shell.read.script import Command, Script

KEEPING = ("volume", "mount", "volumes-from")
"""Options by which a container holds what was there before."""


def is_in_started_container(command: Command, found: Script) -> bool:
    """Whether it runs in a container that a command before has started anew, without a volume."""
    if not runs_in_container(command):
        return False
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
    if command.name not in CONTAINER_PROGRAMS or "run" not in command.args[:1]:
        return False
    verb = find_program(command.name).find_verb("run")
    given = verb.read(command.argv[2:]) if verb is not None else None
    return given is not None and given.get_value("name") == name and not given.has(*KEEPING)
