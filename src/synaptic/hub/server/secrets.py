"""Codes that hosts join with, and tokens that persons read with: shown once, kept as digests."""

import hashlib
import hmac
import re
import secrets
import time

import msgspec

from synaptic.hub.server.database import Connection
from synaptic.hub.server.refused import RequestError
from synaptic.model.errors import SynapticError

LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
"""Without those that look like others."""
CODE = re.compile(r"([A-Z0-9]{4})-([A-Z0-9]{5}(?:-[A-Z0-9]{5}){2})")
MOST_TRIES = 10
MOST_HOURS = 24 * 31.0
ROLES = ("reader", "admin")
TOKEN_START = "synhub_"
TOUCH_SECONDS = 60.0


class FoundToken(msgspec.Struct, frozen=True):
    """Whose token it is, and what it may."""

    id: int
    name: str
    role: str
    used_at: float = 0.0


class TokenRow(msgspec.Struct, frozen=True):
    """A token as it is listed: never what it is."""

    id: int
    name: str
    role: str
    made_at: float
    used_at: float
    revoked_at: float | None


async def make_code(connection: Connection, hours: float, is_managed: bool) -> tuple[str, float]:
    """A new code and its end. Raises SynapticError."""
    if not 0 < hours <= MOST_HOURS:
        raise SynapticError("a code is good for up to 31 days", hint="--hours 1")
    name, secret = _draw(4), "-".join(_draw(5) for _ in range(3))
    now = time.time()
    await connection.execute("DELETE FROM codes WHERE expires < %s", (now - 86400 * 31,))
    await connection.execute(
        "INSERT INTO codes (id, digest, made_at, expires, is_managed) VALUES (%s, %s, %s, %s, %s)",
        (name, _digest(secret), now, now + hours * 3600, is_managed),
    )
    return f"{name}-{secret}", now + hours * 3600


class FoundCode(msgspec.Struct, frozen=True):
    """A code that is right: whom it lets in, or whom it has let in."""

    id: str
    is_managed: bool
    host: int | None


async def find_code(connection: Connection, code: str) -> FoundCode | None:
    """The code that is meant, locked; None for one that is wrong, old or tried too often. A wrong try is counted."""
    match = CODE.fullmatch(code.strip().upper())
    if match is None:
        return None
    found = await connection.execute(
        "SELECT digest, expires, is_managed, tries, host FROM codes WHERE id = %s FOR UPDATE", (match[1],)
    )
    row = await found.fetchone()
    if row is None or row[1] < time.time() or row[3] >= MOST_TRIES:
        return None
    if not hmac.compare_digest(bytes(row[0]), _digest(match[2])):
        await connection.execute("UPDATE codes SET tries = tries + 1 WHERE id = %s", (match[1],))
        return None
    return FoundCode(match[1], row[2], row[4])


async def add_token(connection: Connection, name: str, role: str) -> str:
    """A new token. Raises SynapticError."""
    if role not in ROLES:
        raise SynapticError(f"there is no role `{role}`", hint="reader or admin")
    if not name.strip() or len(name) > 100 or not name.isprintable():
        raise SynapticError("a token has the name of the person whose it is", hint="up to 100 letters")
    token = TOKEN_START + secrets.token_urlsafe(32)
    found = await connection.execute(
        "INSERT INTO tokens (name, role, digest, made_at) VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (name) WHERE revoked_at IS NULL DO NOTHING RETURNING id",
        (name, role, _digest(token), time.time()),
    )
    if await found.fetchone() is None:
        raise SynapticError(f"{name} has a token already", hint=f"synaptic hub token revoke {name}")
    return token


async def find_token(connection: Connection, token: str) -> FoundToken | None:
    if not token.startswith(TOKEN_START) or len(token) > 200:
        return None
    found = await connection.execute(
        "SELECT id, name, role, used_at FROM tokens WHERE digest = %s AND revoked_at IS NULL", (_digest(token),)
    )
    row = await found.fetchone()
    if row is None:
        return None
    if time.time() - row[3] > TOUCH_SECONDS:
        await connection.execute("UPDATE tokens SET used_at = %s WHERE id = %s", (time.time(), row[0]))
    return FoundToken(*row)


async def list_tokens(connection: Connection) -> list[TokenRow]:
    found = await connection.execute(
        "SELECT id, name, role, made_at, used_at, revoked_at FROM tokens ORDER BY revoked_at IS NOT NULL, name"
    )
    return [TokenRow(*row) for row in await found.fetchall()]


async def revoke_token(connection: Connection, name: str) -> None:
    """Raises SynapticError where nobody of this name has one."""
    done = await connection.execute(
        "UPDATE tokens SET revoked_at = %s WHERE name = %s AND revoked_at IS NULL", (time.time(), name)
    )
    if not done.rowcount:
        raise SynapticError(f"{name} has no token", hint="synaptic hub token list")


def require_code(found: FoundCode | None) -> FoundCode:
    """Raises RequestError, with the same words for every reason."""
    if found is None:
        raise RequestError(403, "this code is wrong, used or too old", hint="ask for another: synaptic hub invite")
    return found


def _draw(count: int) -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(count))


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
