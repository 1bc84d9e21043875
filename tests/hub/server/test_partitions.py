"""A table for each day: ahead, on demand, and gone with its time."""

import asyncio
import time
from datetime import UTC, date, datetime, timedelta

from synaptic.hub.server.incoming import find_days
from tests.hub.server.kit import make_event, open_hub

DAY = 86400.0
LIST = """
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = %s::regclass ORDER BY 1
"""


def test_days_are_made_ahead_and_when_they_are_needed(database):
    async def go() -> None:
        async with open_hub(database, retention_days=30) as client:
            for _ in range(100):
                if len(await client.rows(LIST, "events")) >= 9:
                    break
                await asyncio.sleep(0.05)
            today = datetime.now(UTC).date()
            ahead = [f"events_{today + timedelta(n):%Y%m%d}" for n in range(-1, 8)]
            assert [name for (name,) in await client.rows(LIST, "events")] == ahead
            await client.join()
            now = time.time()
            events = [make_event(1, at=now - 400 * DAY), make_event(2, at=now - 10 * DAY), make_event(3, at=now + DAY)]
            assert (await client.ships(0, *events)).status_code == 200
            found = [day for (day,) in await client.rows("SELECT day FROM events ORDER BY seq")]
            assert found == [today - timedelta(30), today - timedelta(10), today + timedelta(1)]

    asyncio.run(go())


def test_days_are_clamped_to_what_is_kept():
    now = datetime(2026, 3, 10, 12, tzinfo=UTC).timestamp()
    assert find_days([0.0, now - 5 * DAY, now, now + 2 * DAY], now, 7) == (
        date(2026, 3, 3), date(2026, 3, 5), date(2026, 3, 10), date(2026, 3, 11)
    )  # fmt: skip


def test_old_days_go_whole_while_hosts_write_and_readers_read(database):
    async def go() -> None:
        async with open_hub(database, retention_days=30) as client:
            await client.join()
            now = time.time()
            old = [make_event(n, at=now - (30 - n) * DAY, session=f"s{n}") for n in range(1, 6)]
            assert (await client.ships(0, *old)).status_code == 200
            assert (await client.ships(5, make_event(6))).status_code == 200
            client.hub.settings = type(client.hub.settings)(database=database, retention_days=10)
            async with client.database.act_as_reader() as reading:
                await reading.execute("SELECT count(*) FROM sessions")
                gone, sent = await asyncio.gather(client.hub.keep_once(), client.ships(6, make_event(7)))
            assert sent.status_code == 200
            assert len(gone) == 10
            assert await client.rows("SELECT seq FROM events ORDER BY seq") == [(6,), (7,)]
            assert await client.rows("SELECT session FROM sessions") == [("s1",)]
            left = "SELECT count(*) FROM pg_class WHERE relname ~ '^(events|tallies)_[0-9]{8}$' AND NOT relispartition"
            assert await client.rows(left) == [(0,)]
            assert (await client.ships(7, make_event(8, at=now - 29 * DAY))).status_code == 200

    asyncio.run(go())


def test_a_day_that_was_let_go_of_and_not_dropped_goes_next_time(database):
    async def go() -> None:
        async with open_hub(database, retention_days=30) as client:
            await client.join()
            await client.ships(0, make_event(1, at=time.time() - 20 * DAY))
            day = datetime.now(UTC).date() - timedelta(20)
            name = f"events_{day:%Y%m%d}"
            await client.rows(f"ALTER TABLE events DETACH PARTITION {name}")
            client.hub.settings = type(client.hub.settings)(database=database, retention_days=10)
            await client.hub.keep_once()
            assert await client.rows("SELECT to_regclass(%s)::text", name) == [(None,)]

    asyncio.run(go())
