"""Calls that are held for a person: nobody sits at their agent, and an answer may come from elsewhere for a while.

A call that waits holds nothing: no transaction, no place in a count, no judgement that an alarm could break off. It
waits for one of few things, and whichever comes, it is decided anew from what is true then: a person has allowed it or
upheld the refusal, its time is over, its client has gone, this process ends. Only the first can let it run.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Literal

import msgspec

from synaptic.engine.grants import describe_refusal, is_for_place
from synaptic.hooks.config import AskConfig
from synaptic.model.call import Call
from synaptic.model.decision import Decision
from synaptic.model.errors import StoreError
from synaptic.model.grant import Grant, RefusedAct
from synaptic.model.text import to_utf8
from synaptic.pipeline.lifting import show_call
from synaptic.pipeline.likeness import find_subject
from synaptic.runners.telling import AskNote, tell_person
from synaptic.store import claims, grants, refused
from synaptic.store.db import NO_VERSION, Store
from synaptic.store.record import EventRecord, JournalDetail
from synaptic.store.redact import redact_text

log = logging.getLogger(__name__)

HeldEnd = Literal["", "allowed", "upheld", "over", "gone", "ending"]
LOOK_SECONDS = 0.05
"""Between two looks at whether anything was written: one number that SQLite keeps, asked for while a call waits."""
PATIENCE_SHARE = 0.95
"""The share of the agent's own patience that is ours: an answer that comes too late is no answer."""
SPARE_SECONDS = 3.0
"""What is left of it after the wait, beside twice the time that judging took: the call is judged once more."""
LEAST_SECONDS = 1.0
"""Below this nobody is asked: no person answers so fast."""
MOST_SAID = 2000
"""Characters of one text that a person is told."""
MOST_GONE = 256
MOST_NOTES = 8
"""Programs that tell a person, at a time."""
NO_WAIT_VARIABLE = "SYNAPTIC_NO_WAIT"
"""In the environment of an agent or a door: its questions are refused at once."""


class HoldTerms(msgspec.Struct, frozen=True):
    """How long a call may wait, and how a person is told of it."""

    ask: AskConfig
    patience: float
    """Seconds for which the agent waits for its hooks."""
    started: int
    """When the call came, on the performance counter."""
    keep: JournalDetail = "full"


class HeldCall:
    """One call that waits, and what it waits for."""

    def __init__(self, call: Call, decision: Decision, terms: HoldTerms) -> None:
        age = find_age(call.id)
        spent = (time.perf_counter_ns() - terms.started) / 1e9
        self.began = time.monotonic()
        self.started = terms.started
        self.deadline = self.began + terms.patience * PATIENCE_SHARE - max(age, spent)
        """When the agent's patience ends, on the monotonic clock: a clock that is set changes nothing any more."""
        self.until = min(self.began + terms.ask.wait, self.deadline - SPARE_SECONDS - 2 * spent)
        self.end: HeldEnd = ""
        self.woken = asyncio.Event()
        self.written: set[tuple[object, ...]] = set()
        """Refusals that a person can find since this call waits."""
        self.seen: set[str] = set()
        """Exceptions that have been tried: they do not lift all of it."""
        self.upheld_at = 0.0
        """When the person had upheld this refusal before."""
        self.ask_about(call, decision)

    def ask_about(self, call: Call, decision: Decision) -> None:
        """Wait for an answer to this; after a first exception the rest may be another question."""
        self.call = call
        self.decision = decision

    def has_written(self, call: Call, decision: Decision) -> bool:
        """Whether a refusal was written down when this call began to wait."""
        return (decision.code, call.root, decision.refused) in self.written

    def find_patience(self) -> float:
        """Seconds for which the agent still waits."""
        return max(self.deadline - time.monotonic(), LEAST_SECONDS)

    @property
    def is_over(self) -> bool:
        """Whether nothing is waited for any more."""
        return self.end not in ("", "allowed")

    @property
    def may_lift(self) -> bool:
        """Whether an exception may still lift it: not after a No, and not for a client that has gone."""
        return self.end not in ("upheld", "gone")

    @property
    def key(self) -> tuple[object, ...]:
        """What makes the refusal this one: two calls with the same are told of once."""
        return self.decision.code, self.call.root, self.decision.refused

    def wake(self, end: HeldEnd) -> None:
        """Let the call be decided anew. What has ended it first counts, unless it was only a try."""
        if not self.is_over:
            self.end = end
        self.woken.set()


class HeldCalls:
    """All calls that wait in this process: one look at the database for all of them."""

    def __init__(self, store: Store, is_persons: Callable[[int], bool]) -> None:
        self._store = store
        self._is_persons = is_persons
        self._held: set[HeldCall] = set()
        self._watching: asyncio.Task[None] | None = None
        self._notes: set[asyncio.Task[None]] = set()
        self._version = NO_VERSION
        self._is_ending = False
        self._gone: deque[str] = deque(maxlen=MOST_GONE)
        """Calls whose client went before anybody knew that they would wait."""

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, call: Call, decision: Decision, terms: HoldTerms) -> HeldCall | None:
        """The call, once a person can find it; None where it does not wait. Raises StoreError."""
        if self._is_ending or call.id in self._gone or call.env.get(NO_WAIT_VARIABLE):
            return None
        held = HeldCall(call, decision, terms)
        if held.until - held.began < LEAST_SECONDS:
            return None
        return self._ask_person(held, terms)

    def hold_on(self, held: HeldCall, call: Call, decision: Decision, terms: HoldTerms) -> HeldCall | None:
        """The same after it was decided anew and is still a question, perhaps another one."""
        held.ask_about(call, decision)
        return held if held.has_written(call, decision) else self._ask_person(held, terms)

    def _ask_person(self, held: HeldCall, terms: HoldTerms) -> HeldCall | None:
        before = self._find_refusal(held)
        if before is not None and before.answer == "upheld":
            return None  # the same call again: the person has said no, and may allow it whenever they like
        self._write_down(held, terms.keep)
        held.written.add(held.key)
        held.upheld_at = before.answered_at if before else 0.0
        # Whether a pattern covers the call has just been looked at.
        held.seen |= {one.id for act in held.decision.refused for one in self._find_grants(held, act) if one.like}
        self._tell(held, terms.ask)
        self._held.add(held)
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        self._version = NO_VERSION  # what was written since the call was judged has to be looked at
        return held

    async def wait(self, held: HeldCall) -> None:
        """Wait until the call is to be decided anew; `end` says why."""
        try:
            async with asyncio.timeout(max(held.until - time.monotonic(), 0.0)):
                await held.woken.wait()
        except TimeoutError:
            held.wake("over")
        held.woken.clear()  # what comes while it is judged wakes it once more

    def release(self, held: HeldCall) -> None:
        """It is decided, or its task has ended."""
        self._held.discard(held)

    def holds(self, call: str) -> bool:
        """Whether a call waits here."""
        return any(held.call.id == call for held in self._held)

    def leave(self, call: str) -> None:
        """The client of a call has gone: nobody would run what is allowed now."""
        self._gone.append(call)
        for held in tuple(self._held):
            if held.call.id == call:
                held.wake("gone")

    def come_back(self, call: str) -> None:
        """The client of a call asks it once more: whoever had gone is there again."""
        with suppress(ValueError):
            self._gone.remove(call)

    def leave_all(self) -> None:
        """The client of every call of this process has gone."""
        self._is_ending = True
        for held in tuple(self._held):
            held.wake("gone")

    def end(self) -> None:
        """This process ends: whoever waits is answered, and nobody waits any more."""
        self._is_ending = True
        for held in tuple(self._held):
            held.wake("ending")

    def close(self) -> None:
        """End what tells a person."""
        self.end()
        for task in (*self._notes, *filter(None, (self._watching,))):
            task.cancel()

    async def _watch(self) -> None:
        """Look again and again, as long as anybody waits. The loop is free in between."""
        while self._held:
            try:
                version = self._store.read(self._store.version)
                if version != self._version:
                    for held in tuple(self._held):
                        self._look(held)
                    self._version = version
            except StoreError:
                pass  # the next look may do better; every call has its own end
            except Exception:
                log.exception("waiting calls could not be looked at")
            await asyncio.sleep(LOOK_SECONDS)

    def _look(self, held: HeldCall) -> None:
        known = self._find_refusal(held)
        if known is not None and known.answer == "upheld" and known.answered_at != held.upheld_at:
            held.wake("upheld")
            return
        found = [self._find_grants(held, act) for act in held.decision.refused]
        ids = {one.id for several in found for one in several}
        if all(found) and not ids <= held.seen:
            held.seen |= ids
            held.wake("allowed")

    def _find_refusal(self, held: HeldCall) -> refused.RefusedCall | None:
        acts, root = held.decision.refused, held.call.root
        known = refused.find_by_code(self._store, held.decision.code)
        return next((one for one in known if one.subject.acts == acts and one.subject.root == root), None)

    def _find_grants(self, held: HeldCall, act: RefusedAct) -> list[Grant]:
        """Exceptions that may lift one of the verdicts: whether they do, only the walk can say."""
        now, call = time.time(), held.call
        place = (call.root, call.event.session_id)
        found = grants.find_for_act(self._store, act, find_subject(call))
        return [one for one in found if one.is_in_force(now, call.id) and is_for_place(one, act, place)]

    def _write_down(self, held: HeldCall, keep: JournalDetail) -> None:
        """Before anybody is told: who looks for it must find it. Raises StoreError."""
        call, event = held.call, held.call.event
        news = describe_refusal(call, held.decision, keep)
        record = EventRecord(
            call=call.id,
            at=call.at,
            agent=call.agent,
            event=event.hook_event_name,
            session=event.session_id,
            agent_id=event.agent_id,
            decision=held.decision,
            refused=msgspec.structs.replace(news, subject=msgspec.structs.replace(news.subject, asks=True)),
        )
        refused.put_refused(self._store, record)

    def _tell(self, held: HeldCall, ask: AskConfig) -> None:
        if not ask.notify or any(other.key == held.key for other in self._held):
            return  # one question, however many wait for its answer
        if len(self._notes) >= MOST_NOTES:
            log.warning("nobody was told of question %s: others are just being told", held.decision.code)
            return
        note = make_note(held)
        self._start(self._tell_one(note, ask.notify))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._notes.add(task)
        task.add_done_callback(self._notes.discard)

    async def _tell_one(self, note: AskNote, how: str) -> None:
        """What keeps a person from being told is told, and changes nothing."""
        try:
            trouble = await tell_person(note, how, self._is_persons)
        except Exception as error:  # noqa: BLE001 - whatever it is, the call waits all the same
            trouble = f"{type(error).__name__}: {error}"
        if trouble:
            log.warning("question %s: %s", note.code, trouble)
            line = f"`ask.notify` does not work: {trouble}"
            if line not in self._store.notices:
                self._store.notices.append(line)


def find_age(call: str) -> float:
    """Seconds since the client made a call's id; 0 where that cannot be known, or a clock was set."""
    sent = claims.find_sent(call)
    return max(time.time() - sent, 0.0) if sent is not None else 0.0


def make_note(held: HeldCall) -> AskNote:
    """What a person is told, without secrets."""
    call, decision = held.call, held.decision
    return AskNote(
        code=decision.code,
        policy=decision.by,
        what=clean_text(show_call(call))[:MOST_SAID],
        reason=clean_text(decision.reason)[:MOST_SAID],
        project=clean_text(call.root),
        agent=call.agent,
        session=clean_text(call.event.session_id),
        seconds=round(max(held.until - time.monotonic(), 0.0), 1),
    )


def clean_text(text: str) -> str:
    """A text of an agent's as it may reach a program or a screen."""
    return redact_text(to_utf8(text)).replace("\0", "")
