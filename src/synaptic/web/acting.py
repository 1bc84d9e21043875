"""What somebody does on a page: a command over the daemon's socket, which looks itself at who this process is."""

from typing import Any
from urllib.parse import parse_qs

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from synaptic.daemon import lifecycle
from synaptic.daemon.client import RpcError, call_rpc
from synaptic.model.errors import DaemonError, LayerError
from synaptic.model.home import Home
from synaptic.model.text import to_utf8_deep
from synaptic.setup.dispatcher import read_engine
from synaptic.web.page import get_console
from synaptic.work.command import Command, Result
from synaptic.work.consent import PIN_NEEDED, PIN_WRONG

READY_SECONDS = 20.0
MOST_FIELDS = 50
PIN_WORDS = frozenset({PIN_NEEDED, PIN_WRONG})
OTHER_BROWSER_TEXT = "the PIN is needed: this is not the browser that opened the console"


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form, each once."""
    try:
        text = (await request.body()).decode()
        fields = parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError as error:
        raise LayerError("VALIDATION_ERROR", "this form cannot be read") from error
    return {name: values[0] for name, values in fields.items()}


async def ask_daemon(request: Request, command: Command[Result], kind: type[Result]) -> Result:
    """The result of a command. Raises LayerError with the daemon's word, DaemonError where none answers."""
    return msgspec.convert(await run_in_threadpool(act, request, command), kind)


def act(request: Request, command: Command[Any]) -> Any:
    """The daemon's answer. Raises LayerError with its word, and DaemonError where none answers."""
    if command.needs_authority and not request.scope["is_same_browser"] and not getattr(command, "pin", "-"):
        # A cookie can be copied, and the daemon sees only this process: whoever has it shows that they are a person.
        raise LayerError(PIN_NEEDED, OTHER_BROWSER_TEXT)
    home = get_console(request).home
    given = to_utf8_deep({name: one for name, one in msgspec.to_builtins(command).items() if one not in ("", None)})
    start_missing(home)
    try:
        return call_rpc(home, command.method, given)
    except RpcError as error:
        raise LayerError(error.word or str(error.code), error.message) from None


def is_pin_wanted(error: Exception) -> bool:
    """Whether the same command may go through with the PIN."""
    return isinstance(error, LayerError) and error.code in PIN_WORDS


def start_missing(home: Home) -> None:
    """A daemon where none runs, as agents start it. Raises DaemonError where none may run."""
    if lifecycle.read_status(home).state != "stopped":
        return
    if not read_engine(home).daemon:
        raise DaemonError("no daemon runs here, and the console acts through it", hint="type it in a terminal")
    lifecycle.start_daemon(home)
    if not lifecycle.wait_ready(home, READY_SECONDS):
        raise DaemonError("the daemon does not answer", where=str(home.log), hint="type: synaptic daemon status")
