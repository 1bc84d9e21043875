"""Exceptions that a person has made: signed, looked up when a policy refuses, used up in the event's transaction."""

import hashlib
import hmac
import secrets
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from synaptic.model.errors import StoreError
from synaptic.model.grant import CODE_LETTERS, Grant, RefusedAct
from synaptic.store.db import Connection, Row, Store
from synaptic.store.key import read_signing_key
from synaptic.store.redact import redact_text

ID_LENGTH = 8
MOST_SHOWN = 2000
KEPT_DAYS = 90
"""Days for which exceptions that are over are still listed."""
MOST_PATTERNS = 50
"""Of one policy and one program: each is compared with every such refusal, while the agent waits."""
INSERT_GRANT = """
INSERT INTO grants (id, at, policy, fingerprint, subject, expires, value, mac) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
SELECT_GRANTS = (
    "SELECT CAST(id AS BLOB), CAST(value AS BLOB), CAST(mac AS BLOB), CAST(uses AS INTEGER), CAST(last_used AS REAL) "
    "FROM grants"
)
"""Whatever somebody else has put there, it can be read: one row of theirs must not hide the others."""
SELECT_FOR_ACT = f"""
{SELECT_GRANTS} WHERE policy = ?1 AND fingerprint = ?2 UNION ALL
{SELECT_GRANTS} WHERE policy = ?1 AND fingerprint = '' AND subject = ?3 AND (expires = 0 OR expires > ?4)
"""
COUNT_FOR_KIND = (
    "SELECT count(*) FROM grants WHERE policy = ? AND fingerprint = '' AND subject = ? AND (expires = 0 OR expires > ?)"
)
COUNT_ALL = "SELECT count(*) FROM grants"
SELECT_ONE = f"{SELECT_GRANTS} WHERE id = ?"
SELECT_ALL = f"{SELECT_GRANTS} ORDER BY at DESC, id"
UPDATE_GRANT = "UPDATE grants SET value = ?, mac = ?, expires = ? WHERE id = ?"
NOTE_USE = "UPDATE grants SET uses = uses + 1, last_used = ? WHERE id = ?"
DELETE_OVER = "DELETE FROM grants WHERE expires > 0 AND expires < ?"


class StoredGrant(msgspec.Struct, frozen=True):
    """An exception as it is listed."""

    grant: Grant
    uses: int = 0
    last_used: float = 0.0


def make_fingerprint(store: Store, act: bytes) -> str:
    """A keyed digest of a call: what is kept on disk tells nobody which password was in it. Raises StoreError."""
    return hmac.digest(read_signing_key(store), b"act\0" + act, hashlib.sha256).hex()[:32]


def make_grant_id() -> str:
    """A name for a new exception."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(ID_LENGTH))


def derive_grant_id(digest: bytes) -> str:
    """The one name that an exception can have which comes of a certain text: that text makes no second one."""
    number = int.from_bytes(hashlib.sha256(b"grant of\0" + digest).digest())
    return "".join(CODE_LETTERS[number // len(CODE_LETTERS) ** place % len(CODE_LETTERS)] for place in range(ID_LENGTH))


def add_grants(store: Store, grants: Sequence[Grant]) -> None:
    """Write exceptions down. Raises StoreError; where nothing can be kept on disk, too."""
    require_disk(store)
    key = read_signing_key(store)
    rows = [_make_row(key, msgspec.structs.replace(one, shown=redact_text(one.shown)[:MOST_SHOWN])) for one in grants]

    def write(connection: Connection) -> None:
        connection.executemany(INSERT_GRANT, rows)
        for one in grants:
            _limit_patterns(connection, one)
        connection.execute(DELETE_OVER, (time.time() - KEPT_DAYS * 86400,))

    store.write(write)


def require_disk(store: Store) -> None:
    """Nothing is granted in memory only: the process that decides may be another one. Raises StoreError."""
    if not store.durable:
        raise StoreError(f"nothing can be granted: {store.trouble}", hint="run `synaptic doctor`")


def find_for_act(store: Store, act: RefusedAct, subject: str = "") -> tuple[Grant, ...]:
    """Exceptions that may concern a refusal: of the same policy as it is set now, for this call or for a pattern."""
    key = (act.policy, act.fingerprint, subject or None, time.time())
    rows = store.read(lambda connection: connection.execute(SELECT_FOR_ACT, key).fetchall())
    # What is signed counts: whoever changes the columns beside it makes an exception about nothing else.
    return tuple(one.grant for one in _iter_genuine(store, rows) if _is_about(one.grant, act, subject)) if rows else ()


def list_grants(store: Store) -> tuple[StoredGrant, ...]:
    """All that this installation has written, the newest first."""
    rows = store.read(lambda connection: connection.execute(SELECT_ALL).fetchall())
    return tuple(_iter_genuine(store, rows))


def count_unsigned(store: Store) -> int:
    """Rows that this installation has not written: they lift nothing, and somebody wanted them to."""
    rows = store.read(lambda connection: connection.execute(SELECT_ALL).fetchall())
    return len(rows) - sum(1 for _ in _iter_genuine(store, rows))


def revoke_grants(store: Store, ids: Iterable[str], now: float) -> int:
    """Take exceptions back; how many were in force."""
    wanted = tuple(ids)

    def write(connection: Connection) -> int:
        return sum(
            _end_grant(store, connection, msgspec.structs.replace(found, revoked=now), now)
            for one in wanted
            if (found := _find_grant(store, connection, one)) and found.is_in_force(now)
        )

    revoked = store.write(write)
    # Where the disk loses this write, it is repeated: else what was taken back would count again.
    store.recent.add(len(wanted), lambda connection, with_effects: write(connection))
    return revoked


def count_forged(store: Store) -> int:
    """Exceptions that do not carry this home's signature, and so do not count: written by others, or the key is new."""
    return int(store.read(lambda connection: connection.execute(COUNT_ALL).fetchone()[0])) - len(list_grants(store))


def are_in_force(connection: Connection, store: Store, ids: Iterable[str], moment: tuple[str, float]) -> bool:
    """In the event's transaction: whether every exception that a decision rests on still counts for its call."""
    call, now = moment
    found = (_find_grant(store, connection, one) for one in ids)
    return all(one is not None and one.is_in_force(now, call) for one in found)


def use_grants(connection: Connection, store: Store, ids: Iterable[str], moment: tuple[str, float]) -> None:
    """In the event's transaction: those that count once are used up by this call."""
    call, now = moment
    for one in ids:
        found = _find_grant(store, connection, one)
        if found is not None and found.scope == "once":
            _end_grant(store, connection, msgspec.structs.replace(found, used_by=call), now)
        connection.execute(NOTE_USE, (now, one))


def _find_grant(store: Store, connection: Connection, grant: str) -> Grant | None:
    rows = connection.execute(SELECT_ONE, (grant,)).fetchall()
    return next((one.grant for one in _iter_genuine(store, rows)), None)


def _is_about(grant: Grant, act: RefusedAct, subject: str) -> bool:
    if (grant.policy, grant.options) != (act.policy, act.options):
        return False
    return grant.subject == subject if grant.like else grant.fingerprint == act.fingerprint


def _limit_patterns(connection: Connection, grant: Grant) -> None:
    if not grant.like:
        return
    count = connection.execute(COUNT_FOR_KIND, (grant.policy, grant.subject, time.time())).fetchone()[0]
    if count > MOST_PATTERNS:
        hint = "revoke some that you do not need, see `synaptic grants list`"
        raise StoreError(f"{grant.policy} has {MOST_PATTERNS} patterns for {grant.subject}", hint=hint)


def _end_grant(store: Store, connection: Connection, grant: Grant, now: float) -> int:
    """Sign an exception that is over. The column says since when, so that it is forgotten some day."""
    *_, value, mac = _make_row(read_signing_key(store), grant)
    return connection.execute(UPDATE_GRANT, (value, mac, now, grant.id)).rowcount


def _make_row(key: bytes, grant: Grant) -> Row:
    value = msgspec.json.encode(grant)
    named = (grant.id, grant.at, grant.policy, grant.fingerprint, grant.subject, grant.expires)
    return (*named, value, _sign(key, value))


def _sign(key: bytes, value: bytes) -> bytes:
    return hmac.digest(key, b"grant\0" + value, hashlib.sha256)


def _iter_genuine(store: Store, rows: Iterable[Row]) -> Iterable[StoredGrant]:
    """Those that carry our signature. Columns beside the value are only for finding them."""
    key = read_signing_key(store)
    for id, value, mac, uses, last_used in rows:
        if not isinstance(value, bytes) or not isinstance(mac, bytes):
            continue
        grant = _read_genuine(key, value, mac)
        if grant is not None and grant.id.encode() == id:  # no copy under another name, used up under the first one
            yield StoredGrant(grant, int(str(uses)), float(str(last_used)))


@lru_cache(maxsize=512)
def _read_genuine(key: bytes, value: bytes, mac: bytes) -> Grant | None:
    """Patterns are compared with every refusal of their program: what was believed once need not be looked at again."""
    if not hmac.compare_digest(_sign(key, value), mac):
        return None
    try:
        return msgspec.json.decode(value, type=Grant)
    except msgspec.DecodeError:
        return None
