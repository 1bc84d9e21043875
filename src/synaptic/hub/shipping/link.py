"""What everything needs that works with the hub beside the shipping of events: status, news, questions."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import msgspec

from synaptic.hub.shipping.hub_client import HubClient
from synaptic.hub.shipping.patience import Patience
from synaptic.hub.shipping.plan import ShipPlan
from synaptic.hub.shipping.pulse import JournalPulse
from synaptic.hub.shipping.shipper import Shipper
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.store.db import Store

log = logging.getLogger(__name__)


class HubLink(msgspec.Struct, frozen=True):
    """One host's connection to the hub that it joined, for as long as the plan stays as it is."""

    home: Home
    plan: ShipPlan
    client: HubClient
    reader: Store
    """Only reads; who has to write opens a store of its own for that moment."""
    pulse: JournalPulse
    shipper: Shipper
    list_troubles: Callable[[], tuple[str, ...]]


async def repeat_for_ever(link: HubLink, name: str, act: Callable[[], Awaitable[None]]) -> None:
    """Do something again and again. What fails is told once, and tried again later from time to time, but not before
    the hub can be reached."""
    trouble = ""
    while True:
        async for attempt in Patience().keep_trying():
            with attempt:
                try:
                    if attempt.num > 1:
                        await link.client.require_reach()
                    await act()
                    trouble = ""
                except Exception as error:
                    told = str(error) if isinstance(error, SynapticError) else f"{type(error).__name__}: {error}"
                    if told != trouble:
                        log.warning("%s failed and is tried again: %s", name, told)
                    trouble = told
                    raise
        await asyncio.sleep(0)
