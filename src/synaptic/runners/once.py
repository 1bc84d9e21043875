"""Run a Python function or HTTP hook once in its own process: the background form of both."""

import json
import os
import sys

import msgspec

from synaptic.model.hook import HttpEndpoint, PythonFunction
from synaptic.runners import worker

HANDLER_VARIABLE = "SYNAPTIC_HANDLER"
ACCEPTED_VARIABLE = "SYNAPTIC_ACCEPTED"
"""The sha256 sums of the contents that may run, when not every one may."""
POST_TIMEOUT = 3600.0
"""Longer than any hook: the spool kills this process at the hook's own timeout."""


def encode_handler(handler: PythonFunction | HttpEndpoint) -> str:
    """Encode a handler as the text that `main` reads from its environment."""
    return f"{type(handler).__name__} {msgspec.json.encode(handler).decode()}"


def main() -> int:
    """Event on stdin, answer on stdout, as if it were a script."""
    kind, _, text = os.environ.pop(HANDLER_VARIABLE).partition(" ")
    event = sys.stdin.buffer.read()
    if kind == PythonFunction.__name__:
        return _call_function(msgspec.json.decode(text, type=PythonFunction), event)
    return _post_event(msgspec.json.decode(text, type=HttpEndpoint), event)


def _call_function(handler: PythonFunction, event: bytes) -> int:
    stdout = os.fdopen(os.dup(1), "wb")
    # The function's own prints must not mix with the answer.
    os.dup2(2, 1)
    accepted = os.environ.pop(ACCEPTED_VARIABLE, None)
    content = worker.read_accepted(handler.file, None if accepted is None else accepted.split())
    if content is None:
        sys.stderr.write(f"{handler.file} was changed after it was checked, so it does not run")
        return 1
    module = worker.load_module(handler.file, content, os.environ.get("PYTHONPYCACHEPREFIX"))
    function = getattr(module, handler.function)
    answer = function(json.loads(event))
    with stdout:
        stdout.write(worker.encode_answer(answer) if answer else b"")
    return 0


def _post_event(handler: HttpEndpoint, event: bytes) -> int:
    from synaptic.runners.http import HttpExchange, parse_loopback_url  # noqa: PLC0415 - `encoded` is on the path of every start

    address = parse_loopback_url(handler.url)
    if isinstance(address, str):
        sys.stderr.write(address)
        return 1
    status, body = HttpExchange(address, POST_TIMEOUT).post(event, dict(handler.headers))
    if not 200 <= status < 300:
        return 1
    sys.stdout.buffer.write(body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
