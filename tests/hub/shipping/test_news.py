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


def test_a_number_that_nobody_reaches_keeps_later_answers_away_for_a_while_only(
    shipping: Shipping, handlers, monkeypatch
):
    taken = []

    async def take(link, found):
        taken.extend(one.number for one in found.answers)

    handlers.append(take)
    monkeypatch.setattr(news, "WHOLE_SECONDS", 1.5)
    monkeypatch.setattr(news, "IDLE_SECONDS", 0.5)
    shipping.hub.news = HubNews((SignedAnswer(news.MOST_NUMBER, b"x", "s"), SignedAnswer(10**30, b"x", "s")))
    listen(shipping, 1)
    assert taken == [news.MOST_NUMBER]
    shipping.hub.news = HubNews((SignedAnswer(5, b"y", "s"),))
    listen(shipping, 4)
    assert 5 in taken
    assert read_seen(shipping.home, shipping.hub.url) == 5


def test_a_number_that_no_hub_takes_is_asked_for_by_nobody(shipping: Shipping, handlers):
    handlers.append(_pass)
    news.write_seen(shipping.home, news.SeenNews(10**30, shipping.hub.url))
    listen(shipping, 1)
    assert "after=0" in list_asked(shipping)[0]


def test_one_handler_that_fails_keeps_nothing_from_the_others(shipping: Shipping, handlers):
    taken = []

    async def fail(link, found):
        raise OSError("no bundle can be fetched")

    async def take(link, found):
        taken.extend(one.number for one in found.answers)

    handlers.extend((fail, take))
    shipping.hub.news = HubNews((SignedAnswer(3, b"x", "s"),))
    listen(shipping, 1)
    assert taken[:1] == [3]
    assert read_seen(shipping.home, shipping.hub.url) == 0


async def _pass(link, found) -> None:
    pass
