"""Read the journal: entries by number, by call, the newest, and those after one."""

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

import msgspec

from synaptic.model.call import Answer
from synaptic.model.decision import Decision
from synaptic.store.db import Connection, Row, Store
from synaptic.store.mapped import read_mapped
from synaptic.store.record import JournalEntry

DAMAGED_TEXT = "this entry was changed on disk: nobody can say any more what was decided"
FILTER_COLUMNS = frozenset({"agent", "event", "session", "agent_id", "tool", "root", "kind"})
EVENT_COLUMNS = "id, call, at, agent, event, session, agent_id, tool, root, micros, size, payload, decision"
EVENT_NAMES = tuple(EVENT_COLUMNS.split(", ")[:-1])
NUMBERS = frozenset({"id", "at", "micros", "size"})
NUMBER_KINDS = (int, float)
TEXT_KINDS = (str, type(None))
SELECT_EVENTS = f"SELECT {EVENT_COLUMNS}, stdout, stderr, exit FROM events"
_decoder = msgspec.json.Decoder(Decision)


def find_entry(store: Store, key: int | str) -> JournalEntry | None:
    """One event, by its number or by its call."""
    column = "id" if isinstance(key, int) else "call"
    return next(select_entries(store, f"{SELECT_EVENTS} WHERE {column} = ?", (key,)), None)


def read_last_entries(store: Store, n: int = 1, **filters: str) -> tuple[JournalEntry, ...]:
    """The newest events, newest first; filters are columns and what they must equal."""
    if unknown := filters.keys() - FILTER_COLUMNS:
        raise TypeError(f"no such filter: {', '.join(sorted(unknown))} (known: {', '.join(sorted(FILTER_COLUMNS))})")
    where = " AND ".join(f"{name} = ?" for name in filters) or "1"
    return tuple(
        select_entries(store, f"{SELECT_EVENTS} WHERE {where} ORDER BY id DESC LIMIT ?", (*filters.values(), n))
    )


def read_entries_after(store: Store, id: int, limit: int = 100) -> tuple[JournalEntry, ...]:
    """The events that came after one, oldest first."""
    return tuple(select_entries(store, f"{SELECT_EVENTS} WHERE id > ? ORDER BY id LIMIT ?", (id, limit)))


def select_entries(store: Store, sql: str, values: Row, *, maps: bool = False) -> Iterator[JournalEntry]:
    """The events that a query finds, which selects what `SELECT_EVENTS` does; `maps`: as `read_mapped` reads."""
    return map(make_entry, select_rows(store, sql, values, maps=maps))


def select_rows(store: Store, sql: str, values: Row, *, maps: bool = False) -> list[tuple[Any, ...]]:
    """The rows of which `make_entry` makes events."""
    read = partial(read_mapped, store) if maps else store.read
    return read(lambda connection: _fetch_texts(connection, sql, values))


def _fetch_texts(connection: Connection, sql: str, values: Row) -> list[tuple[Any, ...]]:
    """Fetch rows; a text with other bits than it was written with is still read, as far as it is one."""
    try:
        return connection.execute(sql, values).fetchall()
    except connection.OperationalError as error:
        if "decode" not in str(error):
            raise
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        return connection.execute(sql, values).fetchall()
    finally:
        connection.text_factory = str


def make_entry(row: tuple[Any, ...]) -> JournalEntry:
    """An event of a row that `SELECT_EVENTS` has found."""
    *known, decision, stdout, stderr, exit = row
    if not _are_as_written(tuple(map(type, known))):
        known = [_read_value(name, value) for name, value in zip(EVENT_NAMES, known, strict=True)]
    id, call, at, agent, event, session, agent_id, tool, root, micros, size, payload = known
    return JournalEntry(
        id=id,
        call=call,
        at=at,
        agent=agent,
        event=event,
        session=session,
        agent_id=agent_id,
        tool=tool,
        root=root,
        micros=micros,
        size=size,
        payload=payload,
        decision=_decode_decision(decision),
        answer=None if stdout is None else Answer(stdout, stderr, exit),
    )


@lru_cache(maxsize=64)
def _are_as_written(kinds: tuple[type, ...]) -> bool:
    """Whether the values of a row are of the kinds that belong there, as in every row that nobody has damaged."""
    wanted = (NUMBER_KINDS if name in NUMBERS else TEXT_KINDS for name in EVENT_NAMES)
    return all(kind in some for kind, some in zip(kinds, wanted, strict=True))


def _read_value(name: str, value: Any) -> Any:
    """A value of the kind that belongs there: a damaged row may hold any other."""
    if name in NUMBERS:
        return value if isinstance(value, int | float) else 0
    return read_text(value) if value is not None else None


def read_text(value: object) -> str:
    """A text of the journal, whatever a damaged row has in its place."""
    return value if isinstance(value, str) else value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def _decode_decision(kept: str) -> Decision:
    try:
        return _decoder.decode(kept)
    except msgspec.DecodeError:
        return Decision(warnings=(DAMAGED_TEXT,))
