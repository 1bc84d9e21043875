"""Texts queued for a session's next event that can carry context; each is delivered once, or expires."""

import time
from collections.abc import Iterable

from synaptic.model.effect import Deliver
from synaptic.store.db import Connection, Store
from synaptic.store.record import Delivery, EventRecord
from synaptic.store.redact import redact_text

NOTHING_WAITS_SECONDS = 0.2
"""Seconds for which "nothing waits" is believed. What this process writes is seen at once, others' a moment later."""
MAX_IDLE_SESSIONS = 1000
DELIVERY_LIFETIME = 24 * 3600.0
"""Seconds after which an undelivered text is dropped."""

SELECT_DELIVERIES = """
SELECT id, call, hook, text, at, delivered FROM deliveries
WHERE session = ? AND agent_id = ? AND at > ? ORDER BY id
"""
INSERT_DELIVERY = """
INSERT INTO deliveries (call, hook, session, agent_id, text, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (call, hook) DO NOTHING
"""


class _NothingWaits(dict[tuple[str, str], float]):
    """Agents of sessions for which nothing waits, each with the moment until which that is believed."""


def find_pending(store: Store, session: str, agent_id: str = "", call: str = "") -> tuple[Delivery, ...]:
    """List the texts that wait for an agent of a session, oldest first.

    With `call`, texts which that call has delivered before are included: a repeated call gets the same answer.
    """
    now = time.monotonic()
    if store.cache(_NothingWaits).get((session, agent_id), 0.0) > now:
        return ()
    values = (session, agent_id, time.time() - DELIVERY_LIFETIME)
    rows = store.read(lambda connection: connection.execute(SELECT_DELIVERIES, values).fetchall())
    if not rows:
        _remember_none(store, (session, agent_id), now + NOTHING_WAITS_SECONDS)
    return tuple(
        Delivery(id=id, call=source, hook=hook, session=session, agent_id=agent_id, text=text, at=at)
        for id, source, hook, text, at, delivered in rows
        if delivered in ("", call)
    )


def add_delivery(store: Store, delivery: Delivery) -> bool:
    """Queue the result of a background hook. The same (call, hook) is queued once: False the second time."""
    expect_more(store)
    return store.write(lambda connection: _insert_delivery(connection, delivery))


def expect_more(store: Store) -> None:
    """Something is about to be kept for some session: nobody's "nothing waits" is believed any more."""
    store.cache(_NothingWaits).clear()


def record_deliveries(connection: Connection, record: EventRecord) -> None:
    """In the transaction of the event: mark what it delivered, queue what it produced."""
    if record.delivered:
        carried = ((record.call, id) for id in record.delivered)
        connection.executemany("UPDATE deliveries SET delivered = ? WHERE id = ? AND delivered = ''", carried)
    for delivery in _iter_produced(record):
        _insert_delivery(connection, delivery)


def _remember_none(store: Store, who: tuple[str, str], until: float) -> None:
    cache = store.cache(_NothingWaits)
    if len(cache) >= MAX_IDLE_SESSIONS:
        cache.clear()
    cache[who] = until


def _iter_produced(record: EventRecord) -> Iterable[Delivery]:
    texts = (effect.text for effect in record.decision.effects if isinstance(effect, Deliver))
    for number, text in enumerate(texts):
        yield Delivery(
            call=record.call,
            hook=f"effect:{number}",
            session=record.session,
            agent_id=record.agent_id,
            text=text,
            at=record.at,
        )


def _insert_delivery(connection: Connection, delivery: Delivery) -> bool:
    if not delivery.session:
        return False  # without a session id any other session could be told it
    text = redact_text(delivery.text)
    values = (delivery.call, delivery.hook, delivery.session, delivery.agent_id, text, delivery.at)
    return connection.execute(INSERT_DELIVERY, values).rowcount == 1
