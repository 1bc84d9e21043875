"""What the daemon does between events: background answers in, the write-ahead log down, old entries out."""

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable

import msgspec

from synaptic.daemon.shipper import ShipperKeeper
from synaptic.engine.walk import Engine
from synaptic.store import history_index, hook_counts, retention, witness

log = logging.getLogger(__name__)

TICK_SECONDS = 0.25
PROMISE_SECONDS = 1.0
CHECKPOINT_SECONDS = 1.0
WITNESS_SECONDS = 5.0
COUNT_SECONDS = 60.0
EXPIRE_SECONDS = 300.0
INDEX_SECONDS = 30.0
INDEXING_SECONDS = 0.3
"""At once: a journal of many events is read in many such pieces, with the interpreter free in between."""
PRUNE_SECONDS = 6 * 3600.0
SHIPPER_SECONDS = 5.0


class Chore(msgspec.Struct):
    """Something to be done again and again. What keeps it from being done is told once, until it succeeds again."""

    name: str
    seconds: float
    act: Callable[[], Awaitable[object]]
    done: float = msgspec.field(default_factory=time.monotonic)
    """As if it was done just now: nothing of it delays the first events after a start."""
    trouble: str = ""

    async def try_now(self, now: float) -> None:
        """Do it when it is due; a failure is no end, the next time tries again."""
        if now < self.done + self.seconds:
            return
        self.done = now
        try:
            await self.act()
        except Exception as error:  # noqa: BLE001 - a locked database, no descriptor, a full disk: all of them pass
            self._tell(f"{type(error).__name__}: {error}")
        else:
            self.trouble = ""

    def _tell(self, trouble: str) -> None:
        if trouble != self.trouble:
            log.error("upkeep: %s failed and is tried again: %s", self.name, trouble)
        self.trouble = trouble


async def run_upkeep(engine: Engine, is_left_alone: Callable[[], bool] = lambda: False) -> None:
    """Run maintenance for as long as the daemon lives, in small steps between events.

    It is left to a successor as soon as there is one: two who took in the same answer would deliver it twice.
    """
    chores = list_chores(engine)
    while True:
        await asyncio.sleep(TICK_SECONDS)
        for chore in () if is_left_alone() else chores:
            await chore.try_now(time.monotonic())


def list_chores(engine: Engine) -> tuple[Chore, ...]:
    """Everything that is done between events, and how often."""
    shipper = ShipperKeeper(engine.home)

    async def collect() -> None:
        engine.means.runners.reap_children()
        if _has_spooled(engine):
            await engine.collect()

    async def launch_left() -> None:
        if _has_spooled(engine):
            await engine.launch_left()

    def prune() -> None:
        config = engine.catalogs.get("").config
        limits = retention.PruneLimits(waits=config.ship.waits and shipper.is_needed())
        retention.prune_events(engine.store, config.retention_days, limits)

    def index() -> None:
        if engine.store.durable:
            history_index.keep_index_current(engine.home, engine.store, INDEXING_SECONDS)

    return (
        Chore("taking in background answers", 0.0, collect),
        Chore("launching what was promised", PROMISE_SECONDS, launch_left),
        Chore("the checkpoint", CHECKPOINT_SECONDS, _in_thread(engine.store.checkpoint)),
        Chore("writing down calls that wait", WITNESS_SECONDS, _in_thread(lambda: witness.flush_waiting(engine.store))),
        Chore("counting", COUNT_SECONDS, _in_thread(lambda: hook_counts.count_journal(engine.store))),
        Chore("indexing the journal", INDEX_SECONDS, _in_thread(index)),
        Chore("removing what has expired", EXPIRE_SECONDS, _in_thread(lambda: retention.prune_expired(engine.store))),
        Chore("removing old events", PRUNE_SECONDS, _in_thread(prune)),
        Chore("seeing to it that events are shipped", SHIPPER_SECONDS, _in_thread(shipper.look)),
    )


def _in_thread(act: Callable[[], object]) -> Callable[[], Awaitable[object]]:
    """It waits for the disk, and events must not wait with it."""
    return lambda: asyncio.to_thread(act)


def _has_spooled(engine: Engine) -> bool:
    try:
        return bool(os.listdir(engine.home.spool))  # noqa: PTH208 - four times a second: no Path objects
    except (FileNotFoundError, NotADirectoryError):
        return False  # what stands in its place is told by whoever cannot launch a hook
