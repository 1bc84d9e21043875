"""What the first page shows, read once for all pages that look at it: lanes, and what waits for a person's word."""

import time
from threading import Lock

import msgspec

from synaptic.fleet.follow import mark_lost
from synaptic.fleet.lanes import Lane, make_lanes
from synaptic.fleet.sessions import HeardSessions
from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.store.fleet import list_members
from synaptic.store.living import list_open_windows
from synaptic.store.reader import JournalReader
from synaptic.store.refused import RefusedCall, is_undecided, list_waiting

FRESH_SECONDS = 5.0
"""For so long a look is good for everybody who asks, as long as nothing is written: supervisors end unwritten."""
MOST_WAITING = 300
LONGEST_HOLD = 3600.0
"""No call is held for longer: `ask.wait` cannot be more."""
ANSWERED_SECONDS = 12 * 3600.0
"""What was answered is known for so long to pages that have shown it before."""


class BoardView(msgspec.Struct, frozen=True):
    """One look."""

    at: float
    lanes: tuple[Lane, ...]
    calls: tuple[RefusedCall, ...]
    """Open ones, and those that were answered lately; the newest first."""
    held: frozenset[str]
    """The marks of those whose call waits at this moment."""


class NowBoard:
    """Looks when somebody asks, and not more often than it is worth."""

    def __init__(self, home: Home, reader: JournalReader) -> None:
        self._home, self._reader = home, reader
        self._lock = Lock()
        self._sessions = HeardSessions(reader)
        self._last: BoardView | None = None
        self._version: object = None

    def look(self, *, again: bool = False) -> BoardView:
        """What is known now; `again`: also of what has just been done. Raises StoreError."""
        with self._lock:
            # Read before the look, so that nothing that is written meanwhile is missed by the next one.
            version = self._reader.read(self._reader.version)
            if self._last is None or again or version != self._version or self._is_unfinished(self._last):
                self._last, self._version = self._look(), version
            return self._last

    def _is_unfinished(self, last: BoardView) -> bool:
        return time.time() - last.at > FRESH_SECONDS or any(lane.calls is None for lane in last.lanes if lane.step)

    def _look(self) -> BoardView:
        now = time.time()
        members = [mark_lost(self._home, one) for one in list_members(self._reader)]
        lanes = make_lanes(self._sessions.follow(), members, list_open_windows(self._reader), now)
        calls = list_waiting(self._reader, now - ANSWERED_SECONDS, MOST_WAITING)
        return BoardView(now, lanes, calls, find_held(self._reader, calls, now))


def find_held(store: Store, calls: tuple[RefusedCall, ...], now: float) -> frozenset[str]:
    """Questions whose call waits for the answer: it is written down, and nothing was decided yet."""
    questions = (one for one in calls if one.subject.asks and one.is_open and now - one.last_at < LONGEST_HOLD)
    return frozenset(one.mark for one in questions if is_undecided(store, one.call))
