"""Hosts of a campaign: a home each, joined through the proxy, and the journals that are written in them."""

import asyncio
from pathlib import Path

import msgspec

from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.server.desk import ask_database
from synaptic.hub.server.secrets import make_code
from synaptic.hub.shipping.hub_client import HubClient
from synaptic.hub.shipping.plan import write_membership
from synaptic.hub.wire import JoinRequest
from synaptic.model.home import Home

CONTENTS = ("structure", "full")


def find_home(folder: Path, host: int) -> Home:
    return Home(folder / f"host-{host:04d}" / ".synaptic")


def find_contents(host: int) -> str:
    """Every other host ships its texts too."""
    return CONTENTS[host % 2]


def make_home(folder: Path, host: int) -> Home:
    home = find_home(folder, host)
    home.root.mkdir(parents=True)
    home.config.write_text(f'[ship]\ncontents = "{find_contents(host)}"\n')
    return home


def join_hub(home: Home, database: str, url: str, name: str) -> Membership:
    """What `synaptic join` does, without a process that it starts."""
    code, _ = ask_database(database, lambda connection: make_code(connection, 1, False))
    return asyncio.run(_join(home, Membership(url=url, host=name), code))


async def _join(home: Home, wanted: Membership, code: str) -> Membership:
    key, client = SecretKey.make(), HubClient(wanted)
    key.write(HubPlace.of(home).host_key)
    try:
        asked = JoinRequest(code=code, name=wanted.host, key=key.public.text, version="1")
        answer = await client.join(asked)
    finally:
        await client.close()
    member = msgspec.structs.replace(wanted, host=answer.host)
    write_membership(home, member)
    return member
