"""A command of `work`, carried out by the daemon: it looks itself at who asks. Where none can run, by this process."""

import getpass
import os
from contextlib import suppress
from typing import Any

import msgspec

from synaptic.cli.carry_out import carry_out
from synaptic.cli.daemon import ensure_daemon
from synaptic.cli.place import find_place
from synaptic.daemon import lifecycle
from synaptic.daemon.client import RpcError, call_rpc
from synaptic.daemon.rpc import JSON_RPC_CODES
from synaptic.model.errors import DaemonError, LayerError, PersonError, SynapticError
from synaptic.model.home import Home
from synaptic.model.text import to_utf8_deep
from synaptic.setup.dispatcher import read_engine
from synaptic.work.command import Command, Result
from synaptic.work.consent import PIN_NEEDED


def ask_daemon_for(command: Command[Result], kind: type[Result]) -> Result:
    """The command's result as the daemon has it. Raises SynapticError."""
    home = find_place().home
    if not _may_run_daemon(home):
        return carry_out(command)
    given = to_utf8_deep({name: one for name, one in msgspec.to_builtins(command).items() if one not in ("", None)})
    try:
        return msgspec.convert(call_started(home, command.method, given), kind)
    except RpcError as error:
        raise _drop_place(read_refusal(error)) from None
    except DaemonError:
        if lifecycle.read_status(home).state == "stopped":  # none can be started: nobody else carries it out
            return carry_out(command)
        raise


def read_refusal(error: RpcError) -> PersonError | LayerError:
    """A refusal of the daemon with its word, as the verbs themselves would say it: a script compares it."""
    if error.code == JSON_RPC_CODES["FOR_PEOPLE"] or error.word == "FOR_PEOPLE":
        return PersonError(error.message)
    return LayerError(error.word or str(error.code), error.message, where=error.where)


def call_started(home: Home, method: str, given: dict[str, Any]) -> object:
    """The daemon's answer; one that does not run is started first, as agents do."""
    try:
        return call_rpc(home, method, given)
    except RpcError:
        raise
    except DaemonError as error:
        if lifecycle.read_status(home).state == "running":
            # It is there and has not answered: the call may have been carried out, and is not made twice.
            raise DaemonError("the daemon does not answer", where=error.where, hint="synaptic daemon status") from error
    ensure_daemon(home)
    return call_rpc(home, method, given)


def type_pin(label: str) -> str:
    """A PIN from the terminal, without showing it. Raises SynapticError where there is no terminal."""
    return type_unseen(label, "a PIN")


def type_unseen(label: str, what: str = "a code") -> str:
    """The same for anything that nobody is to see."""
    with suppress(OSError):
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
        typed = _read_unseen(label)
        if typed and typed.isprintable():
            return typed
        raise SynapticError("no letter, digit or sign was typed")
    raise SynapticError(f"{what} is typed at a terminal, and there is none here")


def _read_unseen(label: str) -> str:
    try:
        return getpass.getpass(f"{label}: ")
    except EOFError:  # Ctrl-D, or the window is gone
        return ""


def is_pin_needed(error: LayerError) -> bool:
    """Whether the same command may go through with the PIN."""
    return error.code == PIN_NEEDED


def _may_run_daemon(home: Home) -> bool:
    return lifecycle.read_status(home).state != "stopped" or read_engine(home).daemon


def _drop_place(error: SynapticError) -> SynapticError:
    """Without the number of the protocol: whoever types a verb has not asked for a method."""
    error.where = ""
    return error
