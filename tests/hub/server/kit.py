"""Hosts that sign, and a hub in this process over real requests."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import msgspec

from synaptic.hub.keys import SecretKey, make_request_text
from synaptic.hub.server.app import build_hub
from synaptic.hub.server.hub import Hub, HubSettings
from synaptic.hub.server.secrets import add_token, make_code
from synaptic.hub.wire import API, EventBatch, HookRun, JoinRequest, ShippedEvent


def make_event(seq: int, **given: object) -> ShippedEvent:
    usual = {"call": f"c{seq}", "at": time.time() - 60 + seq / 1000, "agent": "claude", "event": "PreToolUse",
             "session": "s1", "tool": "Bash", "project": "~/work/app", "kind": "none", "micros": 800,
             "runs": (HookRun("git.force-push", "none", 40),)}  # fmt: skip
    return ShippedEvent(seq=seq, **{**usual, **given})


class HubClient:
    """Asks the hub as a host does, and as persons do."""

    def __init__(self, hub: Hub, http: httpx.AsyncClient) -> None:
        self.hub = hub
        self.http = http
        self.key = SecretKey.make()
        self.host = ""

    @property
    def database(self):
        return self.hub.parts.database

    async def invite(self, *, hours: float = 1, is_managed: bool = False) -> str:
        async with self.database.act_as_admin() as connection:
            return (await make_code(connection, hours, is_managed))[0]

    async def join(self, name: str = "laptop", code: str = "", **given: object) -> httpx.Response:
        asked = JoinRequest(code=code or await self.invite(), name=name, key=self.key.public.text, version="1", **given)
        answer = await self.http.post(f"{API}/join", content=msgspec.json.encode(asked))
        if answer.status_code == 200:
            self.host = answer.json()["host"]
        return answer

    async def another(self, name: str = "runner") -> "HubClient":
        other = HubClient(self.hub, self.http)
        assert (await other.join(name)).status_code == 200
        return other

    async def asks(self, method: str, target: str, body: bytes = b"", **given: str) -> httpx.Response:
        return await self.http.request(method, target, content=body, headers=self.sign(method, target, body, **given))

    def sign(self, method: str, target: str, body: bytes, at: str = "", **headers: str) -> dict[str, str]:
        import base64

        at = at or f"{time.time():.3f}"
        signature = base64.b64encode(self.key.sign_plain(make_request_text(method, target, at, body))).decode()
        return {"x-synaptic-host": self.host, "x-synaptic-at": at, "x-synaptic-signature": signature, **headers}

    async def ships(self, after: int, *events: ShippedEvent) -> httpx.Response:
        return await self.asks("POST", f"{API}/events", msgspec.json.encode(EventBatch(after, events)))

    async def puts(self, what: str, value: object) -> httpx.Response:
        return await self.asks("PUT", f"{API}/{what}", msgspec.json.encode(value))

    async def token(self, role: str = "reader", name: str = "") -> dict[str, str]:
        async with self.database.act_as_admin() as connection:
            token = await add_token(connection, name or role, role)
        return {"authorization": f"Bearer {token}"}

    async def rows(self, statement: str, *given: object) -> list[tuple]:
        async with self.database.connect() as connection:
            found = await connection.execute(statement, given or None)
            return await found.fetchall() if found.description else []


@asynccontextmanager
async def open_hub(database: str, **settings: object) -> AsyncIterator[HubClient]:
    hub = Hub(HubSettings(database=database, **settings))
    app = build_hub(hub)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    await hub.open()
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://hub") as http:
            yield HubClient(hub, http)
    finally:
        await hub.close()
