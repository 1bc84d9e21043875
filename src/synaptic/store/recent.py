"""The newest writes of this process, kept in memory so that they can be repeated where the disk has lost them."""

from collections import deque
from collections.abc import Callable

from synaptic.store.connection import Connection

MAX_WRITES = 512
MAX_BYTES = 4 * 1024 * 1024

RepeatWrite = Callable[[Connection, bool], int]
"""Write again what is missing, with all that follows from it or without; how many records that were."""
RestoreRows = Callable[[Connection], None]
"""Write rows again that this process knows, where they are missing or older."""


class RecentWrites:
    """Writes of the journal, oldest first, and whoever else knows rows that must not be lost."""

    def __init__(self) -> None:
        self.restorers: dict[str, RestoreRows] = {}
        self._writes: deque[tuple[int, RepeatWrite]] = deque()
        self._bytes = 0

    def add(self, size: int, repeat: RepeatWrite) -> None:
        """Keep a write; the oldest go when there are too many or they are too large."""
        self._writes.append((size, repeat))
        self._bytes += size
        while self._bytes > MAX_BYTES or len(self._writes) > MAX_WRITES:
            self._bytes -= self._writes.popleft()[0]

    def repeat(self, connection: Connection, *, with_effects: bool) -> int:
        """Write again what is not there; how many records were missing."""
        return sum(write(connection, with_effects) for _, write in tuple(self._writes))

    def restore(self, connection: Connection) -> None:
        """Write again what others know."""
        for restore in tuple(self.restorers.values()):
            restore(connection)
