"""Whether agents did what they were told: what each host says of its last seven days."""

from collections.abc import Mapping

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.filter import HubFilter
from synaptic.hub.server.queries.hosts import list_hosts


class WitnessRow(msgspec.Struct, frozen=True):
    """One host: calls by what became of them."""

    host: str
    seen_at: float
    calls: Mapping[str, int]


async def list_witness(connection: Connection, wanted: HubFilter) -> list[WitnessRow]:
    """Hosts that have said something; `before` is the last name of the page before."""
    found = await list_hosts(connection, wanted)
    return [WitnessRow(one.id, one.seen_at, one.status.witness) for one in found if one.status]
