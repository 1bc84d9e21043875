"""What the daemon does between events: background answers in, the write-ahead log down, old entries out."""

import asyncio
import os
import time

from synaptic.daemon.engine import Engine
from synaptic.model.errors import StoreError
from synaptic.store import retention

TICK = 0.25
CHECKPOINT_SECONDS = 5.0
PRUNE_SECONDS = 6 * 3600.0


async def upkeep(engine: Engine) -> None:
    """For ever, a little at a time."""
    checkpointed = pruned = time.monotonic()
    while True:
        await asyncio.sleep(TICK)
        now = time.monotonic()
        if _spooled(engine):
            await engine.collect()
        if now - checkpointed > CHECKPOINT_SECONDS:
            checkpointed = now
            await asyncio.to_thread(engine.store.checkpoint)
        if now - pruned > PRUNE_SECONDS:
            pruned = now
            await asyncio.to_thread(_prune, engine)


def _spooled(engine: Engine) -> bool:
    try:
        return bool(os.listdir(engine.home.spool))  # noqa: PTH208 - four times a second: no Path objects
    except FileNotFoundError:
        return False


def _prune(engine: Engine) -> None:
    try:
        retention.prune(engine.store, engine.catalogs.get("").config.retention_days)
    except StoreError:
        return  # the next round tries again
