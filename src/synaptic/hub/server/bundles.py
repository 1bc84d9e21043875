"""The organisation's bundle: kept as it was signed, handed on as it is. The hub cannot make one."""

import time
import tomllib

from synaptic.hub.keys import PublicKey
from synaptic.hub.server.database import Connection
from synaptic.hub.server.news import NEWS_CHANNEL
from synaptic.hub.server.refused import RequestError
from synaptic.hub.wire import SignedBundle
from synaptic.model.errors import SynapticError

LOCK = 3700004
MOST_VERSION = (1 << 31) - 1


def read_bundle_name(text: str) -> tuple[str, int]:
    """Name and version of a bundle. Raises RequestError."""
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RequestError(400, f"this is no bundle: {error}") from error
    name, version = found.get("name"), found.get("version")
    if not isinstance(name, str) or not isinstance(version, int) or not 0 < version <= MOST_VERSION or "\0" in name:
        raise RequestError(400, "a bundle has a `name` and a `version`, a whole number from 1 on")
    return name, version


def find_person_key(text: str, name: str) -> str:
    """The key that a bundle gives a person; "" where it names nobody of that name."""
    try:
        person = tomllib.loads(text)["people"][name]["key"]
    except (tomllib.TOMLDecodeError, RecursionError, KeyError, TypeError):
        return ""
    return person if isinstance(person, str) else ""


async def publish_bundle(connection: Connection, bundle: SignedBundle, by: str, key: str) -> int:
    """The version that is offered now. Raises RequestError for a wrong signature or an older version."""
    if "\0" in bundle.signature:
        raise RequestError(400, "this is no signature")
    name, version = read_bundle_name(bundle.text)
    if key:
        try:
            PublicKey.parse(key).verify(bundle.text.encode(), bundle.signature)
        except SynapticError as error:
            raise RequestError(400, f"not signed by this hub's organisation: {error.message}") from error
    await connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
    row = await (
        await connection.execute("SELECT version, text, signature FROM bundles ORDER BY version DESC LIMIT 1")
    ).fetchone()
    if row and row[0] >= version:
        if (row[0], row[1]) == (version, bundle.text):
            return version
        raise RequestError(409, f"version {row[0]} is published already", hint=f"version = {row[0] + 1}")
    await connection.execute(
        "INSERT INTO bundles (version, name, at, published_by, text, signature) VALUES (%s, %s, %s, %s, %s, %s)",
        (version, name[:200], time.time(), by, bundle.text, bundle.signature),
    )
    await connection.execute("SELECT pg_notify(%s, '*')", (NEWS_CHANNEL,))
    return version


async def find_bundle(connection: Connection) -> SignedBundle | None:
    """The newest."""
    found = await connection.execute("SELECT text, signature FROM bundles ORDER BY version DESC LIMIT 1")
    row = await found.fetchone()
    return SignedBundle(*row) if row else None


async def find_bundle_version(connection: Connection) -> int:
    row = await (await connection.execute("SELECT coalesce(max(version), 0) FROM bundles")).fetchone()
    return int(row[0]) if row else 0
