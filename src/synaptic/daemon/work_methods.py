"""Every command of `work` that has a method's name, over the socket: the table is derived, never written."""

import asyncio
import os
from collections.abc import Coroutine, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from synaptic.daemon.rpc import (
    METHODS,
    PEOPLE_ONLY,
    READERS,
    RpcError,
    read_connected,
    read_peer,
    request_environment,
)
from synaptic.hooks.project import find_root
from synaptic.model.errors import LayerError, StoreError, SynapticError
from synaptic.store.windows import WorkerIdentity
from synaptic.work.command import Caller, Command, CommandContext, find_commands, read_agent_name, read_command

if TYPE_CHECKING:
    from synaptic.daemon.server import Daemon


async def answer_command(daemon: "Daemon", command: Command[Any]) -> object:
    """Carry one command out for whoever has sent it."""
    context = CommandContext(daemon.engine.store, find_caller(command, request_environment()))
    if command.needs_authority:
        authority = daemon.engine.senders.find_authority(read_peer(), read_connected())
        context = msgspec.structs.replace(context, authority=authority)
    try:
        return command.answer(await _run_command(command, context))
    except (LayerError, StoreError):
        raise  # a word of its own, and a failure that is nobody's fault
    except SynapticError as error:  # a section, key or value that cannot be
        raise RpcError("VALIDATION_ERROR", str(error)) from error


def find_caller(command: Command[Any], environ: Mapping[str, str]) -> Caller:
    """Who has sent a command: the folder in its arguments counts before the request's environment."""
    cwd = getattr(command, "cwd", "") or environ.get("CWD", "")
    # A folder that a link leads to is the project that its own path names; a relative one is refused later.
    cwd = os.path.realpath(cwd) if cwd.startswith("/") and "\0" not in cwd else cwd
    root = find_root({}, {"HOME": str(Path.home())}, cwd) if cwd else ""
    return Caller(root=root, cwd=cwd, who=WorkerIdentity(agent=read_agent_name(environ)))


async def _run_command(command: Command[Any], context: CommandContext) -> Any:
    # It may wait for another process, and every event would wait with it.
    if command.may_block:
        return await asyncio.to_thread(command.run, context)
    result = command.run(context)
    return await result if isinstance(result, Coroutine) else result


METHODS.update({name: (command, answer_command) for name, command in find_commands().items()})
READERS.update({name: partial(read_command, command) for name, command in find_commands().items()})
PEOPLE_ONLY.update({name: command.people_only for name, command in find_commands().items() if command.people_only})
