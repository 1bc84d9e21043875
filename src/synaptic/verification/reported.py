"""Which version of a client sent its events: from their payloads, or from the transcript that they name."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from synaptic.agents.base import ReportedVersion
from synaptic.agents.shared.discover import find_agent
from synaptic.files.bounded import read_end, read_start
from synaptic.store.db import Store
from synaptic.store.journal_filter import JournalFilter, read_matching_entries
from synaptic.store.witnessed import list_sessions

MOST_EVENTS = 200
"""Newest events of an agent in which its version is looked for: some say it when a session begins only."""
MOST_BYTES = 256 << 10
"""Of a transcript, from its beginning and from its end."""
MOST_LETTERS = 40


def find_reported_version(store: Store, agent: str, since: float) -> str:
    """What the newest events of an agent say since a moment; "" where they say nothing. Raises StoreError."""
    place = find_agent(agent).reported_version
    if place is None:
        return ""
    texts = _iter_payloads(store, agent, since) if place.place == "payload" else _iter_lines(store, agent, since)
    found = (read_version(text, place) for text in texts)
    return next((version for version in found if version), "")


def read_version(text: str | bytes, place: ReportedVersion) -> str:
    """The version in one object of JSON; "" where it has none, or anything that is no short word."""
    try:
        value: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ""
    for key in place.keys:
        value = value.get(key) if isinstance(value, dict) else None
    is_word = isinstance(value, str) and len(value) <= MOST_LETTERS and value.isprintable() and " " not in value
    return value if is_word else ""


def _iter_payloads(store: Store, agent: str, since: float) -> Iterator[str]:
    wanted = JournalFilter(agents=(agent,), since=since)
    return (entry.payload or "" for entry in read_matching_entries(store, wanted, MOST_EVENTS))


def _iter_lines(store: Store, agent: str, since: float) -> Iterator[bytes]:
    """Lines of the newest transcript, from its end back, then its beginning."""
    own = [one.transcript for one in list_sessions(store, since) if one.agent == agent]
    for path in own[:1]:
        for read in (read_end, read_start):
            yield from _read_lines(read, path)


def _read_lines(read: Any, path: str) -> Sequence[bytes]:
    try:
        return [line for line in read(path, MOST_BYTES).splitlines() if b"version" in line][::-1]
    except OSError:
        return ()
