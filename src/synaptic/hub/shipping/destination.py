"""What every destination is: a hub, a collector, a file, syslog. The shipper knows nothing else of them."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Protocol

from synaptic.hub.wire import ShippedEvent
from synaptic.model.errors import SynapticError

EXPORTS = {
    "otlp": "synaptic.hub.export.otlp",
    "jsonl": "synaptic.hub.export.jsonl",
    "syslog": "synaptic.hub.export.syslog",
}
"""Keys of `[ship]` whose value is an address, and the module whose `open_destination(address)` makes of it a
`Destination`. It raises SynapticError for an address that is none, and imports what it needs inside."""


class DestinationError(SynapticError):
    """It did not take the events now. The shipper keeps them and comes again, later from time to time."""

    def __init__(
        self, message: str, *, where: str = "", hint: str = "", seconds: float = 0.0, is_lasting: bool = False
    ) -> None:
        super().__init__(message, where=where, hint=hint)
        self.seconds = seconds
        """When it says itself to come again, such as a `retry-after`; 0: it did not say."""
        self.is_lasting = is_lasting
        """Whether a person has to do something first (a revoked key): it is tried seldom."""


class Destination(Protocol):
    """One place where events go, in their order."""

    @property
    def name(self) -> str:
        """Its kind and its address without a password, such as `otlp http://127.0.0.1:4318`: its cursor's name.

        Another name is another destination, which gets the journal from its first event on.
        """
        ...

    async def send(self, after: int, events: Sequence[ShippedEvent]) -> int:
        """Hand over events, ascending by `seq`, and return up to which sequence it has them all, durably.

        `after` is the sequence before the first of them. Mostly it returns the last one's; an earlier one of the batch
        where it took a part; any other where it stands elsewhere, and the shipper goes back or on to it. Where it
        cannot tell what it has, it returns the last one's when all of them were taken. Never more than one call at
        once; a call may be cancelled. Raises DestinationError; any other error counts as one that passes.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and files. Does not raise."""
        ...


OpenDestination = Callable[[str], Destination]


def open_export(kind: str, address: str) -> Destination:
    """The destination of a key of `[ship]`. Raises SynapticError."""
    try:
        make: OpenDestination = import_module(EXPORTS[kind]).open_destination
    except ModuleNotFoundError as error:
        raise SynapticError(f"nothing can be shipped by {kind} here: {error.name} is missing") from error
    return make(address)
