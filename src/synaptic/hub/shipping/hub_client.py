"""The hub over HTTP, as a host speaks to it: every request is signed, every answer is bounded, no proxy is believed."""

import asyncio
import gzip
import ssl
import time
from base64 import b64encode
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec

from synaptic.hub.address import check_url, make_trust
from synaptic.hub.extra import require_extra
from synaptic.hub.keys import SecretKey, make_request_text
from synaptic.hub.place import Membership
from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.shipping.reach import HubReach
from synaptic.hub.wire import (
    API,
    BatchAnswer,
    EventBatch,
    HostQuestion,
    HostStatus,
    HubNews,
    JoinAnswer,
    JoinRequest,
    SignedBundle,
)
from synaptic.model.errors import SynapticError
from synaptic.work.event_words import show_line

with require_extra("hub"):
    import httpx

T = TypeVar("T")

CONNECT_SECONDS, ANSWER_SECONDS = 10.0, 60.0
WAIT_GRACE = 20.0
"""Seconds beyond those for which the hub was asked to wait."""
MOST_ANSWER = 1 << 20
MOST_BUNDLE = 16 << 20
MOST_WORDS = 300
MOST_HOST = 100
GZIP_FROM = 1024
GZIP_LEVEL = 1
"""Events pack to a tenth with the quickest level; the next ones take twice as long for little."""
MOST_PAUSE = 3600.0


class HubAnswer(msgspec.Struct, frozen=True):
    """What came back."""

    status: int
    body: bytes
    pause: float = 0.0
    """When the hub says to come again; 0: it did not say."""


class HubRequest(msgspec.Struct, frozen=True):
    """One request, by the name that the contract gives it."""

    method: str
    path: str
    content: bytes = b""
    seconds: float = ANSWER_SECONDS
    most: int = MOST_ANSWER


KNOCK = HubRequest("GET", "/health", seconds=CONNECT_SECONDS)
"""Whatever is answered to it, somebody is there."""


class HubClient:
    """One host's connection to its hub. Raises SynapticError for an address that must not be used."""

    def __init__(self, member: Membership, key: SecretKey | None = None) -> None:
        self._member, self._key = member, key
        self._base = check_url(member.url)
        self._reach = HubReach()
        if key is not None and not is_host_name(member.host):
            raise SynapticError("this is no name of a host", where=show_line(member.host)[:MOST_WORDS])
        self._http = httpx.AsyncClient(
            trust_env=False,  # a proxy or certificate that a repository's variables name would read all
            verify=make_trust(member.certificate),
            follow_redirects=False,
            timeout=httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=4),
            headers={"user-agent": "synaptic-host", "accept-encoding": "identity"},
        )

    @property
    def where(self) -> str:
        return self._base

    async def join(self, request: JoinRequest) -> JoinAnswer:
        """The first words, which nobody signs. Raises DestinationError."""
        answer = await self.ask(HubRequest("POST", "/join", msgspec.json.encode(request)))
        return self._read(self._require(answer, 200), JoinAnswer)

    async def send_batch(self, batch: EventBatch) -> tuple[int, BatchAnswer]:
        """The status (200, 409, or one of a batch that is not taken as it is: 400, 413, 422), and where the hub stands.

        Raises DestinationError for every other.
        """
        answer = await self.ask(HubRequest("POST", "/events", msgspec.json.encode(batch)))
        if answer.status in (400, 413, 422):
            return answer.status, BatchAnswer(batch.after)
        return answer.status, self._read(self._require(answer, 200, 409), BatchAnswer)

    async def put_status(self, status: HostStatus) -> None:
        """Raises DestinationError."""
        self._require(await self.ask(HubRequest("PUT", "/status", msgspec.json.encode(status))), 204)

    async def put_questions(self, questions: tuple[HostQuestion, ...]) -> None:
        """All that are open now. Raises DestinationError."""
        self._require(await self.ask(HubRequest("PUT", "/questions", msgspec.json.encode(questions))), 204)

    async def wait_for_news(self, after: int, bundle: int, seconds: float) -> HubNews:
        """News after the last answer and beside the bundle that are known here. Raises DestinationError."""
        asked = urlencode({"after": after, "bundle": bundle, "wait": f"{seconds:g}"})
        answer = await self.ask(HubRequest("GET", f"/news?{asked}", seconds=seconds + WAIT_GRACE, most=MOST_BUNDLE))
        return self._read(self._require(answer, 200), HubNews)

    async def fetch_bundle(self) -> SignedBundle | None:
        """What the hub offers; None where it has none. Raises DestinationError."""
        answer = await self.ask(HubRequest("GET", "/bundle", most=MOST_BUNDLE))
        return None if answer.status == 404 else self._read(self._require(answer, 200), SignedBundle)

    async def ask(self, request: HubRequest) -> HubAnswer:
        """One request and its answer, whatever its status. Raises DestinationError where there is none."""
        await self.require_reach()
        try:
            return await self._ask_once(request)
        except DestinationError as error:
            self._reach.lose(error)
            raise

    async def require_reach(self) -> None:
        """Return where the hub can be reached as far as is known. Raises DestinationError, soon where it cannot.

        Who has to make something ready first asks here before.
        """
        await self._reach.require(lambda: self._ask_once(KNOCK))

    async def close(self) -> None:
        await self._http.aclose()

    async def _ask_once(self, request: HubRequest) -> HubAnswer:
        try:
            async with asyncio.timeout(request.seconds):
                return await self._ask(request)
        except TimeoutError as error:
            raise DestinationError("the hub does not answer", where=self._base) from error
        except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError) as error:
            what = show_line(str(error) or type(error).__name__)[:MOST_WORDS]
            raise DestinationError(f"the hub cannot be reached: {what}", where=self._base) from error

    async def _ask(self, request: HubRequest) -> HubAnswer:
        body, headers = _pack(request.content)
        headers |= self._sign(request, body)
        sent = self._http.stream(
            request.method,
            f"{self._base}{API}{request.path}",
            content=body,
            headers=headers,
            timeout=httpx.Timeout(request.seconds, connect=CONNECT_SECONDS),
        )
        async with sent as answer:
            found = b""
            async for piece in answer.aiter_raw():
                found += piece
                if len(found) > request.most:
                    raise DestinationError("the hub answers without end", where=self._base)
            return HubAnswer(answer.status_code, found, _read_pause(answer.headers.get("retry-after", "")))

    def _sign(self, request: HubRequest, body: bytes) -> dict[str, str]:
        if self._key is None:
            return {}
        at = f"{time.time():.3f}"
        # The path from `API` on: what a proxy puts before it, the hub does not see.
        signature = self._key.sign_plain(make_request_text(request.method, f"{API}{request.path}", at, body))
        return {
            "x-synaptic-host": self._member.host,
            "x-synaptic-at": at,
            "x-synaptic-signature": b64encode(signature).decode(),
        }

    def _require(self, answer: HubAnswer, *good: int) -> HubAnswer:
        """Raises DestinationError for every other status."""
        if answer.status in good:
            return answer
        words = _read_words(answer.body)
        told = f"the hub says {answer.status}" + (f": {words}" if words else "")
        hints = {
            401: "look at this machine's clock and at its key; or `synaptic leave`, then `synaptic join`",
            403: "ask whoever runs the hub; a host that was revoked has to join again",
        }
        raise DestinationError(
            told,
            where=self._base,
            hint=hints.get(answer.status, ""),
            seconds=answer.pause,
            # What it does not take as it is will be the same the next time.
            is_lasting=400 <= answer.status < 500 and answer.status not in (408, 425, 429),
        )

    def _read(self, answer: HubAnswer, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(answer.body, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise DestinationError("the answer is not that of a hub", where=self._base) from error


def is_host_name(name: str) -> bool:
    """Whether a name that a hub has given can stand in a request."""
    return 0 < len(name) <= MOST_HOST and name.isascii() and name.isprintable() and name == name.strip()


def _pack(content: bytes) -> tuple[bytes, dict[str, str]]:
    headers = {"content-type": "application/json"} if content else {}
    if len(content) < GZIP_FROM:
        return content, headers
    return gzip.compress(content, GZIP_LEVEL, mtime=0), {**headers, "content-encoding": "gzip"}


def _read_pause(said: str) -> float:
    return min(float(said), MOST_PAUSE) if said.isascii() and said.isdecimal() and len(said) < 10 else 0.0


def _read_words(body: bytes) -> str:
    """What the hub says about it; it is somebody else's text."""
    try:
        found: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    words = [found.get(key) for key in ("error", "hint")] if isinstance(found, dict) else []
    return show_line("; ".join(word[:MOST_WORDS] for word in words if isinstance(word, str) and word))[:MOST_WORDS]
