"""Ask the daemon what it knows already, where that is quicker than to work it out here. Any doubt is no answer.

Only a daemon of exactly this code is asked: its answer is then the one that this process would come to by itself.
"""

import time

import msgspec

import synaptic
from synaptic.daemon.address import connect_daemon
from synaptic.model.home import Home
from synaptic.setup.code import get_loaded_stamp

HELLO_SECONDS = 0.5
"""A daemon that has not said who it is by then hangs, or has no time for this."""
ANSWER_SECONDS = 90.0
"""Longer than any agent waits for its hooks."""
MAX_ANSWER = 64 * 1024 * 1024


class DaemonHello(msgspec.Struct, frozen=True):
    """Who answers: of which code, and since when."""

    version: str = ""
    code: str = ""
    since: float = 0.0
    answered: int = 0


def ask_daemon(home: Home, method: str, params: object) -> object | None:
    """The result of a method, of a daemon of this very code; None where there is none, it hangs, or it fails."""
    hello = greet_daemon(home)
    if hello is None or not is_same_code(hello):
        return None
    return _call_method(home, method, params, ANSWER_SECONDS)


def greet_daemon(home: Home, seconds: float = HELLO_SECONDS) -> DaemonHello | None:
    """Who answers here; None when nobody does within the time."""
    try:
        return msgspec.convert(_call_method(home, "daemon.status", {}, seconds), DaemonHello)
    except msgspec.ValidationError:
        return None


def is_same_code(hello: DaemonHello) -> bool:
    """Whether a daemon runs the code of this process: it has loaded what is on disk here and now."""
    return hello.version == synaptic.__version__ and hello.code == get_loaded_stamp()


def _call_method(home: Home, method: str, params: object, seconds: float) -> object | None:
    end = time.monotonic() + seconds
    try:
        line = msgspec.json.encode({"cmd": method, "args": params}) + b"\n"
        with connect_daemon(home, seconds) as connection:
            connection.sendall(line)
            received = bytearray()
            while not received.endswith(b"\n") and len(received) <= MAX_ANSWER:
                connection.settimeout(max(end - time.monotonic(), 0.001))
                piece = connection.recv(1 << 16)
                if not piece:
                    return None
                received += piece
        reply = msgspec.json.decode(received, type=dict[str, object])
    except (OSError, msgspec.DecodeError, UnicodeError):
        return None
    return reply.get("data") if reply.get("ok") is True else None
