"""The sessions that are heard of, kept up to date: looked for once, then followed by what comes after."""

import time
from collections.abc import Iterable

import msgspec

from synaptic.fleet.roster import FORGET_SECONDS
from synaptic.store.db import Store
from synaptic.store.journal_filter import read_numbered_entries
from synaptic.store.living import (
    SessionMove,
    count_moves,
    find_newest_number,
    list_heard_sessions,
    read_last_moves,
    read_moves_after,
)
from synaptic.store.record import JournalEntry

MOST_SESSIONS = 60
LOOKED_BACK = 40
"""Events of a session in which the last thing that it did is looked for."""
PAGE_SIZE = 2000
MOST_PAGES = 5
"""Further behind than this everything is looked for anew: nobody has looked for long."""
COUNT_SECONDS = 0.05
"""For counting what sessions did before anybody looked: what is not counted now is the next time."""
AFTER_THE_ACT = frozenset({"PostToolUse", "PostToolUseFailure", "PostToolBatch"})
"""They say that what was done is over, and what it was stands in the event before."""
ENDED = "SessionEnd"


class HeardSession(msgspec.Struct, kw_only=True):
    """One session that has not ended, as far as its events tell."""

    session: str
    agent: str
    root: str
    at: float
    last_id: int
    """Its last event that is not a sub-agent's; 0 where none is near."""
    step_id: int
    ended: bool = False
    calls: int | None = None
    denied: int | None = None
    last: JournalEntry | None = None
    step: JournalEntry | None = None


class HeardSessions:
    """Sessions that were heard of within a day. Not for two threads at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen = -1
        self._known: dict[str, HeardSession] = {}
        self._entries: dict[int, JournalEntry] = {}

    def follow(self) -> tuple[HeardSession, ...]:
        """All of them as they are now, the one that was heard of last first. Raises StoreError."""
        if self._seen < 0 or not self._take_new():
            self._look_anew()
        since = time.time() - FORGET_SECONDS
        living = [one for one in self._known.values() if not one.ended and one.at >= since]
        living = sorted(living, key=lambda one: -one.at)[:MOST_SESSIONS]
        self._known = {one.session: one for one in living}
        self._count(living)
        self._read_entries(living)
        return tuple(living)

    def _look_anew(self) -> None:
        newest = find_newest_number(self._store)
        names = list_heard_sessions(self._store, time.time() - FORGET_SECONDS, MOST_SESSIONS)
        self._known = {}
        for name in names:
            moves = read_last_moves(self._store, name, newest, LOOKED_BACK)
            for move in reversed(moves):
                self._take(move, is_counted=False)
        self._seen = newest

    def _take_new(self) -> bool:
        """Whether all that is new was taken; not where it is too much, or the journal is another one."""
        for _ in range(MOST_PAGES):
            fresh = read_moves_after(self._store, self._seen, PAGE_SIZE)
            for move in fresh:
                self._take(move, is_counted=True)
            self._seen = fresh[-1].id if fresh else self._seen
            if len(fresh) < PAGE_SIZE:
                return find_newest_number(self._store) >= self._seen
        return False

    def _take(self, move: SessionMove, *, is_counted: bool) -> None:
        if not move.session:
            return
        one = self._known.get(move.session)
        if one is None:
            one = HeardSession(session=move.session, agent="", root="", at=0.0, last_id=0, step_id=0)
            self._known[move.session] = one
        if is_counted and one.calls is not None and one.denied is not None:
            one.calls += move.event == "PreToolUse"
            one.denied += move.kind == "deny"
        one.agent, one.root, one.at = move.agent, move.root or one.root, move.at
        if move.event not in AFTER_THE_ACT:
            one.step_id = move.id
        if not move.agent_id:
            one.last_id, one.ended = move.id, move.event == ENDED

    def _count(self, living: Iterable[HeardSession]) -> None:
        end = time.monotonic() + COUNT_SECONDS
        for one in living:
            if one.calls is None:
                if time.monotonic() > end:
                    return
                one.calls, one.denied = count_moves(self._store, one.session, self._seen)

    def _read_entries(self, living: Iterable[HeardSession]) -> None:
        """The events that are shown; those that were read are kept as long as they are."""
        wanted = {number for one in living for number in (one.last_id, one.step_id or one.last_id) if number}
        missing = sorted(wanted - self._entries.keys())
        self._entries = {number: entry for number, entry in self._entries.items() if number in wanted}
        if missing:
            self._entries |= read_numbered_entries(self._store, missing)
        for one in living:
            one.last = self._entries.get(one.last_id)
            one.step = self._entries.get(one.step_id or one.last_id)
