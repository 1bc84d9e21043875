"""Who asks: hosts by the signature over their request, persons by their token."""

import base64
import binascii
import time
from collections import OrderedDict, deque

from starlette.requests import Request

from synaptic.hub.keys import WrongSignatureError, make_request_text
from synaptic.hub.server.bodies import read_body
from synaptic.hub.server.database import HubDatabase
from synaptic.hub.server.hosts import KnownHost, find_host
from synaptic.hub.server.refused import RequestError
from synaptic.hub.server.secrets import FoundToken, find_token
from synaptic.hub.wire import SIGNATURE_SECONDS

MOST_KNOWN = 20_000
MOST_AT_ONCE = 8
"""Requests of one host that are read at the same moment."""
UNKNOWN = "unknown host, or a signature that is not its own"
TOKEN_HINT = "authorization: Bearer TOKEN; an administrator makes one: synaptic hub token add NAME --role reader"


class SignedRequest:
    """A request of a host that is known by its signature."""

    def __init__(self, host: KnownHost, at: float, body: bytes) -> None:
        self.host = host
        self.at = at
        self.body = body


class HubDoor:
    """Keys are kept in memory: a name never gets another one. Whether a host is revoked is asked each time."""

    def __init__(self, database: HubDatabase) -> None:
        self._database = database
        self._known: OrderedDict[str, KnownHost] = OrderedDict()
        self._reading: dict[str, int] = {}

    async def let_host_in(self, request: Request, most: int) -> SignedRequest:
        """The clock and the name come before the body: nobody unknown has one read. Raises RequestError."""
        name, at = request.headers.get("x-synaptic-host", ""), request.headers.get("x-synaptic-at", "")
        sent = _read_clock(at)
        host = await self._find(name)
        if self._reading.get(host.id, 0) >= MOST_AT_ONCE:
            raise RequestError(429, "this host asks too much at once", after=1)
        self._reading[host.id] = self._reading.get(host.id, 0) + 1
        try:
            body = await read_body(request, most)
        finally:
            self._reading[host.id] -= 1
            if not self._reading[host.id]:
                del self._reading[host.id]
        _check_signature(request, host, at, body)
        return SignedRequest(host, sent, body)

    async def let_person_in(self, request: Request, *, is_admin: bool = False) -> FoundToken:
        """Raises RequestError."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        found = None
        if scheme.lower() == "bearer" and token:
            async with self._database.connect() as connection:
                found = await find_token(connection, token.strip())
        if found is None:
            raise RequestError(401, "a token is needed", hint=TOKEN_HINT)
        if is_admin and found.role != "admin":
            raise RequestError(403, "this is for administrators")
        return found

    async def _find(self, name: str) -> KnownHost:
        if not name or len(name) > 100 or not name.isascii():
            raise RequestError(401, UNKNOWN)
        if (host := self._known.get(name)) is not None:
            return host
        async with self._database.connect() as connection:
            host = await find_host(connection, name)
        if host is None:
            raise RequestError(401, UNKNOWN)
        self._known[name] = host
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return host


class TryLimit:
    """So many wrong tries a minute, of all together: for what may be guessed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._tries: deque[float] = deque()

    def check(self) -> None:
        """Raises RequestError when there were too many."""
        now = time.monotonic()
        while self._tries and self._tries[0] < now - 60:
            self._tries.popleft()
        if len(self._tries) >= self._most:
            raise RequestError(429, "too many tries", after=60)

    def count(self) -> None:
        self._tries.append(time.monotonic())


def _read_clock(at: str) -> float:
    try:
        sent = float(at) if at.replace(".", "", 1).isdigit() and len(at) < 30 else -1.0
    except ValueError:
        sent = -1.0
    if not abs(time.time() - sent) <= SIGNATURE_SECONDS:
        hint = f"this hub's clock: {int(time.time())}"
        raise RequestError(401, "the request is too old, or the clocks differ", hint=hint)
    return sent


def _check_signature(request: Request, host: KnownHost, at: str, body: bytes) -> None:
    text = make_request_text(request.method, find_target(request), at, body)
    try:
        signature = base64.b64decode(request.headers.get("x-synaptic-signature", ""), validate=True)
        host.key.check(text, signature)
    except (binascii.Error, ValueError, WrongSignatureError) as error:
        raise RequestError(401, UNKNOWN) from error


def find_target(request: Request) -> str:
    """The path with its question, as it was sent."""
    raw = request.scope.get("raw_path") or request.scope["path"].encode()
    question = request.scope.get("query_string", b"")
    target = raw + (b"?" + question if question else b"")
    return str(target.decode("latin-1"))
