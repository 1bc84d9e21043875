"""A hub that cannot be reached is asked for by one small question, whoever waits for it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from synaptic.hub.keys import SecretKey
from synaptic.hub.place import Membership
from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.shipping.hub_client import KNOCK, HubClient, HubRequest
from synaptic.hub.shipping.patience import MOST_SECONDS
from synaptic.hub.shipping.reach import HubReach
from tests.hub.shipping.fake_hub import FakeHub

HEAVY = HubRequest("POST", "/events", b"x" * 5000)


class Door:
    """It counts who knocks."""

    def __init__(self) -> None:
        self.is_open, self.knocks = False, 0

    async def knock(self) -> None:
        self.knocks += 1
        await asyncio.sleep(0)
        if not self.is_open:
            raise DestinationError("nobody is there", where="http://hub", hint="wait")


def test_as_long_as_nothing_failed_nobody_knocks():
    door = Door()
    asyncio.run(HubReach().require(door.knock))
    assert door.knocks == 0


def test_four_who_wait_knock_once_and_are_told_when_to_come_again():
    door, reach = Door(), HubReach()
    make_due(reach)

    async def ask() -> list[object]:
        return await asyncio.gather(*(reach.require(door.knock) for _ in range(4)), return_exceptions=True)

    answers = asyncio.run(ask())
    assert door.knocks == 1
    assert all(isinstance(one, DestinationError) and one.seconds > 0 for one in answers)
    assert {str(one) for one in answers[:1]} == {"http://hub: nobody is there (wait)"}


def test_who_comes_while_somebody_knocks_waits_for_what_is_heard():
    """However long that takes: at the end of a slow line it must not cost another pause."""
    reach, heard = HubReach(), []

    async def knock_slowly() -> None:
        await asyncio.sleep(0.05)
        heard.append("an answer")

    async def ask() -> None:
        await asyncio.gather(*(reach.require(knock_slowly) for _ in range(4)))

    make_due(reach)
    asyncio.run(ask())
    assert heard == ["an answer"]


def test_many_failures_in_one_moment_are_one_and_the_first_knock_waits_for_nothing():
    reach, door = HubReach(), Door()
    for _ in range(40):
        reach.lose(DestinationError("away"))
    with pytest.raises(DestinationError) as found:
        asyncio.run(reach.require(door.knock))
    assert door.knocks == 1
    assert found.value.seconds <= 2


def test_pauses_grow_with_the_knocks_and_no_further_than_half_a_minute():
    door, reach = Door(), HubReach()
    pauses = []
    for _ in range(12):
        make_due(reach)
        with pytest.raises(DestinationError) as found:
            asyncio.run(reach.require(door.knock))
        pauses.append(found.value.seconds)
    assert MOST_SECONDS / 2 <= pauses[-1] <= MOST_SECONDS
    assert pauses[0] <= 2


def test_once_it_answers_everybody_may_go_on_and_a_new_failure_is_the_first_again():
    door, reach = Door(), HubReach()
    for _ in range(8):
        make_due(reach)
        with pytest.raises(DestinationError):
            asyncio.run(reach.require(door.knock))
    door.is_open = True
    make_due(reach)
    for _ in range(3):
        asyncio.run(reach.require(door.knock))
    assert door.knocks == 9
    door.is_open = False
    reach.lose(DestinationError("away again"))
    with pytest.raises(DestinationError) as found:
        asyncio.run(reach.require(door.knock))
    assert found.value.seconds <= 2


def test_a_knock_that_is_broken_off_keeps_nobody_waiting_for_ever():
    reach = HubReach()
    make_due(reach)

    async def hang() -> None:
        await asyncio.sleep(60)

    async def run() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await reach.require(hang)
        await reach.require(answer)

    asyncio.run(run())


async def answer() -> None:
    """Somebody is there."""


def test_nothing_heavy_leaves_before_the_hub_has_answered_something_small(hub: FakeHub):
    async def use(client: HubClient) -> None:
        with hub.away(), pytest.raises(DestinationError, match="cannot be reached"):
            await client.ask(HEAVY)
        make_due(client._reach)
        await client.ask(HEAVY)

    with_client(hub, use)
    assert [path for _, path in hub.asked] == ["/api/v1/health", "/api/v1/events"]


def test_a_hub_that_refuses_the_small_question_is_there(hub: FakeHub):
    async def use(client: HubClient) -> None:
        with hub.away(), pytest.raises(DestinationError):
            await client.ask(HEAVY)
        hub.refusal = (503, {}, b"{}")
        make_due(client._reach)
        assert (await client.ask(HEAVY)).status == 503

    with_client(hub, use)


def test_while_it_is_away_no_connection_is_tried_before_its_time(hub: FakeHub):
    async def use(client: HubClient) -> None:
        with hub.away():
            for _ in range(2):
                with pytest.raises(DestinationError):
                    await client.ask(HEAVY)
        for _ in range(20):
            with pytest.raises(DestinationError) as found:
                await client.ask(HEAVY)
            assert found.value.seconds > 0

    with_client(hub, use)
    assert hub.asked == []
    assert KNOCK.seconds <= 10


def with_client(hub: FakeHub, use: Callable[[HubClient], Awaitable[None]]) -> None:
    async def run() -> None:
        client = HubClient(Membership(url=hub.url, host="laptop"), SecretKey.make())
        try:
            await use(client)
        finally:
            await client.close()

    asyncio.run(run())


def make_due(reach: HubReach) -> None:
    """It could not be reached a while ago."""
    reach.lose(DestinationError("away"))
    reach._next = 0.0
