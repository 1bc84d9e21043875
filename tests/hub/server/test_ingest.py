"""Events come in once, in order, and whole."""

import asyncio

import msgspec

from synaptic.hub.wire import API, MOST_EVENTS, EventBatch
from tests.hub.server.kit import make_event, open_hub


def test_a_batch_is_written_once_and_the_mark_says_where_the_hub_stands(database):
    async def go() -> None:
        async with open_hub(database) as client:
            await client.join()
            assert (await client.ships(0, make_event(1), make_event(5))).json() == {"seq": 5}
            again = await client.ships(0, make_event(1), make_event(5))
            assert (again.status_code, again.json()) == (409, {"seq": 5})
            ahead = await client.ships(9, make_event(10))
            assert (ahead.status_code, ahead.json()) == (409, {"seq": 5})
            assert (await client.ships(5)).json() == {"seq": 5}
            assert await client.rows("SELECT seq FROM events ORDER BY seq") == [(1,), (5,)]

    asyncio.run(go())


def test_batches_that_no_host_of_ours_would_send_write_nothing(database):
    async def go() -> None:
        async with open_hub(database) as client:
            await client.join()
            for after, events in (
                (0, [make_event(2), make_event(1)]),
                (0, [make_event(1), make_event(1)]),
                (5, [make_event(5)]),
                (-1, [make_event(1)]),
                (0, [make_event(1), make_event(1 << 63)]),
            ):
                answer = await client.ships(after, *events)
                assert answer.status_code == 400, answer.text
                assert answer.json()["error"]
            many = await client.ships(0, *(make_event(n + 1) for n in range(MOST_EVENTS + 1)))
            assert many.status_code == 413
            for body in (b"", b"[", b"[1]", b'{"after":0}', b"[" * 100_000, b"\xff\xfe", b'{"after":0,"events":[[1]]}'):
                assert (await client.asks("POST", f"{API}/events", body)).status_code == 400
            assert await client.rows("SELECT count(*) FROM events") == [(0,)]

    asyncio.run(go())


def test_hostile_texts_are_kept_so_that_they_can_be_seen(database):
    texts = (
        "a\0b",
        "tab\tline\nreturn\r back\\slash \\N \\.",
        "\x1b[31mred",
        "é漢字🙂",
        '"quoted"',
        "x" * 50_000,
        "\\u0000",
    )

    async def go() -> None:
        async with open_hub(database) as client:
            await client.join()
            events = [make_event(n + 1, subject=text, session=text, project=text) for n, text in enumerate(texts)]
            assert (await client.ships(0, *events)).status_code == 200
            found = [row[0] for row in await client.rows("SELECT subject FROM events ORDER BY seq")]
            assert found[:5] == ["a␀b", *texts[1:5]]
            assert found[5].endswith("…")
            assert found[6] == "\\u0000"
            raw = msgspec.json.encode(EventBatch(7, (make_event(8, subject="HALF"),)))
            for n, half in enumerate((rb"\ud800", b"\xed\xa0\x80", rb"\ud83d\ude42", b"\xff")):
                body = raw.replace(b"HALF", half).replace(b":7,", b":%d," % (7 + n)).replace(b"[8,", b"[%d," % (8 + n))
                assert (await client.asks("POST", f"{API}/events", body)).status_code == 200
            found = [row[0] for row in await client.rows("SELECT subject FROM events WHERE seq > 7 ORDER BY seq")]
            assert found == ["�", "�" * 3, "🙂", "�"]

    asyncio.run(go())
