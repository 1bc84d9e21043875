"""Bundles as they come, in the process that ships: told by the hub, or looked for where this machine follows them."""

import asyncio
import logging
import time

from synaptic.hub.bundles.install import BundleResult, install_bundle
from synaptic.hub.bundles.pin import read_pin, read_source
from synaptic.hub.bundles.pull import find_version, pull_bundle
from synaptic.hub.shipping.link import HubLink
from synaptic.hub.wire import HubNews
from synaptic.model.home import Home

log = logging.getLogger(__name__)

PULL_SECONDS = 300.0
"""Between two looks at a repository or a registry."""
REFUSED_SECONDS = 300.0
"""Before a bundle is fetched again that was refused here: what was wrong may have been mended."""
OTHER_SECONDS = 30.0
"""Before another one is fetched after one that brought nothing: a hub may name a new version with each answer."""


class BundleTaker:
    """What brought nothing a moment ago is not fetched again with each answer of the hub."""

    def __init__(self) -> None:
        self._refused, self._until, self._next = 0, 0.0, 0.0

    async def take(self, link: HubLink, news: HubNews) -> None:
        """Fetch what the hub offers, where it is another one and this machine believes bundles of it at all."""
        known = await asyncio.to_thread(find_version, link.home)
        if not news.bundle or news.bundle == known or not await asyncio.to_thread(_follows_hub, link.home):
            return
        now = time.monotonic()
        if now < (self._until if news.bundle == self._refused else self._next):
            return
        self._next = now + OTHER_SECONDS  # also where it cannot be fetched
        signed = await link.client.fetch_bundle()
        if signed is None:
            return
        result = await asyncio.to_thread(install_bundle, link.home, signed, link.client.where)
        _tell(result)
        if result.state == "installed":
            self._next = 0.0
        else:
            self._refused, self._until = news.bundle, time.monotonic() + REFUSED_SECONDS


async def follow_source(home: Home) -> None:
    """Look again and again where bundles come from that no hub tells of, whatever is wrong there."""
    while True:
        try:
            if await asyncio.to_thread(read_source, home):
                _tell(await asyncio.to_thread(pull_bundle, home))
        except Exception:
            log.exception("where bundles come from could not be looked at")
        await asyncio.sleep(PULL_SECONDS)


def _follows_hub(home: Home) -> bool:
    pin = read_pin(home)
    return pin is not None and pin.is_hub


def _tell(result: BundleResult) -> None:
    if result.state == "refused":
        log.warning("a bundle was refused, the last good one stays: %s", result.why)
    elif result.state == "installed":
        log.warning("bundle %s is in force", result.label)
