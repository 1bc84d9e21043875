"""Writing events down: those that arrive together in one transaction, and none is answered before it is on disk."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence

import msgspec

from synaptic.engine.side_effects import SideEffects
from synaptic.facts.reservations import Reservations
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision
from synaptic.model.errors import StoreError
from synaptic.model.event import MessageDisplay
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import Delivery, EventRecord, JournalDetail

log = logging.getLogger(__name__)

AppendRecords = Callable[[Sequence[EventRecord], JournalDetail], None]
RecordGroup = list[tuple[EventRecord, asyncio.Future[None]]]
MAX_BATCH = 64
"""Records after which nobody waits for more."""


class DecidedEvent(msgspec.Struct, frozen=True):
    """One event after the walk: what was asked, what was decided, what the agent is told."""

    call: Call
    decision: Decision
    answer: Answer
    carried: tuple[Delivery, ...] = ()
    is_written: bool = False
    """Whether it is in the journal, with all that it changes."""


class EventCommit:
    """The last step of the walk: journal and state in one transaction, then what is left to do."""

    def __init__(self, store: Store, reservations: Reservations, effects: SideEffects) -> None:
        self._store = store
        self._reservations = reservations
        self._effects = effects
        self._group = GroupCommit(self._append_records)

    async def write(self, request: Request, event: DecidedEvent, keep: JournalDetail, started: int) -> DecidedEvent:
        """The event as it is answered: with a line for the operator when it could not be written."""
        if isinstance(event.call.event, MessageDisplay) and not event.decision.trace:
            return event  # every printed line is such an event: without a hook it is no news
        micros = (time.perf_counter_ns() - started) // 1000
        try:
            await self._group.write(_make_record(request, event, micros), keep)
        except StoreError as error:
            return add_trouble(event, str(error))
        if not request.stranger:
            self._effects.queue(event.call, event.decision.effects)
        written = msgspec.structs.replace(event, is_written=True)
        return written if self._store.durable else add_trouble(written, self._store.trouble)

    def _append_records(self, records: Sequence[EventRecord], keep: JournalDetail) -> None:
        try:
            journal.append_records(self._store, records, keep)
        finally:
            # In this very moment, not when the walk of each call goes on: a call that is decided in between would
            # count the heartbeat twice, once from the database and once from the reservation.
            for record in records:
                self._reservations.release(record.call)


class GroupCommit:
    """Collects the records of one turn of the event loop into one transaction."""

    def __init__(self, append: AppendRecords) -> None:
        self._append = append
        self._waiting: dict[JournalDetail, RecordGroup] = {}
        self._count = 0
        """How many records wait."""

    async def write(self, record: EventRecord, keep: JournalDetail = "full") -> None:
        """Returns when the record is in the journal; raises StoreError when it is not."""
        loop = asyncio.get_running_loop()
        written = loop.create_future()
        self._waiting.setdefault(keep, []).append((record, written))
        self._count += 1
        if self._count == 1:
            loop.call_soon(self._collect_records, loop, 0)
        await written

    def _collect_records(self, loop: asyncio.AbstractEventLoop, seen: int) -> None:
        """Write as soon as a turn of the event loop adds no record: for a single event that is the next turn."""
        if seen < self._count < MAX_BATCH:
            loop.call_soon(self._collect_records, loop, self._count)
        else:
            self._count = 0
            self._flush()

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for keep, group in waiting.items():  # nearly always one: projects rarely differ in what they keep
            try:
                self._append([record for record, _ in group], keep)
            except StoreError as error:
                _settle_group(group, error)
            except Exception as error:  # whatever a row provokes, nobody may wait for ever
                log.exception("%d events could not be written", len(group))
                _settle_group(group, StoreError(f"{type(error).__name__}: {error}"))
            else:
                _settle_group(group, None)


def _settle_group(group: RecordGroup, error: StoreError | None) -> None:
    for _, written in group:
        # The client has gone away; setting a result on a cancelled future would raise and strand the others.
        if written.cancelled():
            continue
        if error is None:
            written.set_result(None)
        else:
            written.set_exception(error)


def add_trouble(event: DecidedEvent, trouble: str) -> DecidedEvent:
    """The same answer, with a line for the operator."""
    line = f"synaptic: this event is not in the journal: {trouble}\n".encode("utf-8", "replace")
    answer = msgspec.structs.replace(event.answer, stderr=event.answer.stderr + line)
    return msgspec.structs.replace(event, answer=answer)


def _make_record(request: Request, decided: DecidedEvent, micros: int) -> EventRecord:
    event = decided.call.event
    return EventRecord(
        call=request.id,
        at=decided.call.at,
        agent=decided.call.agent,
        event=event.hook_event_name,
        session=event.session_id,
        agent_id=event.agent_id,
        tool=event.subject,
        root=decided.call.root,
        payload=request.stdin,
        decision=decided.decision,
        answer=decided.answer,
        micros=micros,
        delivered=tuple(delivery.id for delivery in decided.carried),
        moves_state=not request.stranger,
    )
