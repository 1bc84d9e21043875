"""A bundle of the hub that this host has joined, and one that is put there."""

import asyncio
import os

import msgspec

from synaptic.hub.address import check_url
from synaptic.hub.client import HubAccess, PersonClient, read_access
from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.shipping.hub_client import HubClient
from synaptic.hub.shipping.plan import read_membership
from synaptic.hub.wire import SignedBundle
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home


def fetch_from_hub(home: Home) -> SignedBundle:
    """The hub's bundle, asked for as this host. Raises SynapticError."""
    joined = read_membership(home)
    if joined is None:
        raise SynapticError("this machine has joined no hub", hint="synaptic join URL")
    path = HubPlace.of(home).host_key
    try:
        key = SecretKey.read(path)
    except OSError as error:
        raise SynapticError(f"the host's key cannot be read: {error.strerror}", where=str(path)) from error
    found = asyncio.run(_fetch(joined, key))
    if found is None:
        raise SynapticError("the hub has no bundle", where=joined.url)
    return found


def publish_to_hub(home: Home, url: str, signed: SignedBundle, token: str = "") -> None:
    """Put a bundle there as an administrator. Raises SynapticError."""
    access = HubAccess(url=url, token=token) if token else read_access(home, os.environ)
    # A token goes to the hub that it is for, and to nobody else who is named.
    if check_url(access.url) != check_url(url):
        raise SynapticError(f"your token is for {access.url}", hint=f"type: synaptic hub login {url}")
    joined = read_membership(home)
    if not access.certificate and joined and check_url(joined.url) == check_url(url):
        access = msgspec.structs.replace(access, certificate=joined.certificate)
    with PersonClient(access) as client:
        client.send("bundle", msgspec.json.encode(signed))


async def _fetch(joined: Membership, key: SecretKey) -> SignedBundle | None:
    client = HubClient(joined, key)
    try:
        return await client.fetch_bundle()
    finally:
        await client.close()
