"""The console's own process: a port on loopback, one link for a browser, until Ctrl-C."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from synaptic.agents.shared.callers import HookCallers
from synaptic.agents.shared.lineage import find_agent_above
from synaptic.agents.shared.processes import ProcessInfo, read_process, read_program
from synaptic.daemon.loopback import find_loopback_peer
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.web.app import build_console
from synaptic.web.door import ConsoleDoor
from synaptic.web.guarded import FindPeer, Peer
from synaptic.web.page import Console

USUAL_PORT = 7433
ADDRESS = "127.0.0.1"
END_SECONDS = 2
UNKNOWN_PROCESS = "it cannot be seen which process asks"

TellLink = Callable[[str], None]


def serve_console(home: Home, port: int | None, tell: TellLink) -> None:
    """Serve until it is interrupted. Raises SynapticError where that cannot begin."""
    listener = open_port(port)
    door = ConsoleDoor(listener.getsockname()[1])
    with listener:
        console = Console(home, door.make_link)
        app = build_console(console, door, make_finder(home))
        with suppress(KeyboardInterrupt):
            asyncio.run(_serve(app, console, listener, lambda: tell(door.make_link())))


def open_port(port: int | None) -> socket.socket:
    """A socket on loopback: a port that was named, else the usual one or any that is free. Raises SynapticError."""
    for wanted in (USUAL_PORT, 0) if port is None else (port,):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((ADDRESS, wanted))
            listener.listen(128)
        except OSError as error:
            listener.close()
            trouble = error
        else:
            return listener
    raise SynapticError(f"port {port} cannot be opened: {trouble.strerror}", hint="type: synaptic web --port 0")


def make_finder(home: Home) -> FindPeer:
    """What finds out who holds the other end of a connection, and whether that is an agent's."""

    def find(port: int) -> Peer:
        process = read_process(find_loopback_peer(port))
        if process is None:
            return Peer(UNKNOWN_PROCESS)
        # Read anew each time: the daemon writes down who has called the dispatcher.
        return Peer(find_agent_above(process.pid, HookCallers(home)), list_program(process))

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
        app, log_config=None, access_log=False, lifespan="off", server_header=False, loop="uvloop", http="httptools",
        timeout_graceful_shutdown=END_SECONDS, timeout_keep_alive=30, ws="none",
    )  # fmt: skip
    server = _ConsoleServer(config, console)
    tell()
    await server.serve(sockets=[listener])
