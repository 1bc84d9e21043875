"""Content digests that the user has agreed to run, by project; signed, so that no row written past us counts."""

import hashlib
import hmac
import time
from collections.abc import Iterable

import msgspec

from synaptic.store.db import NO_VERSION, Connection, Store
from synaptic.store.key import read_signing_key

INSERT_TRUST = """
INSERT INTO trust (root, digest, label, at, mac, hook, kept, kept_mac) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (root, digest) DO UPDATE SET label = excluded.label, at = excluded.at, mac = excluded.mac,
    hook = excluded.hook, kept = excluded.kept, kept_mac = excluded.kept_mac
"""
DROP_KEPT = "UPDATE trust SET kept = x'', kept_mac = x'' WHERE root = ? AND hook = ? AND digest <> ? AND kept <> x''"
SELECT_KEPT = """
SELECT digest, kept, kept_mac FROM trust WHERE root = ? AND hook = ? AND kept <> x'' ORDER BY at DESC LIMIT 10
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
    hook: str = ""
    """The id of the hook that it is of."""
    kept: bytes = b""
    """What it was, for a later comparison: as long as this is the last agreement for the hook."""


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
    rows = [
        (root, item.digest, item.label, now, _compute_mac(key, root, item.digest), *_sign_kept(key, root, item))
        for item in items
    ]
    replaced = [(root, hook, digest) for _, digest, _, _, _, hook, kept, _ in rows if kept]

    def write(connection: Connection) -> None:
        connection.executemany(INSERT_TRUST, rows)
        connection.executemany(DROP_KEPT, replaced)

    store.write(write)


def read_kept_content(store: Store, root: str, hook: str) -> bytes:
    """Read what a hook was at its last agreement; empty where nothing was kept, or nothing that we have signed."""
    rows = store.read(lambda connection: connection.execute(SELECT_KEPT, (root, hook)).fetchall())
    key = read_signing_key(store) if rows else b""
    for digest, kept, mac in rows:
        if isinstance(digest, str) and isinstance(kept, bytes) and isinstance(mac, bytes):
            expected = _sign_kept(key, root, TrustedContent(digest, "", hook, kept))[2]
            if hmac.compare_digest(expected, mac):
                return kept
    return b""


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


def _sign_kept(key: bytes, root: str, item: TrustedContent) -> tuple[str, bytes, bytes]:
    """The hook, what is kept of it, and a MAC over both and where they belong."""
    if not item.kept:
        return item.hook, b"", b""
    place = f"agreed\0{root}\0{item.digest}\0{item.hook}\0".encode("utf-8", "surrogatepass")
    return item.hook, item.kept, hmac.digest(key, place + item.kept, hashlib.sha256)
