"""The PIN: kept as a slow hash, signed, and every try is counted before it is compared."""

import hashlib
import hmac
import os
import time
from enum import Enum

import msgspec

from synaptic.store.db import Connection, Store
from synaptic.store.grants import require_disk
from synaptic.store.key import read_signing_key

HASH_COST, HASH_BLOCK = 1 << 15, 8
HASH_BYTES = 64 << 20
"""Memory that a hash may take: it needs half of it."""
SALT_BYTES = 16
FREE_TRIES = 2
"""Wrong tries after which the next one has to wait."""
FIRST_WAIT = 30.0
LONGEST_WAIT = 86400.0
SELECT_PIN = "SELECT value, mac FROM pin WHERE id = 1"
PUT_PIN = "INSERT OR REPLACE INTO pin (id, value, mac) VALUES (1, ?, ?)"
DELETE_PIN = "DELETE FROM pin"


class PinStanding(Enum):
    """Whether there is a PIN."""

    MISSING = "missing"
    SET = "set"
    FORGED = "forged"
    """There is one that this installation has not written: nobody's word is proved by it."""


class PinTry(Enum):
    """What a try has shown."""

    RIGHT = "right"
    WRONG = "wrong"
    WAIT = "wait"
    """There were too many before it: it was not looked at."""
    MISSING = "missing"


class StoredPin(msgspec.Struct, frozen=True, kw_only=True):
    """The PIN as it is kept."""

    salt: bytes
    hash: bytes
    at: float
    tries: int = 0
    """Wrong ones since the last right one."""
    until: float = 0.0
    """No try counts before."""


def read_pin(store: Store) -> tuple[PinStanding, StoredPin | None]:
    """Whether there is a PIN, and how its tries stand. Raises StoreError."""
    return store.read(lambda connection: _read_row(store, connection))


def write_pin(store: Store, text: str, now: float) -> None:
    """Keep a PIN in the place of what is there. Raises StoreError, also where nothing can be kept on disk."""
    require_disk(store)
    salt = os.urandom(SALT_BYTES)
    pin = StoredPin(salt=salt, hash=_hash_pin(text, salt), at=now)
    store.write(lambda connection: _put_row(store, connection, pin))


def remove_pin(store: Store) -> None:
    """Keep none any more."""
    require_disk(store)
    store.write(lambda connection: connection.execute(DELETE_PIN))


def try_pin(store: Store, text: str, now: float | None = None) -> PinTry:
    """Compare a text with the PIN. It counts as a wrong try until it has shown to be right: a kill saves none.

    Many at once get no further than one after another: each is counted in a transaction of its own, and then waits.
    """
    require_disk(store)
    moment = time.time() if now is None else now
    found = store.write(lambda connection: _begin_try(store, connection, moment))
    if not isinstance(found, StoredPin):
        return found
    if not hmac.compare_digest(_hash_pin(text, found.salt), found.hash):
        return PinTry.WRONG
    store.write(lambda connection: _forgive_tries(store, connection, found))
    return PinTry.RIGHT


def measure_wait(pin: StoredPin, now: float) -> float:
    """Seconds until the next try counts. A clock that was put back keeps nobody out for longer than a day."""
    return min(max(pin.until - now, 0.0), LONGEST_WAIT)


def _begin_try(store: Store, connection: Connection, now: float) -> StoredPin | PinTry:
    _, pin = _read_row(store, connection)
    if pin is None:
        return PinTry.MISSING
    if measure_wait(pin, now):
        return PinTry.WAIT
    tries = pin.tries + 1
    wait = min(FIRST_WAIT * 2.0 ** min(tries - FREE_TRIES - 1, 32), LONGEST_WAIT) if tries > FREE_TRIES else 0.0
    begun = msgspec.structs.replace(pin, tries=tries, until=now + wait)
    _put_row(store, connection, begun)
    return begun


def _forgive_tries(store: Store, connection: Connection, tried: StoredPin) -> None:
    """After a right one, unless the PIN was changed in between."""
    _, pin = _read_row(store, connection)
    if pin is not None and pin.salt == tried.salt:
        _put_row(store, connection, msgspec.structs.replace(pin, tries=0, until=0.0))


def _read_row(store: Store, connection: Connection) -> tuple[PinStanding, StoredPin | None]:
    row = connection.execute(SELECT_PIN).fetchone()
    if row is None:
        return PinStanding.MISSING, None
    value, mac = row
    is_ours = isinstance(value, bytes) and isinstance(mac, bytes) and hmac.compare_digest(_sign(store, value), mac)
    try:
        pin = msgspec.msgpack.decode(value, type=StoredPin) if is_ours else None
    except msgspec.DecodeError:
        pin = None
    return (PinStanding.SET, pin) if pin else (PinStanding.FORGED, None)


def _put_row(store: Store, connection: Connection, pin: StoredPin) -> None:
    value = msgspec.msgpack.encode(pin)
    connection.execute(PUT_PIN, (value, _sign(store, value)))


def _sign(store: Store, value: bytes) -> bytes:
    return hmac.digest(read_signing_key(store), b"pin\0" + value, hashlib.sha256)


def _hash_pin(text: str, salt: bytes) -> bytes:
    raw = text.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(raw, salt=salt, n=HASH_COST, r=HASH_BLOCK, p=1, maxmem=HASH_BYTES)
