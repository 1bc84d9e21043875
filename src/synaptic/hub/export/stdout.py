"""Lines on standard output, for the next program of a pipe."""

import sys
from collections.abc import Sequence

from synaptic.hub.export.lines import encode_line
from synaptic.hub.export.source import ExportSource
from synaptic.hub.wire import ShippedEvent


class StdoutDestination:
    """A `Destination` that waits for whoever reads, however slow. A closed pipe ends it with BrokenPipeError."""

    name = "jsonl -"

    def __init__(self, source: ExportSource) -> None:
        self._source = source

    async def send(self, after: int, events: Sequence[ShippedEvent]) -> int:
        """Write all of them."""
        sys.stdout.flush()
        sys.stdout.buffer.write(b"".join(encode_line(event, self._source) for event in events))
        sys.stdout.buffer.flush()
        return events[-1].seq if events else after

    async def close(self) -> None:
        """Nothing is held."""
