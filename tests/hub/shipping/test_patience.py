"""Pauses between attempts: they grow, they end somewhere, and no two hosts have the same."""

import asyncio

import pytest

from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.shipping.patience import (
    FIRST_SECONDS,
    MOST_ASKED_SECONDS,
    MOST_SECONDS,
    SELDOM_SECONDS,
    Patience,
    grow_pause,
)

HOSTS = 10_000


def test_pauses_grow_to_half_a_minute_and_no_further():
    assert 0 < grow_pause(1) <= FIRST_SECONDS
    assert all(MOST_SECONDS / 2 <= grow_pause(failures) <= MOST_SECONDS for failures in (6, 10, 100, 100_000))
    assert MOST_SECONDS <= 30


def test_ten_thousand_hosts_that_lost_the_hub_together_do_not_come_back_together():
    """Not with the longest pause either, where they are when it has been away for an hour."""
    pauses = sorted(grow_pause(100) for _ in range(HOSTS))
    in_each_second = [sum(second <= pause < second + 1 for pause in pauses) for second in range(int(MOST_SECONDS))]
    assert max(in_each_second) < HOSTS / 10


def test_a_failure_is_one_however_often_its_pause_is_asked_for():
    patience, error = Patience(), DestinationError("away")
    assert len({patience.choose_pause(error) for _ in range(50)}) == 1
    assert float(patience.choose_pause(DestinationError("away"))) <= 2 * FIRST_SECONDS


def test_what_a_destination_says_itself_counts_within_bounds():
    assert 7 <= float(Patience().choose_pause(DestinationError("full", seconds=7))) <= 8
    assert float(Patience().choose_pause(DestinationError("full", seconds=1e9))) <= MOST_ASKED_SECONDS + 1
    assert float(Patience().choose_pause(DestinationError("revoked", is_lasting=True))) >= SELDOM_SECONDS * 0.8


def test_the_end_of_a_task_is_tried_no_more():
    assert Patience().choose_pause(asyncio.CancelledError()) is False
    assert Patience().choose_pause(ValueError("of ours")) > 0


def test_an_act_is_tried_until_it_succeeds(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("synaptic.hub.shipping.patience.FIRST_SECONDS", 0.001)
    tried = []

    async def run() -> None:
        async for attempt in Patience().keep_trying():
            with attempt:
                tried.append(attempt.num)
                if len(tried) < 4:
                    raise OSError("not yet")

    asyncio.run(run())
    assert tried == [1, 2, 3, 4]
