"""Upkeep goes on whatever happens to it, and says once what keeps it from its work."""

import asyncio
import logging
import time

import pytest

from synaptic.daemon.upkeep import Chore
from synaptic.model.errors import StoreError


def make_chore(failures: list[Exception | None], seconds: float = 0.0) -> Chore:
    """Fails as told, once for each entry."""

    async def act() -> None:
        if failures and (error := failures.pop(0)):
            raise error

    return Chore("the checkpoint", seconds, act, done=0.0)


def test_a_failure_is_told_once_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    locked, closed = StoreError("database is locked"), OSError(24, "Too many open files")
    failures: list[Exception | None] = [locked, locked, closed, None, locked]
    chore = make_chore(failures)
    with caplog.at_level(logging.ERROR):
        for now in range(1, 7):
            asyncio.run(chore.try_now(float(now)))
    assert failures == []
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 3  # the lock, the descriptors, and the lock again after it had gone well
    assert "the checkpoint failed and is tried again: StoreError: database is locked" in told[0]
    assert "Too many open files" in told[1]


def test_a_chore_is_done_when_it_is_due() -> None:
    failures: list[Exception | None] = [None, None]
    chore = make_chore(failures, seconds=10.0)
    for now in (9.0, 10.0, 11.0, 19.0, 20.5):
        asyncio.run(chore.try_now(now))
    assert failures == []
    assert chore.done == 20.5


def test_nothing_is_due_right_after_a_start() -> None:
    async def act() -> None:
        raise AssertionError

    asyncio.run(Chore("x", 60.0, act).try_now(time.monotonic()))
