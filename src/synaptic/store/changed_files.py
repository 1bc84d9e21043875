"""What the journal knows of a session's tool calls and of its stops: which files it changed is read from that."""

from collections.abc import Iterator

import msgspec

from synaptic.model.decision import RAISED
from synaptic.model.tool import DESCRIBED_TOOLS, EDITS
from synaptic.store.db import Connection, Store

MOST_CALLS = 2000
"""Tool calls of one session that are looked at: the last ones."""
MOST_BYTES = 32 << 20
"""Of their payloads, all together."""
HARMLESS_TOOLS = msgspec.json.encode(sorted(DESCRIBED_TOOLS - EDITS)).decode()
"""Tools that write no file; a long session has read many."""

SELECT_CALLS = """
SELECT id, agent, event, payload FROM events
WHERE session = ? AND event IN ('PostToolUse', 'PostToolUseFailure') AND payload IS NOT NULL
AND tool NOT IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT ?
"""
SELECT_RAISED = f"""
SELECT id FROM events
WHERE session = ? AND event IN ('Stop', 'SessionEnd') AND decision LIKE '%"phase":"{RAISED}"%'
ORDER BY id DESC LIMIT 1
"""
SELECT_ACTS = """
SELECT 1 FROM events WHERE session = ? AND id > ?
AND event IN ('UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure') LIMIT 1
"""

SELECT_START = "SELECT at FROM events WHERE session = ? ORDER BY id LIMIT 1"


class FinishedCall(msgspec.Struct, frozen=True):
    """A tool call that has ended, as its agent told it."""

    id: int
    agent: str
    event: str
    payload: bytes


class SessionHistory(msgspec.Struct, frozen=True):
    """A session up to now."""

    calls: tuple[FinishedCall, ...] = ()
    """Newest first."""
    raised: int = 0
    """The number of the event at which its stop was last raised; 0 when it never was."""
    has_acted: bool = True
    """Whether anything was asked or done since then."""


def read_history(store: Store, session: str) -> SessionHistory:
    """Read a session. Where the journal keeps no contents, there are no calls to look at."""
    return store.read(lambda connection: _read_history(connection, session))


def find_start(store: Store, session: str) -> float:
    """When a session's first event came that is still kept; 0 for one that is not known."""
    row = store.read(lambda connection: connection.execute(SELECT_START, (session,)).fetchone())
    return float(row[0]) if row else 0.0


def _read_history(connection: Connection, session: str) -> SessionHistory:
    found = connection.execute(SELECT_RAISED, (session,)).fetchone()
    raised = int(found[0]) if found else 0
    acted = connection.execute(SELECT_ACTS, (session, raised)).fetchone() is not None
    return SessionHistory(tuple(_iter_calls(connection, session)), raised, acted)


def _iter_calls(connection: Connection, session: str) -> Iterator[FinishedCall]:
    total = 0
    for id, agent, event, payload in connection.execute(SELECT_CALLS, (session, HARMLESS_TOOLS, MOST_CALLS)):
        data = payload if isinstance(payload, bytes) else payload.encode("utf-8", "replace")
        total += len(data)
        if total > MOST_BYTES:
            return
        yield FinishedCall(id, agent, event, data)
