"""Who is let in: signatures, clocks, codes, tokens, and who is shut out."""

import asyncio
import gzip
import time

import msgspec

from synaptic.hub.server.secrets import MOST_TRIES
from synaptic.hub.wire import API, MOST_BATCH_BYTES, EventBatch, HostStatus
from tests.hub.server.kit import HubClient, make_event, open_hub

EVENTS = f"{API}/events"


def make_body(after: int, *seqs: int) -> bytes:
    return msgspec.json.encode(EventBatch(after, tuple(make_event(seq) for seq in seqs)))


def test_forged_and_old_signatures_are_refused(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            other = await one.another("other")
            body = make_body(0, 1)
            signed = one.sign("POST", EVENTS, body)
            stale = one.sign("POST", EVENTS, body, at=f"{time.time() - 301:.0f}")
            early = one.sign("POST", EVENTS, body, at=f"{time.time() + 301:.0f}")
            for method, target, sent, headers in (
                ("POST", EVENTS, make_body(0, 2), signed),
                ("POST", EVENTS + "?x=1", body, signed),
                ("PUT", f"{API}/status", body, signed),
                ("POST", EVENTS, body, {**signed, "x-synaptic-host": other.host}),
                ("POST", EVENTS, body, {**signed, "x-synaptic-host": "nobody-9"}),
                ("POST", EVENTS, body, {**signed, "x-synaptic-host": ""}),
                ("POST", EVENTS, body, {**signed, "x-synaptic-at": f"{time.time() + 1:.3f}"}),
                ("POST", EVENTS, body, {**signed, "x-synaptic-at": "nan"}),
                ("POST", EVENTS, body, {**signed, "x-synaptic-at": "1e9"}),
                ("POST", EVENTS, body, {**signed, "x-synaptic-signature": "AAAA"}),
                ("POST", EVENTS, body, {**signed, "x-synaptic-signature": "?"}),
                ("POST", EVENTS, body, stale),
                ("POST", EVENTS, body, early),
                ("POST", EVENTS, body, {}),
            ):
                answer = await one.http.request(method, target, content=sent, headers=headers)
                assert answer.status_code == 401, (target, headers, answer.text)
            assert await one.rows("SELECT count(*) FROM events") == [(0,)]
            assert (await one.http.post(EVENTS, content=body, headers=signed)).status_code == 200
            again = await one.http.post(EVENTS, content=body, headers=signed)
            assert (again.status_code, again.json()) == (409, {"seq": 1}), "sent again by anybody: nothing is doubled"
            assert await one.rows("SELECT count(*) FROM events") == [(1,)]

    asyncio.run(go())


def test_a_status_that_is_sent_again_later_does_not_turn_the_clock_back(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            old = msgspec.json.encode(HostStatus(version="1", newest=5))
            signed = one.sign("PUT", f"{API}/status", old, at=f"{time.time() - 5:.0f}")
            assert (await one.http.put(f"{API}/status", content=old, headers=signed)).status_code == 204
            assert (await one.puts("status", HostStatus(version="2", newest=9))).status_code == 204
            assert (await one.http.put(f"{API}/status", content=old, headers=signed)).status_code == 204
            assert await one.rows("SELECT version, newest FROM statuses") == [("2", 9)]

    asyncio.run(go())


def test_a_revoked_host_writes_and_reads_nothing(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            assert (await one.ships(0, make_event(1))).status_code == 200
            admin = await one.token("admin")
            assert (await one.http.post(f"{API}/hosts/{one.host}/revoke", headers=admin)).status_code == 204
            for method, target, body in (
                ("POST", EVENTS, make_body(1, 2)),
                ("PUT", f"{API}/status", msgspec.json.encode(HostStatus(version="9"))),
                ("PUT", f"{API}/questions", b"[]"),
                ("GET", f"{API}/news?after=0&bundle=0&wait=0", b""),
                ("GET", f"{API}/bundle", b""),
            ):
                answer = await one.asks(method, target, body)
                assert answer.status_code == 403, target
            assert await one.rows("SELECT count(*) FROM events") == [(1,)]
            assert (await one.join("one")).status_code == 403, "nor does its key come in by another code"

    asyncio.run(go())


def test_a_code_lets_one_host_in_once_and_for_so_long(database):
    async def go() -> None:
        async with open_hub(database, name="acme", organisation_key="RWkey") as one:
            code = await one.invite()
            joined = await one.join("Ada's laptop \x1b[31m", code)
            assert joined.json() == {"host": "ada-s-laptop-31m-1", "hub": "acme", "organisation_key": "RWkey"}
            assert (await one.join("again", code)).json()["host"] == one.host, "its answer may have got lost"
            thief = HubClient(one.hub, one.http)
            assert (await thief.join("thief", code)).status_code == 403
            assert (await thief.join("thief", await one.invite(hours=1e-9))).status_code == 403
            managed = await one.invite(is_managed=True)
            assert (await thief.join("thief", managed)).status_code == 403
            for wrong in ("", "x", "AAAA-AAAAA-AAAAA-AAAAA", "a\0b", "💥" * 50):
                assert (await thief.join("thief", wrong or " ")).status_code == 403
            assert (await thief.join("thief", managed, is_managed=True)).status_code == 200
            assert await one.rows("SELECT is_managed FROM hosts ORDER BY number") == [(False,), (True,)]

    asyncio.run(go())


def test_a_code_is_guessed_only_so_often(database):
    async def go() -> None:
        async with open_hub(database) as one:
            code = await one.invite()
            wrong = code[:5] + "AAAAA-AAAAA-AAAAA"
            for _ in range(MOST_TRIES):
                assert (await one.join("guess", wrong)).status_code == 403
            assert (await one.join("late", code)).status_code == 403, "not even the right one any more"
            found = [(await one.join("guess", wrong)).status_code for _ in range(60)]
            assert found[-1] == 429

    asyncio.run(go())


def test_persons_need_a_token_and_administrators_theirs(database):
    async def go() -> None:
        async with open_hub(database) as one:
            reader, admin = await one.token("reader"), await one.token("admin")
            wrong = {"authorization": "Bearer synhub_" + "x" * 43}
            for headers in ({}, wrong, {"authorization": "Bearer "}, {"authorization": "Basic eDp4"}):
                assert (await one.http.get(f"{API}/hosts", headers=headers)).status_code == 401
                assert (await one.http.post(f"{API}/codes", headers=headers)).status_code == 401
            assert (await one.http.get(f"{API}/hosts", headers=reader)).json() == {"hosts": []}
            for target in ("codes", "hosts/x/revoke", "bundle"):
                assert (await one.http.post(f"{API}/{target}", headers=reader)).status_code == 403
            made = await one.http.post(f"{API}/codes", headers=admin, content=b'{"hours":2}')
            assert (await one.join("by admin", made.json()["code"])).status_code == 200
            await one.rows("UPDATE tokens SET revoked_at = 1 RETURNING 1")
            assert (await one.http.get(f"{API}/hosts", headers=admin)).status_code == 401

    asyncio.run(go())


def test_bodies_are_unpacked_no_further_than_they_may_be(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            bomb = gzip.compress(b" " * (200 << 20), 9)
            assert len(bomb) < 1 << 20
            for body, status in (
                (bomb, 413),
                (gzip.compress(bomb), 400),
                (b"\x1f\x8b nonsense", 400),
                (gzip.compress(make_body(0, 1))[:-9], 400),
                (gzip.compress(make_body(0, 1)) * 2, 400),
                (gzip.compress(make_body(0, 1)), 200),
            ):
                headers = one.sign("POST", EVENTS, body, **{"content-encoding": "gzip"})
                answer = await one.http.post(EVENTS, content=body, headers=headers)
                assert answer.status_code == status, answer.text
            large = b" " * (MOST_BATCH_BYTES + 1)
            assert (await one.asks("POST", EVENTS, large)).status_code == 413
            other = await one.asks("POST", EVENTS, b"x", **{"content-encoding": "br"})
            assert other.status_code == 415

    asyncio.run(go())
