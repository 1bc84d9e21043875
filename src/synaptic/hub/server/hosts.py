"""Hosts as the hub knows them: how they join, what they say of themselves, how they are shut out."""

import re
import time

import msgspec

from synaptic.hub.keys import KeyFormatError, PublicKey
from synaptic.hub.server.database import Connection
from synaptic.hub.server.incoming import MOST_BIG, MOST_NAME, bound, clip
from synaptic.hub.server.refused import RequestError
from synaptic.hub.server.secrets import FoundCode
from synaptic.hub.wire import HostGrant, HostStatus, JoinRequest
from synaptic.model.errors import SynapticError

MOST_GRANTS = 2_000
GRANTS = """
INSERT INTO grants AS g (host, id, at, policy, scope, granted_by, uses, last_used, expires, revoked, project, shown)
SELECT %s, * FROM unnest(%s::text[], %s::float8[], %s::text[], %s::text[], %s::text[], %s::bigint[], %s::float8[],
  %s::float8[], %s::float8[], %s::text[], %s::text[])
ON CONFLICT (host, id) DO UPDATE SET
  uses = excluded.uses, last_used = excluded.last_used, expires = excluded.expires, revoked = excluded.revoked
WHERE (g.uses, g.last_used, g.expires, g.revoked)
  IS DISTINCT FROM (excluded.uses, excluded.last_used, excluded.expires, excluded.revoked)
"""
STATUS = """
INSERT INTO statuses AS s (host, said_at, version, bundle, newest, body) VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (host) DO UPDATE SET said_at = excluded.said_at, version = excluded.version, bundle = excluded.bundle,
  newest = excluded.newest, body = excluded.body
WHERE s.said_at <= excluded.said_at
"""


class KnownHost(msgspec.Struct, frozen=True):
    """What is needed to know a host by its signature; it never changes."""

    number: int
    id: str
    key: PublicKey


async def find_host(connection: Connection, name: str) -> KnownHost | None:
    found = await connection.execute("SELECT number, id, key FROM hosts WHERE id = %s", (name,))
    row = await found.fetchone()
    return KnownHost(row[0], row[1], PublicKey.parse(row[2])) if row else None


async def join_host(connection: Connection, code: FoundCode, asked: JoinRequest) -> str:
    """The host's name here. The same key is the same host, also when its first answer got lost. Raises RequestError."""
    try:
        key = PublicKey.parse(asked.key)
    except KeyFormatError as error:
        raise RequestError(400, f"{error}") from error
    if code.is_managed and not asked.is_managed:
        raise RequestError(403, "this code is for managed machines", hint="synaptic join URL --managed")
    row = await (
        await connection.execute("SELECT number, id, revoked_at FROM hosts WHERE key = %s FOR UPDATE", (key.text,))
    ).fetchone()
    if code.host is not None and (row is None or row[0] != code.host):
        raise RequestError(403, "this code is wrong, used or too old", hint="ask for another: synaptic hub invite")
    if row and code.host is None and row[2] is None:
        # A host makes a new key for each join, and everybody can read its public one: this is somebody else.
        raise RequestError(403, "this key has joined already", hint="join with a key of its own")
    if row and row[2] is not None:
        raise RequestError(403, "this host is revoked", hint="remove its key there, and join anew")
    number, host = (row[0], row[1]) if row else await _add_host(connection, key, asked.name)
    await connection.execute("UPDATE hosts SET is_managed = %s WHERE number = %s", (asked.is_managed, number))
    await connection.execute("UPDATE codes SET host = %s WHERE id = %s", (number, code.id))
    return host


async def _add_host(connection: Connection, key: PublicKey, name: str) -> tuple[int, str]:
    found = await connection.execute("SELECT nextval(pg_get_serial_sequence('hosts', 'number'))::int")
    row = await found.fetchone()
    number = row[0] if row else 0
    shown = clip(name.strip(), 100)
    host = f"{make_slug(shown)}-{number}"
    await connection.execute(
        "INSERT INTO hosts (number, id, name, key, joined_at) VALUES (%s, %s, %s, %s, %s)",
        (number, host, shown or host, key.text, time.time()),
    )
    return number, host


def make_slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-") or "host"


async def take_status(connection: Connection, host: int, said_at: float, status: HostStatus) -> None:
    """What a host says now; what it has said earlier and what comes late changes nothing."""
    body = msgspec.json.encode(msgspec.structs.replace(status, grants=())).decode()
    names = clip(status.version, MOST_NAME), clip(status.bundle, MOST_NAME)
    done = await connection.execute(STATUS, (host, said_at, *names, bound(status.newest, MOST_BIG), body))
    await connection.execute("UPDATE hosts SET seen_at = %s WHERE number = %s", (time.time(), host))
    if done.rowcount and status.grants:
        await connection.execute(GRANTS, (host, *_list_columns(status.grants[:MOST_GRANTS])))


def _list_columns(grants: tuple[HostGrant, ...]) -> list[list[object]]:
    kept = list({clip(grant.id, MOST_NAME): grant for grant in grants}.items())
    names = ("at", "policy", "scope", "granted_by", "uses", "last_used", "expires", "revoked", "project", "shown")
    ids: list[object] = [name for name, _ in kept]
    return [ids, *([_bound(getattr(grant, name)) for _, grant in kept] for name in names)]


def _bound(value: object) -> object:
    return clip(value, 2000) if isinstance(value, str) else bound(value, MOST_BIG) if isinstance(value, int) else value


async def revoke_host(connection: Connection, host: str, by: str) -> None:
    """From now on it writes and reads nothing; what it has sent stays. Raises SynapticError."""
    done = await connection.execute(
        "UPDATE hosts SET revoked_at = coalesce(revoked_at, %s), revoked_by = CASE WHEN revoked_at IS NULL THEN %s"
        " ELSE revoked_by END WHERE id = %s",
        (time.time(), by, host),
    )
    if not done.rowcount:
        raise SynapticError(f"there is no host {host}", hint="synaptic hub hosts")


async def require_active(connection: Connection, host: int) -> None:
    """In a host's own transaction: raises RequestError for one that is revoked, which cannot see its own row."""
    row = await (await connection.execute("SELECT 1 FROM hosts WHERE number = %s", (host,))).fetchone()
    if row is None:
        raise RequestError(403, "this host is revoked")
