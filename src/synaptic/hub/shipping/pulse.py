"""Wakes those who wait for news in the journal: one look at its version for all of them."""

import asyncio
from contextlib import suppress

from synaptic.model.errors import StoreError
from synaptic.store.db import Store
from synaptic.store.fleet import read_data_version

LOOK_SECONDS = 0.5


class JournalPulse:
    """Beats whenever somebody has written to the database; which table is for whoever wakes up to see."""

    def __init__(self, reader: Store) -> None:
        self._reader = reader
        self._beat = asyncio.Event()
        self.count = 0

    async def run(self) -> None:
        """Look, for as long as the process ships."""
        known: tuple[int, int] | None = None
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            with suppress(StoreError):  # no database now: whoever reads it is told
                if (found := read_data_version(self._reader)) != known:
                    known = found
                    self._beat_once()

    async def wait_after(self, count: int) -> None:
        """Until it has beaten since it was at that count."""
        while self.count == count:
            await self._beat.wait()

    def _beat_once(self) -> None:
        self.count += 1
        beat, self._beat = self._beat, asyncio.Event()
        beat.set()
