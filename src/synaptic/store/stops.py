"""Count how often in a row an agent was kept from stopping, for the cap that ends such loops."""

from synaptic.model.decision import Decision, Kind
from synaptic.model.event import EVENTS, Timing
from synaptic.store.db import Connection, Store
from synaptic.store.record import EventRecord

STOP_EVENTS = frozenset(name for name, event in EVENTS.items() if event.TIMING is Timing.STOP)
PROMPT_EVENT = "UserPromptSubmit"

COUNT_BLOCK = """
INSERT INTO stops (session, agent_id, count, at) VALUES (?, ?, 1, ?)
ON CONFLICT (session, agent_id) DO UPDATE SET count = count + 1, at = excluded.at
"""


def count_stop_blocks(store: Store, session: str, agent_id: str = "") -> int:
    """Count blocked stops since the last stop that passed, or since the user's last prompt."""
    sql = "SELECT count FROM stops WHERE session = ? AND agent_id = ?"
    row = store.read(lambda connection: connection.execute(sql, (session, agent_id)).fetchone())
    return int(row[0]) if row else 0


def record_stops(connection: Connection, record: EventRecord) -> None:
    """In the transaction of the event: count a block, forget them after a pass or a prompt."""
    if record.event == PROMPT_EVENT:
        connection.execute("DELETE FROM stops WHERE session = ?", (record.session,))
    elif record.event in STOP_EVENTS:
        _count_stop(connection, record)


def is_stop_block(decision: Decision) -> bool:
    """Whether a stop event's decision asks the agent to go on."""
    return decision.kind is Kind.DENY or bool(decision.feedback)


def _count_stop(connection: Connection, record: EventRecord) -> None:
    who = (record.session, record.agent_id)
    if is_stop_block(record.decision):
        connection.execute(COUNT_BLOCK, (*who, record.at))
    else:
        connection.execute("DELETE FROM stops WHERE session = ? AND agent_id = ?", who)
