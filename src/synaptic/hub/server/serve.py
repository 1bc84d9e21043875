"""The hub's own process: one port, until it is told to end."""

import asyncio
import ipaddress
import logging
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import uvicorn

from synaptic.hub.pages.app import build_site
from synaptic.hub.pages.door import PageOptions, strip_port
from synaptic.hub.server.hub import Hub, HubSettings
from synaptic.model.errors import SynapticError

USUAL_PORT = 7480
USUAL_HOST = "127.0.0.1"
END_SECONDS = 10
MOST_CONNECTIONS = 20_000
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
TLS_HINT = "--certificate F --key F, or --behind-proxy where a proxy does it"


class HubListen(msgspec.Struct, frozen=True, kw_only=True):
    """Where a hub listens, and who does the TLS."""

    host: str = USUAL_HOST
    port: int = USUAL_PORT
    certificate: Path | None = None
    key: Path | None = None
    is_behind_proxy: bool = False
    names: tuple[str, ...] = ()
    """Names under which browsers reach it, besides the address that it listens at."""

    @property
    def url(self) -> str:
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.certificate else ''}://{shown}:{self.port}"


def read_address(text: str) -> tuple[str, int]:
    """`HOST:PORT`, `:PORT`, `[::1]:PORT`. Raises SynapticError."""
    host, colon, port = text.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise SynapticError(f"`{text}` is no address", hint=f"--listen {USUAL_HOST}:{USUAL_PORT}")
    return host.removeprefix("[").removesuffix("]") or USUAL_HOST, int(port)


def check_listen(listen: HubListen) -> None:
    """Tokens and events do not travel in the clear. Raises SynapticError."""
    if (listen.certificate is None) != (listen.key is None):
        raise SynapticError("a certificate needs its key, and a key its certificate", hint=TLS_HINT)
    if listen.certificate is not None and listen.key is not None:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(listen.certificate, listen.key)
        except (OSError, ssl.SSLError) as error:
            raise SynapticError(f"this certificate cannot be used: {error}", where=str(listen.certificate)) from error
    elif not listen.is_behind_proxy and not is_loopback_address(listen.host):
        raise SynapticError(f"{listen.host} can be reached from other machines: that needs TLS", hint=TLS_HINT)


def make_page_options(settings: HubSettings, listen: HubListen) -> PageOptions:
    """How its pages are reached: by the names that it was given, and by its own address where that is one."""
    own = (
        LOOPBACK_NAMES
        if is_loopback_address(listen.host)
        else (f"[{listen.host}]" if ":" in listen.host else listen.host,)
    )
    is_secure = listen.is_behind_proxy or listen.certificate is not None
    names = tuple(strip_port(name.strip()) for name in listen.names if name.strip())
    return PageOptions(names=(*names, *own), is_secure=is_secure, hub=settings.name)


def is_loopback_address(host: str) -> bool:
    """Names are no answer: they lead where somebody else says."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve_hub(settings: HubSettings, listen: HubListen, tell: Callable[[str], None]) -> None:
    """Serve until it is interrupted; `tell` is told the address as soon as it answers. Raises SynapticError."""
    check_listen(listen)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    with open_port(listen) as listener, suppress(KeyboardInterrupt):
        found = msgspec.structs.replace(listen, port=listener.getsockname()[1])
        asyncio.run(_serve(Hub(settings), found, listener, tell))


def open_port(listen: HubListen) -> socket.socket:
    """Raises SynapticError."""
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Connections inherit it. Without it the second part of an answer waits 40 ms for a word about the first.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.bind((listen.host, listen.port))
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise SynapticError(f"{listen.host}:{listen.port} cannot be opened: {error.strerror}") from error
    return listener


class _HubServer(uvicorn.Server):
    """A server that answers those who wait before it ends."""

    def __init__(self, config: uvicorn.Config, hub: Hub, tell: Callable[[], None]) -> None:
        super().__init__(config)
        self._hub = hub
        self._tell = tell

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._hub.end_waiting()
        await super().shutdown(sockets)


async def _serve(hub: Hub, listen: HubListen, listener: socket.socket, tell: Callable[[str], None]) -> None:
    await hub.open()
    config = uvicorn.Config(
        build_site(hub, make_page_options(hub.settings, listen)),
        log_config=None, access_log=False, lifespan="off", server_header=False, loop="uvloop",
        timeout_graceful_shutdown=END_SECONDS, timeout_keep_alive=60, ws="none", limit_concurrency=MOST_CONNECTIONS,
        proxy_headers=False, log_level="error",
        ssl_certfile=listen.certificate, ssl_keyfile=listen.key,
    )  # fmt: skip
    try:
        await _HubServer(config, hub, lambda: tell(listen.url)).serve(sockets=[listener])
    finally:
        await hub.close()
