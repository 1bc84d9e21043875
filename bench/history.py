"""A journal with a long past: one real event, repeated in bulk inside the real tables."""

from collections.abc import Mapping

from synaptic.model.home import Home
from synaptic.store.db import Connection, Store

SESSION_LENGTH = 500
"""Events a session, so that the index by session looks like a year of work."""

VARIED = {
    "payload": """replace(model.payload, 'git status', 'git status '
        || CASE WHEN number % 1000 = 0 THEN 'kubernetes ' ELSE '' END
        || CASE WHEN number % 200000 = 7 THEN 'zanzibar ' ELSE '' END
        || printf('%08x', number * 2654435761 % 4294967296))""",
    "root": "CASE WHEN number % 200000 = 77 THEN '/p/attic' ELSE printf('/p/project-%d', number % 50) END",
}
"""Commands of which each has a word of its own, some have words that few have; many projects, and one of years ago."""
REFUSED = '{"kind":"deny","by":"git.reset-hard","reason":"work","trace":[{"hook":"git.reset-hard","kind":"deny"}]}'
REFUSE = "UPDATE events SET kind = 'deny', decision = ? WHERE id % ? = 0"


def lengthen(
    home: Home, count: int, seconds_apart: float = 0.0, refuse_every: int = 0, *, varied: bool = False
) -> None:
    """So many events before now. The journal must hold at least one to repeat; no daemon may be running.

    Of them every so many is a refusal; where none is, all are like the one that is there, unless they are varied.
    """
    store = Store.open(home)
    try:
        store.write(lambda connection: _repeat(connection, count, seconds_apart, VARIED if varied else {}))
        if refuse_every:
            store.write(lambda connection: connection.execute(REFUSE, (REFUSED, refuse_every)))
        store.checkpoint()
    finally:
        store.close()


def _repeat(connection: Connection, count: int, seconds_apart: float, varied: Mapping[str, str]) -> None:
    names = [row[1] for row in connection.execute("PRAGMA table_info(events)") if row[1] != "id"]
    values = {
        "call": "printf('%032x', number)",
        "session": f"printf('session-%d', number / {SESSION_LENGTH})",
        "at": f"model.at - ({int(count)} - number) * {float(seconds_apart)}",
        **varied,
    }
    connection.execute(
        f"""
        WITH RECURSIVE past(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM past WHERE number < {int(count)}),
        model AS (SELECT * FROM events ORDER BY id LIMIT 1)
        INSERT INTO events ({", ".join(names)})
        SELECT {", ".join(values.get(name, f"model.{name}") for name in names)} FROM past CROSS JOIN model
        """
    )
