"""The console's own process: a port on loopback, one link for a browser, until Ctrl-C."""

import asyncio
import secrets
import socket
import sys
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from synaptic.agents.shared.callers import HookCallers
from synaptic.agents.shared.lineage import find_agent_above
from synaptic.agents.shared.processes import ProcessInfo, read_name, read_process, read_program
from synaptic.daemon.loopback import ConnectionEnds, find_loopback_peer
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.web.app import build_console
from synaptic.web.connections import ConsoleProtocol
from synaptic.web.door import ConsoleDoor, ProcessKey
from synaptic.web.guarded import FindPeer, Peer
from synaptic.web.page import Console
from synaptic.work.event_words import show_line

USUAL_PORT = 7433
USUAL_HOST = "127.0.0.1"
END_SECONDS = 2
UNKNOWN_PROCESS = "it cannot be seen which process asks"

Tell = Callable[[str], None]


def serve_console(home: Home, port: int | None, tell_link: Tell, tell_guest: Tell) -> None:
    """Serve until it is interrupted. Raises SynapticError where that cannot begin.

    `tell_link` is told the link as soon as it opens, `tell_guest` each program that has come in.
    """
    listener = open_port(port)
    host, found = listener.getsockname()
    door = ConsoleDoor(found, host, tell_guest)
    with listener:
        console = Console(home, door.make_link)
        app = build_console(console, door, make_finder(home))
        with suppress(KeyboardInterrupt):
            asyncio.run(_serve(app, console, listener, lambda: tell_link(door.make_link())))


def open_port(port: int | None) -> socket.socket:
    """A socket on loopback: a port that was named, else the usual one or any that is free. Raises SynapticError."""
    host = choose_host()
    wishes = [(host, USUAL_PORT), (host, 0), (USUAL_HOST, 0)] if port is None else [(host, port), (USUAL_HOST, port)]
    for wish in wishes:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(wish)
            listener.listen(128)
        except OSError as error:
            listener.close()
            trouble = error
        else:
            return listener
    raise SynapticError(f"port {port} cannot be opened: {trouble.strerror}", hint="type: synaptic web --port 0")


def choose_host() -> str:
    """An address of this machine's own that no page was ever opened at: nobody has left a script there, or a cookie.

    Browsers keep scripts, service workers and cookies by address, whoever has served them.
    """
    if sys.platform != "linux":
        return USUAL_HOST  # the others have no more than this one unless they are told
    first, last = (1 + secrets.randbelow(254) for _ in range(2))
    return f"127.{first}.{secrets.randbelow(256)}.{last}"


def make_finder(home: Home) -> FindPeer:
    """What finds out who holds the other end of a connection, and whether that is an agent's."""

    def find(ends: ConnectionEnds, likely: frozenset[ProcessKey]) -> Peer:
        process = read_process(find_loopback_peer(ends, [pid for pid, _ in likely]))
        if process is None:
            return Peer(UNKNOWN_PROCESS)
        # Read anew each time: the daemon writes down who has called the dispatcher.
        why = find_agent_above(process.pid, HookCallers(home))
        return Peer(why, list_program(process), f"{show_line(read_name(process.pid))}, process {process.pid}")

    return find


def list_program(process: ProcessInfo) -> frozenset[tuple[int, str]]:
    """The process, and the one that started it if that runs the same program: browsers hand such work to children."""
    parent = read_process(process.parent)
    is_same = parent is not None and read_program(parent.pid) == read_program(process.pid) != ""
    return frozenset((process.key, parent.key) if parent and is_same else (process.key,))


class _ConsoleServer(uvicorn.Server):
    """A server that lets go of streams that would never end."""

    def __init__(self, config: uvicorn.Config, console: Console) -> None:
        super().__init__(config)
        self._console = console

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._console.close()
        await super().shutdown(sockets)


async def _serve(app: ASGIApp, console: Console, listener: socket.socket, tell: Callable[[], None]) -> None:
    config = uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="off", server_header=False, loop="uvloop",
        http=ConsoleProtocol, timeout_graceful_shutdown=END_SECONDS, timeout_keep_alive=30, ws="none",
        # No proxy stands before it: what a header says about where a request came from is anybody's word.
        proxy_headers=False,
        log_level="critical",  # anybody on this machine may send nonsense: it is nothing for a person's terminal
    )  # fmt: skip
    server = _ConsoleServer(config, console)
    tell()
    await server.serve(sockets=[listener])
