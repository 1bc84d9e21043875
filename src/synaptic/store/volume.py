"""How many events there were lately, and how many of them were refused."""

from synaptic.store.db import Connection, Store

MOST_COUNTED = 60_000
"""Events, from the newest back: where there are more, the oldest of the time are left out."""
COUNT_EVENTS = """
SELECT cast((at - :since) / :step AS INTEGER) AS slot, count(*), sum(kind = 'deny') FROM (
  SELECT at, kind FROM events WHERE id > (SELECT coalesce(max(id), 0) FROM events) - :most
) WHERE at >= :since AND at < :until GROUP BY slot
"""


def count_volume(store: Store, until: float, slots: int, step: float) -> list[tuple[int, int]]:
    """Events and refusals in each of the last spans of time, the oldest first."""
    since = until - slots * step
    values = {"since": since, "until": until, "step": step, "most": MOST_COUNTED}

    def work(connection: Connection) -> list[tuple[int, int, int]]:
        return connection.execute(COUNT_EVENTS, values).fetchall()

    found = {slot: (count, denied or 0) for slot, count, denied in store.read(work)}
    return [found.get(slot, (0, 0)) for slot in range(slots)]
