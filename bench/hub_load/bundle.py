"""How long a new bundle takes to be in force on every host: hosts that wait at the hub, fetch it and take it in."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
from tests.hub.chaos.homes import join_hub
from tests.hub.chaos.hub_process import HubProcess

from synaptic.hub.bundles.from_hub import publish_to_hub
from synaptic.hub.bundles.pull import find_version, pull_bundle
from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.server.desk import ask_database
from synaptic.hub.server.secrets import add_token
from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.shipping.hub_client import HubClient
from synaptic.hub.shipping.plan import write_membership
from synaptic.hub.wire import SignedBundle
from synaptic.model.home import Home

WAIT_SECONDS = 25.0
"""So long a host waits at the hub before it asks again."""
GIVE_UP_SECONDS = 120.0
PEOPLE = 8
"""Hosts that work at the same moment on this one machine; elsewhere all of them do."""
RULE = """
[[rule]]
id = "acme.publish"
then = "deny"
run = "npm publish"
say = "The pipeline publishes."
stops = ["npm publish"]
passes = ["npm test"]
"""


class BundleHost(msgspec.Struct, frozen=True):
    """A home that believes the organisation's key."""

    home: Home
    member: Membership

    async def follow(self, wanted: int, done: dict[str, float], pool: ThreadPoolExecutor) -> None:
        """Wait for news and take in what is offered, until a version is in force."""
        loop = asyncio.get_running_loop()
        client = HubClient(self.member, SecretKey.read(HubPlace.of(self.home).host_key))
        try:
            while (version := await loop.run_in_executor(pool, find_version, self.home)) < wanted:
                try:
                    news = await client.wait_for_news(0, version, WAIT_SECONDS)
                except DestinationError:
                    await asyncio.sleep(1)
                    continue
                if news.bundle != version:
                    await loop.run_in_executor(pool, pull_bundle, self.home)
            done[self.member.host] = time.monotonic()
        finally:
            await client.close()


class Organisation:
    """Whoever signs, and the hosts that believe it."""

    def __init__(self, hub: HubProcess, folder: Path, count: int) -> None:
        self._hub, self._key = hub, SecretKey.make()
        self.hosts = [self._add_host(folder / f"bundle-{number}", number) for number in range(count)]
        self._token = ask_database(hub.database, lambda connection: add_token(connection, "bench-admin", "admin"))

    def publish(self, version: int) -> None:
        text = f'name = "acme"\nversion = {version}\n{RULE}'.rstrip() + "\n"
        signed = SignedBundle(text, self._key.sign(text.encode(), "acme"))
        publish_to_hub(self.hosts[0].home, self._hub.url, signed, self._token)

    def _add_host(self, folder: Path, number: int) -> BundleHost:
        home = Home(folder / ".synaptic")
        home.root.mkdir(parents=True)
        joined = join_hub(home, self._hub.database, self._hub.url, f"bundle {number}")
        member = msgspec.structs.replace(joined, organisation_key=self._key.public.text)
        write_membership(home, member)
        return BundleHost(home, member)


def measure_bundle(organisation: Organisation, version: int) -> list[float]:
    """Seconds from the moment of publishing until each host has it in force, ascending; all of them wait by then."""
    return asyncio.run(_measure(organisation, version))


async def _measure(organisation: Organisation, version: int) -> list[float]:
    done: dict[str, float] = {}
    with ThreadPoolExecutor(PEOPLE) as pool:
        follow = [asyncio.create_task(host.follow(version, done, pool)) for host in organisation.hosts]
        await asyncio.sleep(3)
        began = time.monotonic()
        await asyncio.to_thread(organisation.publish, version)
        async with asyncio.timeout(GIVE_UP_SECONDS):
            await asyncio.gather(*follow)
    return sorted(at - began for at in done.values())
