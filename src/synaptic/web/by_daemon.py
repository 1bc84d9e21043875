"""What people do in the console: carried out by the daemon, which looks itself at who asks."""

from typing import Any
from urllib.parse import parse_qs

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from synaptic.daemon.client import RpcError, call_rpc
from synaptic.model.errors import LayerError
from synaptic.model.home import Home
from synaptic.work.command import Command, Result
from synaptic.work.consent import PIN_NEEDED, PIN_WRONG

MOST_FIELDS = 50
PIN_WORDS = frozenset({PIN_NEEDED, PIN_WRONG})


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form, each once."""
    try:
        text = (await request.body()).decode()
        fields = parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError as error:
        raise LayerError("VALIDATION_ERROR", "this form cannot be read") from error
    return {name: values[0] for name, values in fields.items()}


async def ask_daemon(home: Home, command: Command[Result], kind: type[Result]) -> Result:
    """The result of a command. Raises LayerError with the daemon's word, DaemonError where none answers."""
    return await run_in_threadpool(_ask, home, command, kind)


def is_pin_wanted(error: Exception) -> bool:
    """Whether the same command may go through with the PIN."""
    return isinstance(error, LayerError) and error.code in PIN_WORDS


def _ask(home: Home, command: Command[Any], kind: type[Result]) -> Result:
    given = {name: one for name, one in msgspec.to_builtins(command).items() if one not in ("", None)}
    try:
        return msgspec.convert(call_rpc(home, command.method, given), kind)
    except RpcError as error:
        raise LayerError(error.word or str(error.code), error.message) from None
