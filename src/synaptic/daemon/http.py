"""HTTP for those who want it: on the Unix socket when a client speaks it, on loopback when the user asked for it."""

import asyncio
import errno
import secrets
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from synaptic.daemon.idle import SILENT_TICKS
from synaptic.daemon.rpc import note_peer
from synaptic.files.bounded import read_start
from synaptic.files.lock import hold_lock
from synaptic.files.replace import replace_own
from synaptic.model.home import Home

TOKEN_BYTES = 32
TAKEN_SECONDS = 20.0
"""Seconds in which a port comes free that another daemon still has."""
TAKEN_PAUSE = 0.2


class HttpListeners:
    """The ASGI server behind both listeners (Unix socket and loopback), imported when it is first needed."""

    def __init__(self, service: Any) -> None:
        self._service = service
        self._configs: dict[str | None, Any] = {}
        self._state: Any = None
        self._server: asyncio.Server | None = None
        self._silent: dict[Any, tuple[Any, int]] = {}
        self.port = 0

    def take_over(self, transport: asyncio.Transport, received: bytes, peer: tuple[int, float]) -> None:
        """Hand a connection of the Unix socket to HTTP, with what was read from it, who asks and since when."""
        protocol = self._make_protocol(None)
        # The protocol knows no process: every request of this connection is answered in a context that does.
        protocol.app = _note_peer(protocol.app, peer)  # type: ignore[attr-defined]
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        protocol.data_received(received)

    async def open_loopback(self) -> None:
        """Listen on loopback if the user's config says so."""
        wanted = self._service.engine.catalogs.get("").config.http
        await asyncio.to_thread(self._make_config, None)  # so that the first HTTP request does not hold up an event
        if not wanted.enabled:
            return
        # Loopback is open to every user of the machine, unlike the socket: hence the token.
        token = read_loopback_token(self._service.engine.home)
        self._server = await self._bind_loopback(lambda: self._make_protocol(token), wanted.port)
        self.port = self._server.sockets[0].getsockname()[1]
        locate_port(self._service.engine.home).write_text(str(self.port))

    async def _bind_loopback(self, make: Callable[[], asyncio.Protocol], port: int) -> asyncio.Server:
        """Take the port, which the daemon before this one may keep until it has answered what it was asked."""
        end = time.monotonic() + TAKEN_SECONDS
        while True:
            try:
                return await asyncio.get_running_loop().create_server(make, "127.0.0.1", port)
            except OSError as error:
                if error.errno != errno.EADDRINUSE or time.monotonic() > end:
                    raise
            await asyncio.sleep(TAKEN_PAUSE)

    @property
    def tasks(self) -> set[asyncio.Task[None]]:
        """Requests that are being answered."""
        return self._state.tasks if self._state is not None else set()

    def drop_silent(self) -> None:
        """Close connections that have begun no request for a while. Called once a second.

        The server does so itself after an answer, and waits for ever for the rest of a request.
        """
        if self._state is None:
            return
        known, self._silent = self._silent, {}
        for protocol in tuple(self._state.connections):
            cycle = protocol.cycle
            if cycle is not None and not cycle.response_complete:
                continue
            before, ticks = known.get(protocol, (cycle, 0))
            self._silent[protocol] = (cycle, ticks + 1 if before is cycle else 0)
            if self._silent[protocol][1] > SILENT_TICKS:
                protocol.transport.abort()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            path = locate_port(self._service.engine.home)
            if read_start(str(path), 16) == str(self.port).encode():  # not what a successor has written there
                path.unlink(missing_ok=True)

    def _make_protocol(self, token: str | None) -> asyncio.Protocol:
        parts = _import_uvicorn()
        config = self._make_config(token)
        protocol: asyncio.Protocol = parts.HttpToolsProtocol(config=config, server_state=self._state, app_state={})
        return protocol

    def _make_config(self, token: str | None) -> Any:
        if token not in self._configs:
            parts = _import_uvicorn()
            app = parts.application(self._service, token)
            # No proxy stands before it: what a header says about where a request came from is anybody's word.
            config = parts.Config(app, log_config=None, access_log=False, lifespan="off", proxy_headers=False)
            config.load()
            self._configs[token] = config
            self._state = self._state or parts.ServerState()
        return self._configs[token]


def _note_peer(app: Any, peer: tuple[int, float]) -> Any:
    async def answer(scope: Any, receive: Any, send: Any) -> None:
        note_peer(*peer)
        await app(scope, receive, send)

    return answer


@cache
def _import_uvicorn() -> Any:
    """Starlette and uvicorn take longer to import than the rest of the daemon: not before they are needed."""
    from uvicorn import Config  # noqa: PLC0415
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol  # noqa: PLC0415
    from uvicorn.server import ServerState  # noqa: PLC0415

    from synaptic.daemon.app import build_application  # noqa: PLC0415

    return SimpleNamespace(
        Config=Config, HttpToolsProtocol=HttpToolsProtocol, ServerState=ServerState, application=build_application
    )


def locate_port(home: Home) -> Path:
    """Where the loopback port of the running daemon is written."""
    return home.run / "http.port"


def read_loopback_token(home: Home) -> str:
    """The secret that loopback requests must carry: made once, readable by its user only."""
    path = home.root / "token"
    if token := _read_token(path):
        return token
    with hold_lock(path.with_name("token.lock")):
        token = _read_token(path)
        if not token:
            token = secrets.token_urlsafe(TOKEN_BYTES)
            replace_own(str(path), token.encode(), 0o600)
    return token


def _read_token(path: Path) -> str:
    # A full disk or a crash may have left an empty file: an empty secret would let everybody in.
    token = path.read_text().strip() if path.exists() else ""
    return token if len(token) >= TOKEN_BYTES else ""
