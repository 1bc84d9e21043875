"""A command of `work`, carried out in this process for whoever typed it."""

import os
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager

import msgspec

from synaptic.agents.shared.authority import find_authority
from synaptic.agents.shared.callers import HookCallers
from synaptic.agents.shared.lineage import require_person
from synaptic.cli.caller import find_caller
from synaptic.cli.place import find_place, open_database
from synaptic.cli.waiting import run_to_end
from synaptic.work.command import Command, CommandContext, Result


def carry_out(command: Command[Result]) -> Result:
    """Run a command and return its result. Raises SynapticError."""
    if command.people_only:
        require_person(find_place().home, command.people_only)
    with open_context() as context:
        if command.needs_authority:
            authority = find_authority(os.getpid(), HookCallers(context.home))
            context = msgspec.structs.replace(context, authority=authority)
        result = command.run(context)
        return run_to_end(result) if isinstance(result, Coroutine) else result


@contextmanager
def open_context() -> Iterator[CommandContext]:
    """Open the store and find the caller, for the commands in the block."""
    place = find_place()
    with open_database(place.home) as store:
        yield CommandContext(store, find_caller(place))
