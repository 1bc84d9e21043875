"""What somebody does on a page: a command over the daemon's socket, which looks itself at who this process is."""

from typing import Any

import msgspec

from synaptic.daemon import lifecycle
from synaptic.daemon.client import RpcError, call_rpc
from synaptic.model.errors import DaemonError, LayerError
from synaptic.model.home import Home
from synaptic.model.text import to_utf8_deep
from synaptic.setup.dispatcher import read_engine
from synaptic.work.command import Command

READY_SECONDS = 20.0


def act(home: Home, command: Command[Any]) -> Any:
    """The daemon's answer. Raises LayerError with its word, and DaemonError where none answers."""
    given = to_utf8_deep({name: one for name, one in msgspec.to_builtins(command).items() if one not in ("", None)})
    start_missing(home)
    try:
        return call_rpc(home, command.method, given)
    except RpcError as error:
        raise LayerError(error.word or str(error.code), error.message) from None


def start_missing(home: Home) -> None:
    """A daemon where none runs, as agents start it. Raises DaemonError where none may run."""
    if lifecycle.read_status(home).state != "stopped":
        return
    if not read_engine(home).daemon:
        raise DaemonError("no daemon runs here, and the console acts through it", hint="type it in a terminal")
    lifecycle.start_daemon(home)
    if not lifecycle.wait_ready(home, READY_SECONDS):
        raise DaemonError("the daemon does not answer", where=str(home.log), hint="type: synaptic daemon status")
