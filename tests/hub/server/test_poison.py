"""No event that a host could ship is refused for what it holds: one that is would keep back all that come after."""

import asyncio
import json
import random
import time

import msgspec
import pytest

from synaptic.hub.wire import EventBatch, HookRun, ShippedEvent
from tests.hub.server.kit import make_event, open_hub

TEXTS = (
    "", " ", "\t", "\n", "\r\n", "\\", "\\N", "\\.", "\x00", "a\x00b", "\ud800", "\udfff\ud800", "\x1b[2J", "\u202e",
    "\ufeff", "\x7f", "\x85", "\u2028",
    "'; DROP TABLE events; --", "%s", "%(x)s", "{}", "NULL", "é" * 300, "漢" * 5000, "x" * 100_000,
    "a/" * 20_000, "<>&|!:*()" * 50, "\U0010ffff", "\ue000" * 3, "'" * 500, '"' * 500, " ".join(map(str, range(5000))),
)  # fmt: skip
NUMBERS = (0, 1, -1, 2**31 - 1, 2**31, -(2**31) - 1, 2**62, 2**63 - 1, -(2**63))
TIMES = (0.0, 1e-300, -1.0, -1e18, 1.0, 4e9, 9e9, 1e18, 1e300, time.time() + 3 * 86400)
NAMES = (
    "call",
    "agent",
    "event",
    "session",
    "agent_id",
    "tool",
    "project",
    "kind",
    "by",
    "code",
    "tool_use",
    "subject",
    "reason",
)


@pytest.mark.parametrize("at", TIMES, ids=range(len(TIMES)))
def test_an_event_of_any_time_is_taken_and_what_comes_after_it(database, at):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join()
            answer = await one.ships(0, make_event(1), make_event(2, at=at), make_event(3))
            assert (answer.status_code, answer.json()) == (200, {"seq": 3})
            ((kept, day),) = await one.rows("SELECT at, day - current_date FROM events WHERE seq = 2")
            assert 0 <= kept <= time.time() + 2 * 86400 + 60
            assert day <= 1
            reader = await one.token()
            assert len((await one.http.get("/api/v1/events", headers=reader)).json()["events"]) == 3

    asyncio.run(go())


def test_an_event_with_whatever_texts_and_numbers_is_taken(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join()
            reader = await one.token()
            for seq in range(1, 81):
                event = make_hostile(random.Random(seq), seq)
                body = json.dumps(msgspec.to_builtins(EventBatch(seq - 1, (event,)))).encode()
                answer = await one.asks("POST", "/api/v1/events", body)
                assert (answer.status_code, answer.json()) == (200, {"seq": seq}), (event, answer.text)
            for what in ("events", "sessions", "denials", "latency", "days"):
                assert (await one.http.get(f"/api/v1/{what}?limit=500", headers=reader)).status_code == 200, what

    asyncio.run(go())


def make_hostile(source: random.Random, seq: int) -> ShippedEvent:
    def draw() -> str:
        return source.choice(TEXTS) + source.choice(("", "", source.choice(TEXTS)))

    runs = tuple(HookRun(draw(), draw(), source.choice(NUMBERS), draw()) for _ in range(source.choice((0, 1, 3))))
    runs += tuple(HookRun(f"hook {number}", "none") for number in range(source.choice((0, 0, 5000))))
    numbers = {name: source.choice(NUMBERS) for name in ("micros", "size", "exit", "quiet")}
    texts = {name: draw() for name in source.sample(NAMES, source.randrange(len(NAMES)))}
    usual = {"call": f"c{seq}", "agent": "a", "event": "E"}
    grants = tuple(draw() for _ in range(source.choice((0, 1, 5))))
    return ShippedEvent(seq=seq, at=source.choice(TIMES), runs=runs, grants=grants, **{**usual, **numbers, **texts})
