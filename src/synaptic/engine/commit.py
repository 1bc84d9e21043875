"""Group commit: events that arrive together are written together, and none is answered before it is on disk."""

import asyncio
from collections.abc import Callable, Sequence

from synaptic.model.errors import StoreError
from synaptic.store.record import Record

Append = Callable[[Sequence[Record]], None]
BATCH = 64
"""Records after which nobody waits for more."""


class GroupCommit:
    """Collects the records of one turn of the event loop into one transaction."""

    def __init__(self, append: Append) -> None:
        self._append = append
        self._waiting: list[tuple[Record, asyncio.Future[None]]] = []

    async def write(self, record: Record) -> None:
        """Returns when the record is in the journal; raises StoreError when it is not."""
        loop = asyncio.get_running_loop()
        written = loop.create_future()
        self._waiting.append((record, written))
        if len(self._waiting) == 1:
            loop.call_soon(self._gather, loop, 0)
        await written

    def _gather(self, loop: asyncio.AbstractEventLoop, seen: int) -> None:
        """Write once a turn of the loop brings nobody new: alone that is the next one, in a burst it is a few later."""
        if seen < len(self._waiting) < BATCH:
            loop.call_soon(self._gather, loop, len(self._waiting))
        else:
            self._flush()

    def _flush(self) -> None:
        batch, self._waiting = self._waiting, []
        try:
            self._append([record for record, _ in batch])
        except StoreError as error:
            self._settle(batch, error)
        except Exception as error:  # noqa: BLE001 - whatever a row provokes, nobody may wait for ever
            self._settle(batch, StoreError(f"{type(error).__name__}: {error}"))
        else:
            self._settle(batch, None)

    def _settle(self, batch: Sequence[tuple[Record, asyncio.Future[None]]], error: StoreError | None) -> None:
        for _, written in batch:
            if written.cancelled():
                continue
            if error is None:
                written.set_result(None)
            else:
                written.set_exception(error)
