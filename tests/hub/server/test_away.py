"""A database that is killed, away, or slow: nothing is lost or doubled, and nobody sees a traceback."""

import asyncio
import os
import signal
import time

import pytest

from synaptic.hub.server import database as database_module
from synaptic.hub.server import ingest
from synaptic.hub.server.throwaway import ThrowawayPostgres
from synaptic.hub.wire import API
from synaptic.model.errors import SynapticError
from tests.hub.server.kit import HubClient, make_event, open_hub


@pytest.fixture
def own_server():
    with ThrowawayPostgres() as server:
        yield server


def start_again(server: ThrowawayPostgres) -> None:
    """A new server refuses as long as processes of the one that was killed hold its memory."""
    for _ in range(50):
        try:
            return server.start()
        except SynapticError:
            server.kill()
            time.sleep(0.1)
    raise AssertionError("it did not start again")


async def ship_until(client: HubClient, after: int, last: int) -> int:
    """As a shipper does it: again where the hub is away, on from where the hub says it stands."""
    for _ in range(400):
        events = [make_event(seq) for seq in range(after + 1, min(after + 21, last + 1))]
        answer = await client.ships(after, *events)
        assert answer.status_code in (200, 409, 503), answer.text
        if answer.status_code == 503:
            assert int(answer.headers["retry-after"]) > 0
            assert set(answer.json()) <= {"error", "hint"}
            await asyncio.sleep(0.05)
            continue
        after = answer.json()["seq"]
        if after >= last:
            return after
    raise AssertionError("it never came in")


def test_a_database_that_is_killed_in_the_middle_of_a_batch(own_server, monkeypatch):
    """Killed when rows are copied and not committed, and when the commit is on its way."""

    async def go() -> None:
        async with open_hub(own_server.url) as client:
            await client.join()
            assert (await client.ships(0, make_event(1))).status_code == 200
            whole = ingest._write
            delays = iter((0.0, None, 0.002, None, 0.004, None, 0.006, None, 0.01))

            async def write(*given):
                if (delay := next(delays, None)) is not None:
                    task = asyncio.ensure_future(whole(*given))
                    await asyncio.sleep(delay)
                    await asyncio.to_thread(own_server.kill)
                    await asyncio.to_thread(start_again, own_server)
                    return await task
                return await whole(*given)

            monkeypatch.setattr(ingest, "_write", write)
            assert await ship_until(client, 1, 300) == 300
            found = await client.rows("SELECT array_agg(seq ORDER BY seq) FROM events")
            assert found == [(list(range(1, 301)),)]
            assert await client.rows("SELECT sum(amount)::int FROM tallies WHERE hook = ''") == [(300,)]

    asyncio.run(go())


def test_a_hub_starts_without_its_database_and_goes_on_when_it_comes(own_server):
    own_server.kill()
    asked = b'{"code":"","name":"","key":"","version":""}'

    async def go() -> None:
        async with open_hub(own_server.url) as client:
            for method, target in (("GET", "health"), ("POST", "join"), ("GET", "hosts"), ("POST", "events")):
                answer = await client.http.request(method, f"{API}/{target}", content=asked)
                assert answer.status_code == 503, (target, answer.text)
                assert answer.headers["retry-after"]
            await asyncio.to_thread(start_again, own_server)
            for _ in range(200):
                if (await client.http.get(f"{API}/health")).status_code == 200:
                    break
                await asyncio.sleep(0.05)
            await client.join()
            assert (await client.ships(0, make_event(1))).status_code == 200
            await asyncio.to_thread(own_server.kill)
            assert (await client.ships(1, make_event(2))).status_code == 503
            assert (await client.http.get(f"{API}/health")).status_code == 503
            await asyncio.to_thread(start_again, own_server)
            assert await ship_until(client, 1, 2) == 2

    asyncio.run(go())


def test_a_database_that_hangs_holds_nobody_for_ever(own_server, monkeypatch):
    monkeypatch.setattr(database_module, "HANG_SECONDS", 1.0)

    async def go() -> None:
        async with open_hub(own_server.url) as client:
            await client.join()
            assert (await client.ships(0, make_event(1))).status_code == 200
            pids = [pid for (pid,) in await client.rows("SELECT pid FROM pg_stat_activity")]
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            try:
                sent = [client.ships(1, make_event(2)) for _ in range(6)]
                answers = await asyncio.wait_for(asyncio.gather(*sent), 30)
            finally:
                for pid in pids:
                    os.kill(pid, signal.SIGCONT)
            assert {answer.status_code for answer in answers} <= {200, 409, 429, 503}
            assert await ship_until(client, 1, 2) == 2
            assert await client.rows("SELECT seq FROM events ORDER BY seq") == [(1,), (2,)]

    asyncio.run(go())


def test_what_breaks_inside_is_told_in_one_sentence(database, monkeypatch):
    async def go() -> None:
        async with open_hub(database) as client:
            await client.join()

            async def broken(*_):
                raise RuntimeError("secret of the inside")

            monkeypatch.setattr(ingest, "_write", broken)
            answer = await client.ships(0, make_event(1))
            assert answer.status_code == 500
            assert "secret" not in answer.text
            assert (await client.http.get("/nothing")).json() == {"error": "Not Found"}

    asyncio.run(go())
