"""A command of `work`, carried out in this process for whoever typed it."""

from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from synaptic.cli.caller import caller
from synaptic.cli.person import by_a_person
from synaptic.cli.place import here, opened
from synaptic.work.command import Command, CommandContext, Result


def carry_out(command: Command[Result]) -> Result:
    """Run a command and return its result. Raises SynapticError."""
    if command.people_only:
        by_a_person(command.people_only)  # what hides it is a policy's matter (`sane.engine-commands`)
    with at_work() as context:
        result = command.run(context)
        return wait_for(result) if isinstance(result, Coroutine) else result


@contextmanager
def at_work() -> Iterator[CommandContext]:
    """Open the store and find the caller, for the commands in the block."""
    place = here()
    with opened(place.home) as store:
        yield CommandContext(store, caller(place))


def wait_for(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end and return its result."""
    import asyncio  # noqa: PLC0415  a third of the start-up time of a command that waits for nothing

    return asyncio.run(work)
