"""Count how often in a row an agent was kept from stopping, for the cap that ends such loops."""

from synaptic.model.decision import Decision, Kind
from synaptic.model.event import EVENTS, Timing
from synaptic.store.db import Connection, Store
from synaptic.store.record import Record

STOPS = frozenset(name for name, event in EVENTS.items() if event.TIMING is Timing.STOP)
PROMPT = "UserPromptSubmit"

MORE = """
INSERT INTO stops (session, agent_id, count, at) VALUES (?, ?, 1, ?)
ON CONFLICT (session, agent_id) DO UPDATE SET count = count + 1, at = excluded.at
"""


def consecutive(store: Store, session: str, agent_id: str = "") -> int:
    """Count blocked stops since the last stop that passed, or since the user's last prompt."""
    sql = "SELECT count FROM stops WHERE session = ? AND agent_id = ?"
    row = store.read(lambda connection: connection.execute(sql, (session, agent_id)).fetchone())
    return int(row[0]) if row else 0


def settle(connection: Connection, record: Record) -> None:
    """In the transaction of the event: count a block, forget them after a pass or a prompt."""
    if record.event == PROMPT:
        connection.execute("DELETE FROM stops WHERE session = ?", (record.session,))
    elif record.event in STOPS:
        _count(connection, record)


def blocks(decision: Decision) -> bool:
    """Whether a stop event's decision asks the agent to go on."""
    return decision.kind is Kind.DENY or bool(decision.feedback)


def _count(connection: Connection, record: Record) -> None:
    who = (record.session, record.agent_id)
    if blocks(record.decision):
        connection.execute(MORE, (*who, record.at))
    else:
        connection.execute("DELETE FROM stops WHERE session = ? AND agent_id = ?", who)
