"""Writing events down: those that arrive together in one transaction, and none is answered before it is on disk."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from synaptic.agents.shared.discover import find_adapter
from synaptic.engine.basis import describe_basis
from synaptic.engine.grants import describe_refusal
from synaptic.engine.runtime import FactLook
from synaptic.engine.side_effects import LeftToDo, SideEffects
from synaptic.engine.witness import WitnessReport, mark_late
from synaptic.facts.reservations import Reservations
from synaptic.hooks.catalog import HookCatalog
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.errors import StoreError
from synaptic.model.event import MessageDisplay
from synaptic.model.witness import WitnessedCall
from synaptic.runners.spool import PreparedRun
from synaptic.store import claims, journal
from synaptic.store.db import Store
from synaptic.store.record import Delivery, EventRecord, JournalDetail, LinePromise, SealedText

log = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")
MAX_BATCH = 64
"""Records after which nobody waits for more."""
QUICK_MICROS = 1_000_000
"""Well below the silence after which a sender gives a daemon up."""
NOT_LAUNCHED_TEXT = "hooks that nobody waits for were not started"


class GrantSpentError(Exception):
    """Another call has used an exception up, or a person has taken it back: this one is decided anew, without it."""

    is_unwritten = False
    """Nothing can be written: no other exception could be used up either."""


class GrantUnwrittenError(GrantSpentError):
    """An exception that counts once cannot be used up: it would let every such call through."""

    is_unwritten = True


class DecidedEvent(msgspec.Struct, frozen=True):
    """One event after the walk: what was asked, what was decided, what the agent is told."""

    call: Call
    decision: Decision
    answer: Answer
    carried: tuple[Delivery, ...] = ()
    runs: tuple[PreparedRun, ...] = ()
    """Hooks that nobody waits for, to be launched once the call is ours."""
    is_written: bool = False
    """Whether it is in the journal, with all that it changes."""
    is_refusal_kept: bool = False
    """Whether a person could find its refusal before it was decided: it is not counted again."""
    seen: WitnessReport | None = None
    """What it says about its call."""
    spends: bool = False
    """It rests on an exception that counts once: without its entry in the journal it does not happen."""
    looks: Sequence[FactLook] = ()
    """The facts that it was decided on."""
    catalog: HookCatalog | None = None
    """The hooks that have decided it."""


class _Writing(msgspec.Struct, frozen=True):
    record: EventRecord
    left: LeftToDo


class EventCommit:
    """The last step of the walk: journal and state in one transaction, then what is left to do.

    That transaction decides who decides. Where a daemon was given up and goes on, two processes come here with the
    same call: the first row counts, and whoever comes second does nothing and gives the answer of the first.
    """

    def __init__(self, store: Store, reservations: Reservations, effects: SideEffects) -> None:
        self._store = store
        self._reservations = reservations
        self._effects = effects
        self._group: GroupCommit[_Writing, bool] = GroupCommit(self._claim_records)
        self.is_alone: Callable[[], bool] = lambda: False
        """Whether no other call is on its way: then nothing is won by waiting for its record."""

    async def write(self, request: Request, event: DecidedEvent, keep: JournalDetail, started: int) -> DecidedEvent:
        """The event as it is answered: with a line for the operator when it could not be written."""
        if isinstance(event.call.event, MessageDisplay) and not event.decision.trace:
            return event  # every printed line is such an event: without a hook it is no news
        micros = (time.perf_counter_ns() - started) // 1000
        effects = () if request.stranger else event.decision.effects
        promise = self._effects.promise_lines(effects)
        record = _make_record(request, event, keep, (micros, promise))
        self._effects.promise_runs(request, event.runs)
        is_ours = False
        try:
            writing = _Writing(record, LeftToDo(event.call, effects, event.runs, promise))
            # A call that took long may have been given up by its sender: the turns of the loop let that be heard.
            is_alone = micros < QUICK_MICROS and self.is_alone()
            is_ours = await self._group.write(writing, keep, is_alone=is_alone)
        except StoreError as error:
            if event.spends:
                raise GrantUnwrittenError(str(error)) from error
            return add_trouble(event, f"{error}; {NOT_LAUNCHED_TEXT}" if event.runs else str(error))
        finally:
            if not is_ours:
                self._effects.withdraw_runs(event.runs)
        if not is_ours:
            if record.grants and claims.find_claim(self._store, request.id) is None:
                raise GrantSpentError(", ".join(record.grants))
            return yield_to_first(self._store, request, event)
        written = msgspec.structs.replace(event, is_written=True)
        return written if self._store.durable else add_trouble(written, self._store.trouble)

    def _claim_records(self, writings: Sequence[_Writing], keep: JournalDetail) -> Sequence[bool]:
        try:
            claimed = journal.claim_records(self._store, [one.record for one in writings], keep)
        finally:
            # In this very moment, not when the walk of each call goes on: a call that is decided in between would
            # count the heartbeat twice, once from the database and once from the reservation.
            for one in writings:
                self._reservations.release(one.record.call)
        for one, is_ours in zip(writings, claimed, strict=True):
            if is_ours:
                self._begin(one.left)
        return claimed

    def _begin(self, left: LeftToDo) -> None:
        try:
            self._effects.begin(left)
        except Exception:
            log.exception("what call %s left to do could not begin", left.call.id)  # it is written all the same


class GroupCommit(Generic[T, R]):
    """Collects the records of one turn of the event loop into one transaction."""

    def __init__(self, append: Callable[[Sequence[T], JournalDetail], Sequence[R]]) -> None:
        self._append = append
        self._waiting: dict[JournalDetail, list[tuple[T, asyncio.Future[R]]]] = {}
        self._count = 0
        """How many records wait."""

    async def write(self, record: T, keep: JournalDetail = "full", *, is_alone: bool = False) -> R:
        """What `append` says about the record, once it is written; raises StoreError when it is not."""
        if is_alone and not self._count:
            return self._append_alone(record, keep)
        loop = asyncio.get_running_loop()
        written: asyncio.Future[R] = loop.create_future()
        self._waiting.setdefault(keep, []).append((record, written))
        self._count += 1
        if self._count == 1:
            loop.call_soon(self._collect_records, loop, 0)
        return await written

    def _append_alone(self, record: T, keep: JournalDetail) -> R:
        try:
            return self._append([record], keep)[0]
        except StoreError:
            raise
        except Exception as error:
            log.exception("an event could not be written")
            raise StoreError(f"{type(error).__name__}: {error}") from error

    def _collect_records(self, loop: asyncio.AbstractEventLoop, seen: int) -> None:
        """Write as soon as a turn of the event loop adds no record: for a single event that is the next turn."""
        if seen < self._count < MAX_BATCH:
            loop.call_soon(self._collect_records, loop, self._count)
        else:
            self._count = 0
            self._flush()

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for keep, wanted in waiting.items():  # nearly always one: projects rarely differ in what they keep
            # A call that was taken back is not ours any more: its sender has decided it elsewhere, or refused it.
            if not (group := [entry for entry in wanted if not entry[1].cancelled()]):
                continue
            futures = [written for _, written in group]
            try:
                results = self._append([record for record, _ in group], keep)
            except StoreError as error:
                _fail_all(futures, error)
            except Exception as error:  # whatever a row provokes, nobody may wait for ever
                log.exception("%d events could not be written", len(group))
                _fail_all(futures, StoreError(f"{type(error).__name__}: {error}"))
            else:
                _settle_all(futures, results)


def _settle_all(futures: Sequence[asyncio.Future[R]], results: Sequence[R]) -> None:
    for written, result in zip(futures, results, strict=True):
        # The client has gone away; setting a result on a cancelled future would raise and strand the others.
        if not written.cancelled():
            written.set_result(result)


def _fail_all(futures: Sequence[asyncio.Future[R]], error: StoreError) -> None:
    for written in futures:
        if not written.cancelled():
            written.set_exception(error)


def yield_to_first(store: Store, request: Request, event: DecidedEvent) -> DecidedEvent:
    """The event with the answer that its call got before: what is in the journal is what is told."""
    first = claims.find_claim(store, request.id)
    if first is None:  # it went between two looks; ours is as good as any
        return add_trouble(event, "another process decided it first, and its entry is gone")
    if first.answer is not None:
        return msgspec.structs.replace(event, answer=first.answer, is_written=True)
    # An answer with a secret is not on disk as it was given. The same hooks have looked at the same call.
    if event.decision.kind.rank >= first.kind.rank:
        return (
            event if event.decision.kind is first.kind else add_trouble(event, f"another process decided {first.kind}")
        )
    reason = f"Synaptic decided this call in two places, and the stricter decision ({first.kind}) counts. Try it again."
    return msgspec.structs.replace(event, answer=find_adapter(request.agent).refuse(request.event, reason))


def add_trouble(event: DecidedEvent, trouble: str) -> DecidedEvent:
    """The same answer, with a line that says why it is not written."""
    return add_line(event, f"this event is not in the journal: {trouble}")


def add_line(event: DecidedEvent, text: str) -> DecidedEvent:
    """The same answer, with a line for the operator."""
    line = f"synaptic: {text}\n".encode("utf-8", "replace")
    answer = msgspec.structs.replace(event.answer, stderr=event.answer.stderr + line)
    return msgspec.structs.replace(event, answer=answer)


def _make_record(
    request: Request, decided: DecidedEvent, keep: JournalDetail, work: tuple[int, LinePromise | None]
) -> EventRecord:
    event, decision = decided.call.event, decided.decision
    micros, promise = work
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
        promise=promise,
        refused=describe_refusal(decided.call, decision, keep) if _is_new_refusal(decided) else None,
        # What was refused all the same has used nothing up.
        grants=decision.grants if decision.kind is not Kind.DENY else (),
        witnessed=_describe_call(decided, micros),
        basis=_describe_basis(request, decided) if keep == "full" else (),
    )


def _describe_call(decided: DecidedEvent, micros: int) -> WitnessedCall | None:
    call, witnessed = decided.call, decided.seen.call if decided.seen else None
    if witnessed is None or micros < QUICK_MICROS:
        return witnessed
    patience = find_adapter(call.agent).get_capability(call.event.hook_event_name).timeout
    return mark_late(witnessed, micros, patience)


def _describe_basis(request: Request, decided: DecidedEvent) -> tuple[SealedText, ...]:
    if decided.catalog is None:
        return ()
    return describe_basis(request, decided.call, decided.looks, decided.catalog)


def _is_new_refusal(decided: DecidedEvent) -> bool:
    return bool(decided.decision.code) and not decided.is_refusal_kept
