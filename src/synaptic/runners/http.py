"""Run hooks that are servers on this machine: the event is posted to loopback addresses only."""

import asyncio
import contextlib
import http.client
import ipaddress
import socket
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import msgspec

from synaptic.model.decision import Failure, Fault
from synaptic.model.hook import Hook, HttpEndpoint
from synaptic.runners.base import Invocation
from synaptic.runners.dialect import interpret_output
from synaptic.runners.output import (
    OUTPUT_LIMIT,
    HookAnswer,
    ProcessOutput,
    describe_hook,
    make_length_failure,
    make_output_failure,
    make_timeout_failure,
    shorten_text,
)
from synaptic.runners.stdin import encode_stdin

MAX_THREADS = 16


class LoopbackAddress(msgspec.Struct, frozen=True):
    """Where to post: host addresses to try in order, all of them loopback."""

    hosts: tuple[str, ...]
    port: int
    path: str


class HttpRunner:
    """Posts events from its own threads, so that a slow server does not block the event loop."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="synaptic-http")

    async def run(self, invocation: Invocation, handler: HttpEndpoint) -> HookAnswer:
        """Send one POST without proxy or redirect; everything but a 2xx with a JSON object is a failure."""
        hook = invocation.hook
        address = parse_loopback_url(handler.url)
        if isinstance(address, str):
            return Failure(Fault.MISSING, f"{describe_hook(hook)}: {address}")
        exchange = HttpExchange(address, invocation.timeout)
        body = encode_stdin(invocation.call, hook.protocol)
        try:
            async with asyncio.timeout(invocation.timeout):
                loop = asyncio.get_running_loop()
                status, answer = await loop.run_in_executor(self._threads, exchange.post, body, dict(handler.headers))
        except TimeoutError:
            return make_timeout_failure(hook, invocation.timeout)
        except (OSError, ValueError, http.client.HTTPException) as error:
            return Failure(
                Fault.CRASH, f"{describe_hook(hook)}: {handler.url} gave no answer: {error or type(error).__name__}"
            )
        finally:
            # The thread cannot be cancelled; shutting its socket down is what ends its blocking read.
            exchange.abort()
        return _interpret_response(invocation, status, answer)

    async def close(self) -> None:
        """Shut the threads down; running exchanges are aborted by their own runs."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class HttpExchange:
    """One request and its answer; `abort` wakes the thread that waits for it."""

    def __init__(self, address: LoopbackAddress, timeout: float) -> None:
        self.address = address
        self.timeout = max(timeout, 0.001)
        self._socket: socket.socket | None = None

    def post(self, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        """Status and body, the body cut one byte after the limit."""
        connection = self._connect()
        with contextlib.closing(connection):
            connection.request("POST", self.address.path, body, {"Content-Type": "application/json", **headers})
            response = connection.getresponse()
            return response.status, response.read(OUTPUT_LIMIT + 1)

    def abort(self) -> None:
        if self._socket:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _connect(self) -> http.client.HTTPConnection:
        *others, last = self.address.hosts
        for host in others:
            with contextlib.suppress(OSError):
                return self._open(host)
        return self._open(last)

    def _open(self, host: str) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(host, self.address.port, timeout=self.timeout)
        connection.connect()
        self._socket = connection.sock
        return connection


def parse_loopback_url(url: str) -> LoopbackAddress | str:
    """Parse the URL of a server on this machine; returns the reason as text when it is none."""
    try:
        parts = urllib.parse.urlsplit(url)
        port = parts.port or 80
        host = parts.hostname or ""
    except ValueError as error:
        return f"{url!r} is no address: {error}"
    if parts.scheme != "http":
        return f"{url!r} must start with http:// (only servers on this machine are asked)"
    # Not resolved by name: /etc/hosts or DNS could point `localhost` elsewhere.
    hosts = ("127.0.0.1", "::1") if host == "localhost" else (host,)
    if not all(_is_loopback(one) for one in hosts):
        return f"{url!r} is not on this machine; use 127.0.0.1, ::1 or localhost: events never leave it"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return LoopbackAddress(hosts, port, path)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _interpret_response(invocation: Invocation, status: int, body: bytes) -> HookAnswer:
    hook: Hook = invocation.hook
    if not 200 <= status < 300:
        text = shorten_text(body.decode("utf-8", "replace"))
        return Failure(Fault.CRASH, f"{describe_hook(hook)}: the server answered {status}: {text}")
    if len(body) > OUTPUT_LIMIT:
        return make_length_failure(hook)
    output = ProcessOutput(body)
    if output.text and not output.text.startswith("{"):
        return make_output_failure(hook, f"answered with what is no JSON object: {shorten_text(output.text)!r}")
    return interpret_output(hook, invocation.call.event, output)
