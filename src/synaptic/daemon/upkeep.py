"""What the daemon does between events: background answers in, the write-ahead log down, old entries out."""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import suppress

from synaptic.engine.walk import Engine
from synaptic.model.errors import StoreError
from synaptic.store import hook_counts, retention

TICK_SECONDS = 0.25
CHECKPOINT_SECONDS = 1.0
COUNT_SECONDS = 60.0
EXPIRE_SECONDS = 300.0
PRUNE_SECONDS = 6 * 3600.0


async def run_upkeep(engine: Engine) -> None:
    """Run maintenance for as long as the daemon lives, in small steps between events."""
    chores: list[tuple[float, Callable[[], object]]] = [
        (CHECKPOINT_SECONDS, engine.store.checkpoint),
        (COUNT_SECONDS, lambda: hook_counts.count_journal(engine.store)),
        (EXPIRE_SECONDS, lambda: retention.prune_expired(engine.store)),
        (PRUNE_SECONDS, lambda: retention.prune_events(engine.store, engine.catalogs.get("").config.retention_days)),
    ]
    # As if all were done just now: nothing of it delays the first events after a start.
    done = [time.monotonic()] * len(chores)
    while True:
        await asyncio.sleep(TICK_SECONDS)
        if _has_spooled(engine):
            await engine.collect()
        for number, (seconds, chore) in enumerate(chores):
            if time.monotonic() - done[number] > seconds:
                done[number] = time.monotonic()
                await _try_chore(chore)


async def _try_chore(chore: Callable[[], object]) -> None:
    with suppress(StoreError):  # the next round tries again
        await asyncio.to_thread(chore)  # it waits for the disk, and events must not wait with it


def _has_spooled(engine: Engine) -> bool:
    try:
        return bool(os.listdir(engine.home.spool))  # noqa: PTH208 - four times a second: no Path objects
    except FileNotFoundError:
        return False
