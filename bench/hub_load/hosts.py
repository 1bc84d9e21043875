"""Simulated hosts: shippers without agents, which sign and send over a connection each."""

import asyncio
import time
from base64 import b64encode
from collections.abc import Callable

import msgspec
import psycopg

from bench.hub_load.batches import HostEvents
from synaptic.hub.keys import SecretKey, make_request_text
from synaptic.hub.wire import API, BatchAnswer

PULSE_SECONDS = 0.5
"""The product's shipper looks so often whether there is something new."""
TARGET = f"{API}/events"


class Refused(Exception):
    """A batch was not taken."""


class SimulatedHost:
    """One of them, with a connection of its own."""

    def __init__(self, host: int, name: str, key: SecretKey, port: int) -> None:
        self.name, self.events = name, HostEvents(22, host)
        self._key, self._port = key._load(), port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def send(self, body: bytes) -> int:
        """The hub's mark. Raises Refused."""
        at = str(int(time.time()))
        signature = b64encode(self._key.sign(make_request_text("POST", TARGET, at, body))).decode()
        packed = "content-encoding: gzip\r\n" if body[:2] == b"\x1f\x8b" else ""
        head = (
            f"POST {TARGET} HTTP/1.1\r\nhost: hub\r\ncontent-type: application/json\r\n{packed}"
            f"x-synaptic-host: {self.name}\r\nx-synaptic-at: {at}\r\nx-synaptic-signature: {signature}\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        )
        while True:
            status, answer = await self._ask(head.encode() + body)
            if status == 200:
                return msgspec.json.decode(answer, type=BatchAnswer).seq
            if status not in (429, 503):
                raise Refused(f"{self.name}: {status} {answer[:200]!r}")
            await asyncio.sleep(0.5)

    async def _ask(self, request: bytes) -> tuple[int, bytes]:
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        assert self._reader
        self._writer.write(request)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length: ")[2].split(b"\r\n")[0])
        return int(head.split(b" ", 2)[1]), await self._reader.readexactly(length)

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def add_hosts(database: str, port: int, count: int) -> list[SimulatedHost]:
    """So many new ones, put into the hub's database as if they had joined: a hub lets sixty join in a minute."""
    keys = [SecretKey.make() for _ in range(count)]
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT coalesce(max(number), 0) FROM hosts").fetchone()
        first = int(row[0]) + 1 if row else 1
        names = [f"developer-{first + number}" for number in range(count)]
        with connection.cursor() as cursor, cursor.copy("COPY hosts (id, name, key, joined_at) FROM STDIN") as copy:
            for name, key in zip(names, keys, strict=True):
                copy.write_row((name, name, key.public.text, time.time()))
    given = enumerate(zip(names, keys, strict=True), first)
    return [SimulatedHost(host, name, key, port) for host, (name, key) in given]


async def ship_backlog(
    hosts: list[SimulatedHost], total: int, size: int, begin: Callable[[], object]
) -> tuple[float, list[float]]:
    """All hosts at once bring what has gathered, in batches of so many. Seconds, and those of each request.

    Batches are made before the clock runs: making them is the work of other machines.
    """
    batches = max(total // len(hosts) // size, 1)
    now = time.time()
    ready = [[host.events.pack(size, now - 60) for _ in range(batches)] for host in hosts]
    times: list[float] = []
    begin()
    began = time.perf_counter()
    await asyncio.gather(*(_bring(host, bodies, times) for host, bodies in zip(hosts, ready, strict=True)))
    return time.perf_counter() - began, times


async def _bring(host: SimulatedHost, bodies: list[bytes], times: list[float]) -> None:
    for body in bodies:
        sent = time.perf_counter()
        await host.send(body)
        times.append(time.perf_counter() - sent)
    await host.close()


async def ship_live(hosts: list[SimulatedHost], rate: float, seconds: float) -> list[float]:
    """Every host has events now and then, so many a second together, and ships as the product does. Their lags."""
    lags: list[float] = []
    each = rate / len(hosts)
    await asyncio.gather(*(_live(host, each, seconds, lags) for host in hosts))
    return lags


async def _live(host: SimulatedHost, rate: float, seconds: float, lags: list[float]) -> None:
    source = host.events._source
    until = time.monotonic() + seconds
    await asyncio.sleep(source.random() * PULSE_SECONDS)
    next_at, waiting = time.monotonic() + source.expovariate(rate), []
    while time.monotonic() < until:
        now = time.monotonic()
        while next_at <= now:
            waiting.append(next_at)
            next_at += source.expovariate(rate)
        if waiting:
            await host.send(host.events.pack(len(waiting), time.time() - (now - waiting[0])))
            done = time.monotonic()
            lags += [done - at for at in waiting]
            waiting = []
        await asyncio.sleep(max(PULSE_SECONDS - (time.monotonic() - now), 0.01))
    await host.close()
