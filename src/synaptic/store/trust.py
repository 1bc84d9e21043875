"""Content digests that the user has agreed to run, by project; signed, so that no row written past us counts."""

import hashlib
import hmac
import time
from collections.abc import Iterable

import msgspec

from synaptic.store.db import NO_VERSION, Connection, Store
from synaptic.store.key import read_signing_key

INSERT_TRUST = """
INSERT INTO trust (root, digest, label, at, mac) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (root, digest) DO UPDATE SET label = excluded.label, at = excluded.at, mac = excluded.mac
"""
SELECT_AGREEMENTS = """
SELECT root, digest, label, at, mac FROM trust WHERE ?1 IS NULL OR root = ?1 ORDER BY root, label, digest
"""


class _TrustCache:
    """Digests by root, as read at `version`."""

    def __init__(self) -> None:
        self.version = NO_VERSION
        self.digests: dict[str, frozenset[str]] = {}
        self.told: set[tuple[str, int]] = set()
        """Projects, and how many of their rows were said not to count."""


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
    signed: bool = True
    """Whether this installation wrote it; without that it does not count."""


def read_trusted_digests(store: Store, root: str) -> frozenset[str]:
    """Read the digests that may run in a project, cached until the database changes."""
    return store.read(lambda connection: _read_cached(store, connection, root))


def remember_trust(store: Store, root: str, items: Iterable[TrustedContent]) -> None:
    """Trust these contents in this project, besides what is trusted already."""
    now = time.time()
    key = read_signing_key(store)
    rows = [(root, item.digest, item.label, now, _compute_mac(key, root, item.digest)) for item in items]
    store.write(lambda connection: connection.executemany(INSERT_TRUST, rows))


def forget_trust(store: Store, root: str) -> int:
    """Withdraw all trust in a project; returns how many contents that were."""
    sql = "DELETE FROM trust WHERE root = ?"
    return store.write(lambda connection: connection.execute(sql, (root,)).rowcount)


def list_agreements(store: Store, root: str | None = None) -> tuple[TrustAgreement, ...]:
    """List what is trusted, in one project or in all."""
    rows = store.read(lambda connection: connection.execute(SELECT_AGREEMENTS, (root,)).fetchall())
    return tuple(
        TrustAgreement(root, digest, label, at, _is_signed(store, root, digest, mac))
        for root, digest, label, at, mac in rows
    )


def _read_cached(store: Store, connection: Connection, root: str) -> frozenset[str]:
    cache, now = store.cache(_TrustCache), store.version(connection)
    if now != cache.version:
        cache.digests.clear()
        cache.version = now
    found = cache.digests.get(root)
    if found is None:
        rows = connection.execute("SELECT digest, mac FROM trust WHERE root = ?", (root,)).fetchall()
        found = frozenset(digest for digest, mac in rows if _is_signed(store, root, digest, mac))
        cache.digests[root] = found
        _tell_unsigned(store, root, len(rows) - len(found))
    return found


def _tell_unsigned(store: Store, root: str, count: int) -> None:
    told = store.cache(_TrustCache).told
    if count and (root, count) not in told:
        told.add((root, count))
        store.notices.append(
            f"{count} agreements for {root} do not carry the signature of this installation and do not count "
            "(look with `synaptic trust --list`, agree again with `synaptic trust`)"
        )


def _is_signed(store: Store, root: str, digest: object, mac: object) -> bool:
    if not isinstance(digest, str) or not isinstance(mac, bytes):
        return False
    return hmac.compare_digest(_compute_mac(read_signing_key(store), root, digest), mac)


def _compute_mac(key: bytes, root: str, digest: str) -> bytes:
    """MAC over project and digest, so that a row can be copied neither to another project nor from another table."""
    return hmac.digest(key, f"trust\0{root}\0{digest}".encode("utf-8", "surrogatepass"), hashlib.sha256)
