"""The hub as a destination: batches of a size that it takes, and where it stands."""

import logging
import time
from collections.abc import Sequence

import msgspec

from synaptic.hub.place import Membership
from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.shipping.hub_client import HubClient
from synaptic.hub.shipping.outbox import make_bare_event
from synaptic.hub.shipping.plan import name_hub
from synaptic.hub.wire import MOST_BATCH_BYTES, MOST_EVENTS, EventBatch, ShippedEvent

FITTING_BYTES = MOST_BATCH_BYTES // 2
"""Of a batch as it is sent; the hub takes twice as much."""
AHEAD_SECONDS = 86_400.0
"""How far in the future an event may be that a clock gone wrong has dated; the hub takes two days."""
log = logging.getLogger(__name__)
_encoder = msgspec.json.Encoder()


class HubDestination:
    """One hub, behind the protocol of all destinations."""

    def __init__(self, member: Membership, client: HubClient) -> None:
        self.name = name_hub(member)
        self._client = client
        self._most = MOST_EVENTS
        """Of one batch: halved when one was too large, doubled with each that was taken."""

    async def send(self, after: int, events: Sequence[ShippedEvent]) -> int:
        """As many of them as fit; up to where the hub has them, or where else it stands."""
        batch = _choose_batch(events, self._most)
        while True:
            status, answer = await self._client.send_batch(EventBatch(after, batch))
            if status == 200:
                self._most = min(2 * self._most, MOST_EVENTS)
                return answer.seq
            if status == 409:
                return answer.seq
            batch = self._make_smaller(batch)

    async def close(self) -> None:
        await self._client.close()

    def _make_smaller(self, batch: tuple[ShippedEvent, ...]) -> tuple[ShippedEvent, ...]:
        """What is tried next. Raises DestinationError where nothing is left to be tried."""
        self._most = max(1, len(batch) // 2)
        if len(batch) > 1:
            return batch[: self._most]
        bare = make_bare_event(batch[0])
        if batch[0] == bare:
            raise DestinationError("the hub takes an event in no form", where=self._client.where, is_lasting=True)
        log.warning("%s: event %d is not taken as it is: it leaves without what it holds", self.name, bare.seq)
        return (bare,)


def _choose_batch(events: Sequence[ShippedEvent], most: int) -> tuple[ShippedEvent, ...]:
    """The first of them that fit. One that is too large by itself is sent all the same: the hub says so."""
    found: list[ShippedEvent] = []
    size, latest = 0, time.time() + AHEAD_SECONDS
    for event in events[:most]:
        one = event if event.at <= latest else msgspec.structs.replace(event, at=latest)
        size += len(_encoder.encode(one))
        if found and size > FITTING_BYTES:
            break
        found.append(one)
    return tuple(found)
