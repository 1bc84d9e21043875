"""What was lost or repaired when the database's files were damaged or changed by others: told once, and to doctor."""

import time

import msgspec

from synaptic.model.sane import WARY
from synaptic.store.connection import Connection

KEY_NAME = "state.key"
"""The key that state is signed with, beside the database."""

INSERT_LOSS = "INSERT INTO losses (at, what, aside, state_lost) VALUES (?, ?, ?, ?)"
SELECT_LOSSES = "SELECT at, what, aside FROM losses ORDER BY id DESC LIMIT 20"
SELECT_UNTOLD = "SELECT id, what FROM losses WHERE told = 0 ORDER BY id LIMIT 20"
WARY_ROWS = f"FROM state WHERE scope || ':' || section IN ({', '.join('?' * len(WARY))})"
QUARANTINE_ROWS = f"""
INSERT INTO quarantine (scope, owner, section, value, mac, at) SELECT scope, owner, section, value, mac, ? {WARY_ROWS}
"""
DISTRUST_SECONDS = 90 * 86_400.0
"""How long a project that was not seen since a loss of state counts as one that may have had some."""


class Loss(msgspec.Struct, frozen=True):
    """One repair of the database."""

    what: str
    aside: str = ""
    """The file that was set aside."""
    state_lost: bool = False
    """Whether stored state may be missing: until a person resets it, the stricter reading holds."""
    at: float = 0.0


def record_loss(connection: Connection, loss: Loss) -> None:
    """Write a loss down."""
    connection.execute(INSERT_LOSS, (loss.at or time.time(), loss.what, loss.aside, int(loss.state_lost)))


def list_losses(connection: Connection) -> tuple[Loss, ...]:
    """List the last losses, newest first."""
    rows = connection.execute(SELECT_LOSSES).fetchall()
    return tuple(Loss(what, aside, at=at) for at, what, aside in rows)


def take_untold(connection: Connection) -> tuple[str, ...]:
    """What nobody was told yet; from now on it is told."""
    rows = connection.execute(SELECT_UNTOLD).fetchall()
    if rows:
        connection.execute("UPDATE losses SET told = 1 WHERE id <= ?", (rows[-1][0],))
    return tuple(what for _, what in rows)


def has_untold(connection: Connection) -> bool:
    """Whether there is something that nobody was told."""
    return connection.execute(SELECT_UNTOLD).fetchone() is not None


def has_lost_state(connection: Connection) -> bool:
    """Whether state may be missing since a damage."""
    since = time.time() - DISTRUST_SECONDS
    sql = "SELECT 1 FROM losses WHERE state_lost = 1 AND at > ? LIMIT 1"
    return connection.execute(sql, (since,)).fetchone() is not None


def quarantine_wary(connection: Connection) -> None:
    """Believe no stored section that could have been stricter: newer ones may have been lost."""
    void_grants(connection)
    connection.execute(QUARANTINE_ROWS, (time.time(), *WARY))
    connection.execute(f"DELETE {WARY_ROWS}", tuple(WARY))


def void_grants(connection: Connection) -> None:
    """Drop every exception: that one was used up or taken back may be among what was lost."""
    connection.execute("DELETE FROM grants")
