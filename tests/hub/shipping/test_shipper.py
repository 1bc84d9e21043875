"""One destination that does what it likes: it gets everything, and keeps nobody busy."""

import asyncio
from collections.abc import Sequence

import pytest

from synaptic.hub.shipping.board import StateBoard
from synaptic.hub.shipping.cursors import CursorBook
from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.shipping.pulse import JournalPulse
from synaptic.hub.shipping.shipper import MOST_TURNS, TURNS_SECONDS, JournalSource, Shipper
from synaptic.hub.wire import ShippedEvent
from tests.hub.shipping.conftest import Shipping


class Forgetful:
    """It takes a batch, and says with the next one that it has nothing."""

    name = "hub http://127.0.0.1:1 laptop"

    def __init__(self) -> None:
        self.sent = 0

    async def send(self, after: int, events: Sequence[ShippedEvent]) -> int:
        self.sent += 1
        return events[2].seq if after == 0 else 0

    async def close(self) -> None:
        pass


def make_shipper(shipping: Shipping, destination: Forgetful) -> Shipper:
    store = shipping.store
    book, board = CursorBook(shipping.home, store), StateBoard(shipping.home)
    return Shipper(destination, JournalSource(store, book, JournalPulse(store), board, "/home/ada"))


def test_a_hub_that_forgets_what_it_took_gets_it_again_only_so_often(shipping: Shipping):
    shipping.add(9)
    destination = Forgetful()
    shipper = make_shipper(shipping, destination)

    async def run() -> None:
        for _ in range(200):
            await shipper.step()

    with pytest.raises(DestinationError, match="again and again") as found:
        asyncio.run(run())
    assert destination.sent <= 2 * MOST_TURNS + 3
    assert found.value.seconds == TURNS_SECONDS
