"""The bundles that were published, and on how many hosts each is in force."""

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.queries.filter import HubFilter

SELECT = """
SELECT b.version, b.name, b.at, b.published_by, length(b.text), (
  SELECT count(*) FROM statuses s JOIN hosts h ON h.number = s.host
  WHERE h.revoked_at IS NULL AND s.bundle = b.name || ' ' || b.version
) FROM bundles b ORDER BY b.version DESC LIMIT %s
"""


class BundleRow(msgspec.Struct, frozen=True, kw_only=True):
    """One version as it was published."""

    version: int
    name: str
    at: float
    published_by: str
    size: int
    hosts: int

    @property
    def title(self) -> str:
        """As hosts say it."""
        return f"{self.name} {self.version}"


async def list_bundles(connection: Connection, wanted: HubFilter) -> list[BundleRow]:
    """The newest first."""
    found = await connection.execute(SELECT, (wanted.limit,))
    return [BundleRow(**dict(zip(BundleRow.__struct_fields__, row, strict=True))) for row in await found.fetchall()]
