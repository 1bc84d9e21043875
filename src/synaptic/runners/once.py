"""Run a Python function or HTTP hook once in its own process: the background form of both."""

import json
import os
import sys

import msgspec

from synaptic.model.hook import HttpEndpoint, PythonFunction
from synaptic.runners import worker

HANDLER = "SYNAPTIC_HANDLER"
SECONDS = 3600.0
"""Longer than any hook: the spool kills this process at the hook's own timeout."""


def encoded(handler: PythonFunction | HttpEndpoint) -> str:
    """Encode a handler as the text that `main` reads from its environment."""
    return f"{type(handler).__name__} {msgspec.json.encode(handler).decode()}"


def main() -> int:
    """Event on stdin, answer on stdout, as if it were a script."""
    kind, _, text = os.environ.pop(HANDLER).partition(" ")
    event = sys.stdin.buffer.read()
    if kind == PythonFunction.__name__:
        return _call(msgspec.json.decode(text, type=PythonFunction), event)
    return _post(msgspec.json.decode(text, type=HttpEndpoint), event)


def _call(handler: PythonFunction, event: bytes) -> int:
    stdout = os.fdopen(os.dup(1), "wb")
    # The function's own prints must not mix with the answer.
    os.dup2(2, 1)
    function = getattr(worker.load(handler.file), handler.function)
    answer = function(json.loads(event))
    with stdout:
        stdout.write(worker.encode(answer) if answer else b"")
    return 0


def _post(handler: HttpEndpoint, event: bytes) -> int:
    from synaptic.runners.http import Exchange, loopback  # noqa: PLC0415 - `encoded` is on the path of every start

    address = loopback(handler.url)
    if isinstance(address, str):
        sys.stderr.write(address)
        return 1
    status, body = Exchange(address, SECONDS).post(event, dict(handler.headers))
    if not 200 <= status < 300:
        return 1
    sys.stdout.buffer.write(body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
