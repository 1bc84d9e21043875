"""Decode a request into a call that has a folder: the event's own, else the one that `dispatch` was run in."""

import os.path

import msgspec

from synaptic.agents.base import Adapter
from synaptic.model.call import Call, Request


def decode_call(wire: Adapter, request: Request) -> Call:
    """The call; a folder that the event names relatively is below the dispatcher's. Raises PayloadError."""
    call = wire.decode(request)
    named = call.event.cwd
    # Never this process's own folder: the daemon's is its run folder, and no command of an agent runs there.
    if named.startswith("/") or not request.cwd.startswith("/"):
        return call
    folder = os.path.normpath(os.path.join(request.cwd, named))  # noqa: PTH118 - text only
    event = msgspec.structs.replace(call.event, cwd=folder)
    return msgspec.structs.replace(call, event=event, payload={**call.payload, "cwd": folder})
