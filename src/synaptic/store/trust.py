"""Content digests that the user has agreed to run, by project."""

import time
from collections.abc import Iterable

import msgspec

from synaptic.store.db import NO_VERSION, Connection, Store

INSERT_TRUST = """
INSERT INTO trust (root, digest, label, at) VALUES (?, ?, ?, ?)
ON CONFLICT (root, digest) DO UPDATE SET label = excluded.label, at = excluded.at
"""


class _TrustCache:
    """Digests by root, as read at `version`."""

    def __init__(self) -> None:
        self.version = NO_VERSION
        self.digests: dict[str, frozenset[str]] = {}


class TrustedContent(msgspec.Struct, frozen=True):
    """One trusted content by its digest, with a label for people."""

    digest: str
    label: str


class TrustAgreement(msgspec.Struct, frozen=True):
    """One stored agreement, as `synaptic trust` lists it."""

    root: str
    digest: str
    label: str
    at: float


def read_trusted_digests(store: Store, root: str) -> frozenset[str]:
    """Read the digests that may run in a project, cached until the database changes."""
    return store.read(lambda connection: _read_cached(store, connection, root))


def remember_trust(store: Store, root: str, items: Iterable[TrustedContent]) -> None:
    """Trust these contents in this project, besides what is trusted already."""
    now = time.time()
    rows = [(root, item.digest, item.label, now) for item in items]
    store.write(lambda connection: connection.executemany(INSERT_TRUST, rows))


def forget_trust(store: Store, root: str) -> int:
    """Withdraw all trust in a project; returns how many contents that were."""
    sql = "DELETE FROM trust WHERE root = ?"
    return store.write(lambda connection: connection.execute(sql, (root,)).rowcount)


def list_agreements(store: Store, root: str | None = None) -> tuple[TrustAgreement, ...]:
    """List what is trusted, in one project or in all."""
    sql = "SELECT root, digest, label, at FROM trust WHERE ?1 IS NULL OR root = ?1 ORDER BY root, label, digest"
    rows = store.read(lambda connection: connection.execute(sql, (root,)).fetchall())
    return tuple(TrustAgreement(*row) for row in rows)


def _read_cached(store: Store, connection: Connection, root: str) -> frozenset[str]:
    cache, now = store.cache(_TrustCache), store.version(connection)
    if now != cache.version:
        cache.digests.clear()
        cache.version = now
    found = cache.digests.get(root)
    if found is None:
        rows = connection.execute("SELECT digest FROM trust WHERE root = ?", (root,)).fetchall()
        found = cache.digests[root] = frozenset(digest for (digest,) in rows)
    return found
