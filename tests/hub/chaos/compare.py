"""At the end: what the hub has of a host beside what its journal has, and beside what was to be written."""

import hashlib
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import psycopg

from synaptic.engine.environment import find_user_home
from synaptic.hub.server.bodies import clean_text
from synaptic.hub.shipping.outbox import make_event
from synaptic.hub.wire import HookRun, ShippedEvent
from synaptic.store.outbox import ShipCursor, read_page
from synaptic.store.reader import JournalReader
from tests.hub.chaos.events import name_call
from tests.hub.chaos.homes import find_contents, find_home

COLUMNS = (
    "seq", "call", "at", "agent", "event", "session", "agent_id", "tool", "project", "kind", "by", "code", "micros",
    "size", "exit", "tool_use", "quiet", "subject", "reason",
)  # fmt: skip
ROWS = f"""
SELECT {", ".join(COLUMNS)}, runs::text, grants::text FROM events
WHERE host = (SELECT number FROM hosts WHERE id = %s) ORDER BY seq
"""
TURNS = """
SELECT xmin::text::bigint, min(seq), max(seq), count(*) FROM events
WHERE host = (SELECT number FROM hosts WHERE id = %s) GROUP BY 1 ORDER BY 1
"""
DOUBLES = """
SELECT 'seq', seq::text, count(*) FROM events WHERE host = (SELECT number FROM hosts WHERE id = %s)
GROUP BY seq HAVING count(*) > 1
UNION ALL SELECT 'call', call, count(*) FROM events WHERE host = (SELECT number FROM hosts WHERE id = %s)
GROUP BY call HAVING count(*) > 1 LIMIT 5
"""
Connection = psycopg.Connection[tuple[Any, ...]]
SHOWN = 3


class HostFindings(msgspec.Struct, frozen=True):
    """One host: how many events it has there, in how many transactions they came, and what is wrong."""

    events: int
    turns: int
    digest: str
    wrong: tuple[str, ...]


def compare_host(connection: Connection, folder: Path, host: int, name: str, events: int) -> HostFindings:
    """Everything about one host."""
    there = list(read_hub(connection, name))
    here = list(read_journal(folder, host))
    turns = connection.execute(TURNS, (name,)).fetchall()
    wrong = (
        *find_missing(here, there, [name_call(host, number) for number in range(events)]),
        *find_differences(here, there),
        *find_doubles(connection, name),
        *find_disorder(turns),
        *find_wrong_mark(connection, name, here),
    )
    return HostFindings(len(there), len(turns), digest(there), wrong)


def read_journal(folder: Path, host: int) -> Iterator[ShippedEvent]:
    """What has to be at the hub: every event as it leaves."""
    home = find_home(folder, host)
    cursor = ShipCursor(name="compare")
    contents = find_contents(host)
    with closing(JournalReader.open(home)) as reader:
        while rows := read_page(reader, cursor).rows:
            for row in rows:
                yield clean_event(make_event(row, 0, find_user_home(home), contents))  # type: ignore[arg-type]
            cursor = msgspec.structs.replace(cursor, id=int(rows[-1].entry.id))


def clean_event(event: ShippedEvent) -> ShippedEvent:
    """What a database takes in no text is replaced by the hub, in one way."""
    texts = {name: clean_text(value) for name in COLUMNS if isinstance(value := getattr(event, name), str)}
    return msgspec.structs.replace(event, **texts)


def read_hub(connection: Connection, name: str) -> Iterator[ShippedEvent]:
    for *row, runs, grants in connection.execute(ROWS, (name,)):
        yield ShippedEvent(
            **dict(zip(COLUMNS, row, strict=True)),
            runs=msgspec.json.decode(runs, type=tuple[HookRun, ...]) if runs else (),
            grants=msgspec.json.decode(grants, type=tuple[str, ...]) if grants else (),
        )


def digest(events: list[ShippedEvent]) -> str:
    found = hashlib.sha256()
    for event in events:
        found.update(msgspec.json.encode(event))
    return found.hexdigest()[:16]


def find_missing(here: list[ShippedEvent], there: list[ShippedEvent], wanted: list[str]) -> Iterator[str]:
    """The journal is held against what was to be written: one that lost events is a defect of its own."""
    if missing := sorted(set(wanted) - {event.call for event in here}):
        yield f"{len(missing)} events are not in its journal, such as {missing[:SHOWN]}"
    if missing := sorted(set(wanted) - {event.call for event in there}):
        yield f"{len(missing)} events are not at the hub, such as {missing[:SHOWN]}"
    if others := sorted({event.call for event in there} - set(wanted)):
        yield f"{len(others)} events are at the hub that nobody wrote, such as {others[:SHOWN]}"


def find_differences(here: list[ShippedEvent], there: list[ShippedEvent]) -> Iterator[str]:
    if digest(here) == digest(there):
        return
    known = {event.seq: event for event in there}
    other = [event for event in here if known.get(event.seq, event) != event]
    yield f"its content is another: {len(other)} events differ"
    for event in other[:SHOWN]:
        names = [
            name for name in (*COLUMNS, "runs", "grants") if getattr(event, name) != getattr(known[event.seq], name)
        ]
        yield f"event {event.seq}: " + ", ".join(
            f"{name} {getattr(event, name)!r} came as {getattr(known[event.seq], name)!r}"[:300] for name in names
        )


def find_doubles(connection: Connection, name: str) -> Iterator[str]:
    for what, value, count in connection.execute(DOUBLES, (name, name)):
        yield f"{what} {value} is there {count} times"


def find_disorder(turns: list[tuple[Any, ...]]) -> Iterator[str]:
    """Each transaction of a host brought only what comes after all that was there: its mark never went back."""
    for (one, _, last, _), (other, first, _, _) in pairwise(turns):
        if first <= last:
            yield f"transaction {other} brought {first} after {one} had brought {last}"


def find_wrong_mark(connection: Connection, name: str, here: list[ShippedEvent]) -> Iterator[str]:
    row = connection.execute("SELECT seq FROM hosts WHERE id = %s", (name,)).fetchone()
    if row is None or (here and row[0] != here[-1].seq):
        yield f"its mark is {row and row[0]}, its last event {here[-1].seq if here else 0}"
