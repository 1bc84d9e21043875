"""What comes down: asked for only where somebody takes it, each answer once, and no hub keeps a host busy."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace
from synaptic.hub.shipping import news
from synaptic.hub.shipping.hub_client import HubClient
from synaptic.hub.shipping.link import HubLink
from synaptic.hub.shipping.news import read_seen, run_news
from synaptic.hub.shipping.plan import read_plan
from synaptic.hub.wire import HubNews, SignedAnswer
from tests.hub.shipping.conftest import Shipping


@pytest.fixture
def handlers(monkeypatch) -> Iterator[list]:
    made: list = []
    monkeypatch.setattr(news, "HANDLERS", made)
    yield made


def listen(shipping: Shipping, seconds: float) -> None:
    async def run() -> None:
        plan = read_plan(shipping.home)
        client = HubClient(plan.member, SecretKey.read(HubPlace.of(shipping.home).host_key))
        link = HubLink(shipping.home, plan, client, shipping.store, None, None, tuple)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await run_news(link)
        await client.close()

    asyncio.run(run())


def list_asked(shipping: Shipping) -> list[str]:
    return [target for _, target in shipping.hub.asked if "/news" in target]


def test_where_nobody_takes_it_nobody_asks(shipping: Shipping, handlers):
    listen(shipping, 1)
    assert list_asked(shipping) == []


def test_every_answer_is_handed_over_once(shipping: Shipping, handlers):
    taken = []

    async def take(link, found):
        taken.extend(one.number for one in found.answers)

    handlers.append(take)
    shipping.hub.news = HubNews((SignedAnswer(3, b"x", "s"), SignedAnswer(4, b"y", "s")))
    listen(shipping, 3)
    assert taken == [3, 4]
    assert read_seen(shipping.home, shipping.hub.url) == 4
    assert read_seen(shipping.home, "https://another.example") == 0
    assert "after=4" in list_asked(shipping)[-1]


def test_what_could_not_be_taken_in_comes_again(shipping: Shipping, handlers):
    taken = []

    async def take(link, found):
        taken.append([one.number for one in found.answers])
        if len(taken) == 1:
            raise OSError("the disk is full")

    handlers.append(take)
    shipping.hub.news = HubNews((SignedAnswer(3, b"x", "s"),))
    listen(shipping, 5)
    assert taken[:2] == [[3], [3]]


def test_a_hub_that_always_answers_at_once_keeps_nobody_busy(shipping: Shipping, handlers):
    async def take(link, found):
        pass

    handlers.append(take)
    shipping.hub.news = HubNews(bundle=7)
    started = time.monotonic()
    listen(shipping, 4)
    assert time.monotonic() - started < 6
    assert len(list_asked(shipping)) <= 3
