"""Background hooks of a call that is written down, and of which nobody lived to launch them.

Before a call is written, the call itself is left in the folder of each of its runs. A daemon that is killed between the
two leaves it there. Usually the dispatcher repeats its call, and with that the launch; where it was killed as well, the
next daemon repeats it. The journal says what was promised, the run's folder that it has not begun.
"""

import logging
import os
from collections.abc import Sequence

import msgspec

from synaptic.model.call import Request
from synaptic.runners.execute import HookRunners
from synaptic.runners.spool import PreparedRun

log = logging.getLogger(__name__)

UNWRITTEN_SECONDS = 10.0
"""After which a call that is not in the journal will not be there any more: its sender has asked another one."""


class _StoredRequest(msgspec.Struct, frozen=True, array_like=True):
    """A request as bytes: command lines and variables may hold what is no text."""

    words: tuple[bytes, bytes, bytes, bytes, bytes]
    env: bytes
    stdin: bytes


def promise_runs(runners: HookRunners, request: Request, runs: Sequence[PreparedRun]) -> None:
    """Leave the call in the folders of its runs; a disk that does not take it is told when they are launched."""
    stored = encode_request(request) if runs else b""
    for run in runs:
        try:
            runners.promise(run, stored)
        except OSError as error:
            log.warning("call %s would not be repeated after a crash: %s", request.id, error)


def encode_request(request: Request) -> bytes:
    words = (request.agent, request.event, request.id, request.stranger, request.cwd)
    env = b"\0".join(os.fsencode(f"{key}={value}") for key, value in request.env.items())
    first, second, third, fourth, fifth = map(os.fsencode, words)
    return msgspec.msgpack.encode(_StoredRequest((first, second, third, fourth, fifth), env, request.stdin))


def decode_request(stored: bytes) -> Request | None:
    """The request in these bytes; None where its writer was killed before it had written all of them."""
    try:
        found = msgspec.msgpack.decode(stored, type=_StoredRequest)
    except msgspec.DecodeError:
        return None
    agent, event, id, stranger, cwd = map(os.fsdecode, found.words)
    variables = (entry.partition("=") for entry in os.fsdecode(found.env).split("\0"))
    env = {key: value for key, equals, value in variables if equals}
    return Request(agent=agent, event=event, stdin=found.stdin, id=id, env=env, stranger=stranger, cwd=cwd)
