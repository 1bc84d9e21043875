"""Keeps the hub informed of what waits here: at once when that changes, and now and then in any case."""

import asyncio
import time
from contextlib import suppress

from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace
from synaptic.hub.questions.waiting import QuestionSource, list_questions, sign_questions
from synaptic.hub.shipping.link import HubLink, repeat_for_ever
from synaptic.hub.wire import HostQuestion
from synaptic.model.errors import SynapticError

EVERY_SECONDS = 60.0
"""A hub that has lost its database gets them again."""
LEAST_SECONDS = 0.3
LOOK_SECONDS = 10.0
"""A call that is held no more by the clock alone writes nothing."""


async def run_questions(link: HubLink) -> None:
    """For as long as the process ships."""
    teller = QuestionTeller(link)
    await repeat_for_ever(link, "telling the hub what waits for a person", teller.tell_once)


class QuestionTeller:
    """Remembers what the hub was told."""

    def __init__(self, link: HubLink) -> None:
        self._link = link
        self._source = make_source(link)
        self._told: tuple[HostQuestion, ...] | None = None
        self._told_at = 0.0

    async def tell_once(self) -> None:
        """One look, and what follows from it. Raises DestinationError, StoreError."""
        seen = self._link.pulse.count
        found = await asyncio.to_thread(list_questions, self._link.reader, self._source)
        if found != self._told or time.monotonic() > self._told_at + EVERY_SECONDS:
            self._told = None  # until it is known that the hub has them
            await self._link.client.put_questions(await asyncio.to_thread(sign_questions, found, self._source))
            self._told, self._told_at = found, time.monotonic()
        await asyncio.sleep(LEAST_SECONDS)
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await self._link.pulse.wait_after(seen)


def make_source(link: HubLink) -> QuestionSource:
    """Raises SynapticError where this host has no key or no hub."""
    if link.plan.member is None:
        raise SynapticError("this machine has joined no hub")
    key = SecretKey.read(HubPlace.of(link.home).host_key)
    return QuestionSource(link.home, link.plan.member.host, key, link.plan.hub, link.plan.ship.contents)
