"""One event that arrives by several entries, of the settings, the plugin and an SDK: judged once, told each time.

The agent runs all of them, because they differ. An arrival is a further one of an event when the bytes are the same and
it comes by a way by which that event has not come yet: a prompt that is typed twice is two events. All are told what
binds, since nobody can say whose word the agent takes; advice is given once.

Where no daemon ran, a process of its own has judged the first one, and the journal knows it. The plugin's script and an
SDK come second then (they wait a moment), so only their arrivals are looked up there, and only by an engine that has
just begun.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from hashlib import blake2b

import msgspec

from synaptic.agents.shared.discover import find_adapter
from synaptic.engine.commit import DecidedEvent
from synaptic.engine.decode_call import decode_call
from synaptic.engine.reports import NOT_OWN_TEXT
from synaptic.model.call import Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.environment import PLUGIN_VARIABLE
from synaptic.model.errors import StoreError
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry

SDK_WAY = "synaptic:sdk"
"""What our own callbacks in an SDK put there: a second variable would be a second search through the environment."""
TOGETHER_SECONDS = 10.0
"""How far apart two arrivals of one event may be: the agent starts both at once, on a machine that may be busy."""
MOST_ARRIVALS = 32
MOST_WRITTEN = 16
"""Events of the journal that are compared with an arrival."""
LONG_PAYLOAD = 64 * 1024
"""Bytes from which only a digest is kept."""

Walk = Callable[[Request], Awaitable[DecidedEvent]]


class _Arrival:
    """One request that is being judged, or just was."""

    def __init__(self, request: Request) -> None:
        self.key = (request.agent, request.event, _shorten(request.stdin))
        self.at = time.monotonic()
        self.ways: set[str] = set()
        """By which it has come, beside its own."""
        self.is_over = False
        self.decided: DecidedEvent | None = None
        self._waiting: asyncio.Event | None = None

    def end(self) -> None:
        self.is_over = True
        if self._waiting is not None:
            self._waiting.set()

    async def find_decided(self) -> DecidedEvent | None:
        """What was decided, once it is; None where it failed, was not written, or was not believed."""
        if not self.is_over:
            self._waiting = self._waiting or asyncio.Event()  # several may wait
            await self._waiting.wait()
        event = self.decided
        if event is None or not event.is_written or any(NOT_OWN_TEXT in line for line in event.call.warnings):
            return None
        return event


class Arrivals:
    """The newest requests by each way, oldest first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._began = time.time()
        self._repeated: set[str] = set()
        """Calls of the journal that have had their second arrival."""
        self._by_way: dict[str, deque[_Arrival]] = {"": deque(maxlen=MOST_ARRIVALS)}

    async def decide_once(self, request: Request, walk: Walk) -> DecidedEvent:
        """The walk of an event, or for its second arrival what the first one's has come to."""
        if request.stranger:
            return await walk(request)
        way = _find_way(request)
        arrival = _Arrival(request)
        first = self._take_first(arrival, way)
        if first is not None and (event := await first.find_decided()):
            return _repeat(event)
        if way and time.time() - self._began < TOGETHER_SECONDS and (event := self._find_written(request)):
            return _repeat(event)
        self._by_way.setdefault(way, deque(maxlen=MOST_ARRIVALS)).append(arrival)
        try:
            arrival.decided = await walk(request)
            return arrival.decided
        finally:
            arrival.end()

    def _take_first(self, arrival: _Arrival, way: str) -> _Arrival | None:
        """The arrival of the same event by another way, which has come by this one now."""
        # Who has one entry only pays for a look at how many ways there are.
        if way in self._by_way and len(self._by_way) == 1:
            return None
        others = (known for name, known in self._by_way.items() if name != way and known)
        return next(filter(None, (_take_equal(known, arrival, way) for known in others)), None)

    def _find_written(self, request: Request) -> DecidedEvent | None:
        """What the process before has decided about the same bytes; None where the journal does not say all."""
        oldest = time.time() - TOGETHER_SECONDS
        try:
            for entry in journal.read_last_entries(self._store, MOST_WRITTEN, agent=request.agent, event=request.event):
                if oldest < entry.at < self._began and entry.call not in self._repeated and _is_same(entry, request):
                    self._repeated.add(entry.call)
                    answer = journal.find_answer(self._store, entry.call)
                    call = decode_call(find_adapter(request.agent), request)
                    return DecidedEvent(call, entry.decision, answer, is_written=True) if answer else None
        except StoreError:
            pass
        return None


def _is_same(entry: JournalEntry, request: Request) -> bool:
    """Whether an entry is of these bytes, none of which was a secret, and was believed."""
    told = entry.answer.stderr if entry.answer else NOT_OWN_TEXT.encode()
    return (entry.payload or "").encode() == request.stdin and NOT_OWN_TEXT.encode() not in told


def _find_way(request: Request) -> str:
    """By which entry it has come; "" for that of the settings."""
    root = request.env.get(PLUGIN_VARIABLE)
    return "" if not root else "sdk" if root == SDK_WAY else "plugin"


def _take_equal(others: deque[_Arrival], arrival: _Arrival, way: str) -> _Arrival | None:
    """The first arrival of the same event that has not come by this way; those that are too old are dropped."""
    while others and others[0].at < arrival.at - TOGETHER_SECONDS:
        others.popleft()
    found = next((one for one in others if one.key == arrival.key and way not in one.ways), None)
    if found is not None:
        found.ways.add(way)
    return found


def _repeat(event: DecidedEvent) -> DecidedEvent:
    if event.decision.kind.rank > Kind.ALLOW.rank or event.answer.exit:
        return event
    silence = find_adapter(event.call.agent).encode(event.call, Decision())
    return msgspec.structs.replace(event, answer=silence)


def _shorten(stdin: bytes) -> bytes:
    return stdin if len(stdin) < LONG_PAYLOAD else blake2b(stdin).digest()
