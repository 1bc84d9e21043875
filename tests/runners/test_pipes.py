"""Pipes that never block the loop."""

import asyncio
import os

import pytest

from synaptic.runners.pipes import PipeDrain, PipeFeed, wait_readable
from tests.runners.making import on_loop

LOOPS = pytest.mark.parametrize("loop", ["asyncio", "uvloop"])


@LOOPS
def test_what_is_fed_comes_out_whole(loop):
    data = os.urandom(500_000)

    async def work():
        feed, drain = PipeFeed(data), PipeDrain(1_000_000)
        reader = os.dup(feed.reader)
        feed.begin()
        await asyncio.to_thread(copy, reader, os.dup(drain.writer))
        drain.close_writer()
        await drain.ended.wait()
        feed.close()
        drain.close()
        return bytes(drain.data)

    assert on_loop(work(), loop) == data


def copy(source: int, target: int) -> None:
    with os.fdopen(source, "rb") as reader, os.fdopen(target, "wb") as writer:
        while chunk := reader.read(70_000):
            writer.write(chunk)


@LOOPS
def test_a_drain_keeps_its_limit_and_reads_on(loop):
    async def work():
        drain = PipeDrain(10)
        await asyncio.to_thread(os.write, drain.writer, b"x" * 60_000)
        await drain.full.wait()
        await asyncio.to_thread(os.write, drain.writer, b"y" * 60_000)
        drain.close_writer()
        await drain.ended.wait()
        drain.close()
        return bytes(drain.data)

    assert on_loop(work(), loop) == b"x" * 10


@LOOPS
def test_a_reader_that_goes_away_is_no_trouble(loop):
    async def work():
        feed = PipeFeed(b"x" * 500_000)
        feed.begin()
        await asyncio.sleep(0)
        feed.close()
        feed.close()

    on_loop(work(), loop)


def test_readable_waits():
    async def work():
        source, target = os.pipe()
        waiting = asyncio.ensure_future(wait_readable(source))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        os.write(target, b"x")
        await asyncio.wait_for(waiting, 60)
        os.close(source)
        os.close(target)

    on_loop(work())
