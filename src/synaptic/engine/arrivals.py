"""One event that arrives by two entries, that of the settings and that of the plugin: judged once, told twice.

The agent runs both, because their commands differ. An arrival is the second of an event when the bytes are the same and
the first came by the other entry, and a first has one second: a prompt that is typed twice is two events. Both are
told what binds, since nobody can say whose word the agent takes; advice is given once.

Where no daemon ran, a process of its own has judged the first one, and the journal knows it. The plugin's script comes
second then (it waits a moment), so only its arrivals are looked up there, and only by a daemon that has just begun.
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
from synaptic.model.errors import StoreError
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry

PLUGIN_VARIABLE = "CLAUDE_PLUGIN_ROOT"
"""What the agent sets for hooks of a plugin. Whoever sets it for others only has its events judged twice."""
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
        self.is_over = False
        self.decided: DecidedEvent | None = None
        self._waiting: asyncio.Future[None] | None = None

    def end(self) -> None:
        self.is_over = True
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def find_decided(self) -> DecidedEvent | None:
        """What was decided, once it is; None where it failed, was not written, or was not believed."""
        if not self.is_over:
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        event = self.decided
        if event is None or not event.is_written or any(NOT_OWN_TEXT in line for line in event.call.warnings):
            return None
        return event


class Arrivals:
    """The newest requests by each of the two ways, oldest first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._began = time.time()
        self._repeated: set[str] = set()
        """Calls of the journal that have had their second arrival."""
        self._by_settings: deque[_Arrival] = deque(maxlen=MOST_ARRIVALS)
        self._by_plugin: deque[_Arrival] = deque(maxlen=MOST_ARRIVALS)

    async def decide_once(self, request: Request, walk: Walk) -> DecidedEvent:
        """The walk of an event, or for its second arrival what the first one's has come to."""
        if request.stranger:
            return await walk(request)
        own, other = self._by_settings, self._by_plugin
        by_plugin = bool(request.env.get(PLUGIN_VARIABLE))
        if by_plugin:
            own, other = other, own
        arrival = _Arrival(request)
        first = _take_equal(other, arrival) if other else None
        if first is not None and (event := await first.find_decided()):
            return _repeat(event)
        if by_plugin and time.time() - self._began < TOGETHER_SECONDS and (event := self._find_written(request)):
            return _repeat(event)
        own.append(arrival)
        try:
            arrival.decided = await walk(request)
            return arrival.decided
        finally:
            arrival.end()

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


def _take_equal(others: deque[_Arrival], arrival: _Arrival) -> _Arrival | None:
    """The first arrival of the same event, which has its second now; those that are too old are dropped."""
    while others and others[0].at < arrival.at - TOGETHER_SECONDS:
        others.popleft()
    found = next((one for one in others if one.key == arrival.key), None)
    if found is not None:
        others.remove(found)
    return found


def _repeat(event: DecidedEvent) -> DecidedEvent:
    if event.decision.kind.rank > Kind.ALLOW.rank or event.answer.exit:
        return event
    silence = find_adapter(event.call.agent).encode(event.call, Decision())
    return msgspec.structs.replace(event, answer=silence)


def _shorten(stdin: bytes) -> bytes:
    return stdin if len(stdin) < LONG_PAYLOAD else blake2b(stdin).digest()
