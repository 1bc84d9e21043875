"""Run a client and end whatever it started: with patience, with its last words kept, and within a home of its own."""

import os
import signal
import subprocess  # noqa: TID251 - the client itself is what is verified
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

KEPT_OUTPUT = 256 << 10
"""Bytes of what a client prints, from its end."""
LOOK_SECONDS = 0.02
ENDED = -9
KEPT_VARIABLES = ("LANG", "LC_ALL", "VOLTA_HOME", "ASDF_DATA_DIR", "MISE_DATA_DIR", "NVM_DIR", "FNM_DIR", "N_PREFIX")
"""Of the user's own environment: the language, and where managers of node versions keep what their shims start."""

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
LOOPBACK = "127.0.0.1,localhost"


class ClientStart(msgspec.Struct, frozen=True):
    """One command of a client, and where it runs."""

    command: Sequence[str]
    folder: Path
    variables: Mapping[str, str]


class ClientEnd(msgspec.Struct, frozen=True):
    """How a command of a client has ended."""

    exit: int
    """-9 when it had to be ended."""
    output: str
    seconds: float
    was_ended: bool
    """It took too long, or nobody wanted it any more."""


def make_environment(home: Path, temporary: Path, search_path: str) -> dict[str, str]:
    """What a client finds in its environment: nothing of the user's that moves files or names a model."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if os.environ.get(name)}
    return {
        "LANG": "C.UTF-8",
        **kept,
        "HOME": str(home),
        "PATH": search_path,
        "TERM": "dumb",
        "NO_COLOR": "1",
        "TMPDIR": str(temporary),
    }


def refuse_network(proxy: str) -> dict[str, str]:
    """Name a proxy that refuses at once: a client that meets nobody there would try again for a while."""
    return {**dict.fromkeys(PROXIES, proxy), "NO_PROXY": LOOPBACK, "no_proxy": LOOPBACK}


def run_client(start: ClientStart, patience: float, stop: threading.Event) -> ClientEnd:
    """Run one command to its end, or end it. Raises OSError when it cannot be started."""
    began = time.monotonic()
    client = subprocess.Popen(
        start.command,
        cwd=start.folder,
        env=start.variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    last = bytearray()
    reader = threading.Thread(target=_keep_last_words, args=(client, last), daemon=True)
    reader.start()
    was_ended = not _wait(client, began + patience, stop)
    with suppress(OSError):  # the whole family: a client that hangs may have started others
        os.killpg(client.pid, signal.SIGKILL)
    exit = client.wait()
    reader.join(1.0)  # a server that a client has left behind may hold the pipe open
    output = bytes(last[-KEPT_OUTPUT:]).decode("utf-8", "replace")
    return ClientEnd(ENDED if was_ended else exit, output, time.monotonic() - began, was_ended)


def _wait(client: "subprocess.Popen[bytes]", deadline: float, stop: threading.Event) -> bool:
    """Whether it has ended by itself. In short looks, so that somebody who types Ctrl-C need not wait."""
    while client.poll() is None:
        if time.monotonic() > deadline or stop.wait(LOOK_SECONDS):
            return False
    return True


def _keep_last_words(client: "subprocess.Popen[bytes]", last: bytearray) -> None:
    with suppress(OSError, ValueError):
        while piece := os.read(client.stdout.fileno() if client.stdout else -1, KEPT_OUTPUT):
            last += piece
            del last[:-KEPT_OUTPUT]


def end_processes_of(home: Path, spare: int = 0) -> None:
    """End everything that was started with this home, but for one process; without /proc nothing is found."""
    for process in _find_processes_of(home):
        if process not in (spare, os.getpid()):
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)


def _find_processes_of(home: Path) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"HOME={home}".encode() in entry.read_bytes().split(b"\0"):
                found.append(int(entry.parent.name))
    return found
