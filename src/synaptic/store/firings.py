"""How often each hook was asked and how often it fired, from the traces in the journal."""

from collections.abc import Iterable, Mapping

import msgspec

from synaptic.store.db import Store

RECENT = 200_000
"""The newest events that are counted."""
STEPS = """
FROM events, json_each(CAST(events.decision AS TEXT), '$.trace') AS step
WHERE events.id > (SELECT coalesce(max(id), 0) - ? FROM events)
"""
SPOKEN = f"""
SELECT json_extract(step.value, '$.hook'), count(*),
       sum(coalesce(json_extract(step.value, '$.kind'), 'none') <> 'none')
{STEPS} AND coalesce(json_extract(step.value, '$.phase'), 'run') IN ('run', 'started') GROUP BY 1
"""
QUIET = f"""
SELECT json_extract(step.value, '$.note'), count(*), 0
{STEPS} AND json_extract(step.value, '$.phase') = 'quiet' GROUP BY 1
"""


class Firings(msgspec.Struct, frozen=True):
    """One hook's part in the journal."""

    asked: int = 0
    fired: int = 0
    """Times it said something."""

    def plus(self, other: "Firings") -> "Firings":
        return Firings(self.asked + other.asked, self.fired + other.fired)


def firings(store: Store) -> Mapping[str, Firings]:
    """By hook id; a hook that was never asked is not in it."""
    spoken, quiet = store.read(
        lambda connection: tuple(connection.execute(sql, (RECENT,)).fetchall() for sql in (SPOKEN, QUIET))
    )
    found: dict[str, Firings] = {}
    for names, asked, fired in (*spoken, *quiet):
        for name in _names(names):
            found[name] = found.get(name, Firings()).plus(Firings(asked, fired))
    return found


def _names(text: str | None) -> Iterable[str]:
    """The hooks of one step: policies that had nothing to say share one. A journal without contents has no names."""
    return () if text is None or text.startswith("[") else text.split()
