"""Events beside one in its session: those of the same call, the one before and the one after."""

import msgspec

from synaptic.store.db import Connection, Store
from synaptic.store.journal_payload import read_payload
from synaptic.store.record import JournalEntry

CALL_KEYS = ("tool_use_id", "toolCallId", "tool_call_id", "call_id")
"""Keys under which agents number their calls."""
REACH = 400
"""Events of the session before and after one among which others of its call are looked for."""
SELECT_NEXT = "SELECT id FROM events WHERE session = ? AND id > ? ORDER BY id LIMIT 1"
SELECT_BEFORE = "SELECT id FROM events WHERE session = ? AND id < ? ORDER BY id DESC LIMIT 1"
SELECT_AFTER = "SELECT id FROM events WHERE session = ? AND id > ? ORDER BY id LIMIT ?"
SELECT_EARLIER = "SELECT id FROM events WHERE session = ? AND id < ? ORDER BY id DESC LIMIT ?"
SELECT_SAME = """
SELECT id, event, kind, at FROM events WHERE session = ? AND id >= ? AND id <= ? AND id <> ?
AND instr(payload, ?) > 0 ORDER BY id LIMIT 12
"""


class Neighbour(msgspec.Struct, frozen=True):
    """Another event of the same call."""

    id: int
    event: str
    kind: str
    at: float


class Neighbours(msgspec.Struct, frozen=True):
    """The numbers of the events around one in its session; 0 for none."""

    before: int
    after: int


def find_neighbours(store: Store, entry: JournalEntry) -> Neighbours:
    """The events before and after one."""
    if not entry.session:
        return Neighbours(0, 0)

    def work(connection: Connection) -> Neighbours:
        values = (entry.session, entry.id)
        rows = [connection.execute(sql, values).fetchone() for sql in (SELECT_BEFORE, SELECT_NEXT)]
        return Neighbours(*(row[0] if row else 0 for row in rows))

    return store.read(work)


def find_same_call(store: Store, entry: JournalEntry) -> tuple[Neighbour, ...]:
    """Other events of the very call, oldest first; none where the agent does not number its calls."""
    number = read_call_number(entry.payload)
    if not number or not entry.session:
        return ()

    def work(connection: Connection) -> list[tuple[int, str, str, float]]:
        near = [
            connection.execute(sql, (entry.session, entry.id, REACH)).fetchall()
            for sql in (SELECT_EARLIER, SELECT_AFTER)
        ]
        first, last = (rows[-1][0] if rows else entry.id for rows in near)
        quoted = msgspec.json.encode(number)
        return connection.execute(SELECT_SAME, (entry.session, first, last, entry.id, quoted)).fetchall()

    return tuple(Neighbour(*row) for row in store.read(work))


def read_call_number(payload: str | None) -> str:
    """The number that the agent gave a call; "" for none."""
    found = read_payload(payload)
    return next((one for key in CALL_KEYS if isinstance(one := found.get(key), str) and one), "")
