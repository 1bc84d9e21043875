"""A bundle in a table of a Dolt registry: `bundles(version, text, signature)`, read in a process of its own."""

from synaptic.hooks.bundle import BUNDLE_LIMIT
from synaptic.hub.wire import SignedBundle
from synaptic.model.environment import DEFAULT_CHANNEL
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.packages.source import open_source

PREFIXES = ("dolt:", "dolt+")
SIGNATURE_LIMIT = 8 << 10


def is_dolt_url(url: str) -> bool:
    return url.startswith(PREFIXES)


def fetch_from_dolt(home: Home, url: str) -> SignedBundle:
    """The newest of a registry's branch: `dolt:///path`, `dolt+http://host/name#branch`. Raises SynapticError."""
    address, _, channel = url.removeprefix("dolt+").partition("#")
    with open_source(address, home) as source:
        table = source.database.make_table_sql("bundles", channel or DEFAULT_CHANNEL)
        # Its size first: whoever can write there must not fill the memory of whoever reads.
        found = source.database.query(
            f"SELECT version, LENGTH(text), LENGTH(signature) FROM {table} ORDER BY version DESC LIMIT 1"
        )
        if not found:
            raise SynapticError("there is no bundle in it", where=url)
        version, *sizes = found[0]
        if not all(isinstance(size, int) for size in sizes) or sizes[0] > BUNDLE_LIMIT or sizes[1] > SIGNATURE_LIMIT:  # type: ignore[operator]
            raise SynapticError(f"the bundle in it is longer than {BUNDLE_LIMIT} bytes", where=url)
        rows = source.database.query(f"SELECT text, signature FROM {table} WHERE version = ?", [version])
    if len(rows) != 1 or not all(isinstance(value, str) for value in rows[0]):
        raise SynapticError("the bundle in it cannot be read", where=url)
    text, signature = rows[0]
    return SignedBundle(str(text), str(signature))
