"""The walk of one event: decode, select, run, journal, encode. The daemon and the fallback run this same code."""

import asyncio
import logging
import time
from collections.abc import Sequence
from functools import partial

import msgspec

from synaptic.agents.base import Adapter
from synaptic.agents.shared.discover import OWN, find_adapter, find_agent, has_dialect
from synaptic.agents.shared.recognise import with_true_sender
from synaptic.engine import background, refusals, routing, sinks
from synaptic.engine.commit import GroupCommit
from synaptic.engine.decide import decided
from synaptic.engine.runtime import Rehearsal, World
from synaptic.facts.gather import Means
from synaptic.hooks.catalog import Catalog, Catalogs
from synaptic.hooks.project import find_root
from synaptic.hooks.trust import Trust
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Failure
from synaptic.model.errors import PayloadError, StoreError
from synaptic.model.event import ABILITY_EVENTS, MessageDisplay, SessionStart, Timing, ToolEvent
from synaptic.model.home import Home
from synaptic.model.layers import LAYER_EFFECTS
from synaptic.pipeline.merge import Said, merge
from synaptic.pipeline.select import Index, Panel
from synaptic.runners.execute import Runners
from synaptic.runners.spool import Finished
from synaptic.store import deliveries, journal, mirror, stops
from synaptic.store import trust as trusted
from synaptic.store.db import Store
from synaptic.store.record import Delivery, Keep, Record

log = logging.getLogger(__name__)

MARGIN = 0.95
"""The share of the agent's own patience that is ours: an answer that comes too late is no answer."""
INDEXES = 64
ABILITIES = frozenset(kind.__name__ for kind in ABILITY_EVENTS)
"""Events that no coding agent sends: whoever names one speaks our own dialect."""


class Walked(msgspec.Struct, frozen=True):
    """One event after the walk: what was asked, what was decided, what the agent is told."""

    call: Call
    decision: Decision
    answer: Answer
    carried: tuple[Delivery, ...] = ()


class Engine:
    """One home's engine. `answer` is the whole service; `rehearse` is the same without a trace in the store."""

    def __init__(self, home: Home, means: Means) -> None:
        self.home = home
        self.means = means
        self.store = means.store
        self.runners = means.runners
        self.catalogs = Catalogs(home)
        self._commit = GroupCommit(self._append)
        self._indexes: dict[int, tuple[Catalog, Index]] = {}
        self._keep: Keep = "full"
        self._unfinished: list[Walked] = []

    async def answer(self, request: Request) -> Answer:
        """What the agent is told; on disk before it is returned."""
        started = time.perf_counter_ns()
        named, request = request, with_true_sender(request)
        try:
            if request is not named and (silence := self._judged_elsewhere(request)):
                return silence
            walked = await self._walk(request)
        except PayloadError as error:
            walked = self._unreadable(request, error)
        except BaseException:
            self.store.decided(request.id)  # nobody will write this call down
            raise
        return await self._told(request, walked, started)

    async def replay(self, request: Request) -> Answer:
        """Like `answer`, but a call that was answered before gets the same answer and is not counted twice."""
        try:
            known = journal.answer(self.store, request.id)
        except StoreError:
            known = None
        return known or await self.answer(request)

    async def rehearse(self, request: Request) -> Walked:
        """The walk with state as it is and nothing written. Raises PayloadError."""
        wire, call, catalog = self._open(with_true_sender(request))
        world = Rehearsal(catalog, self.trust(catalog), self.means, _seconds(wire, call))
        decision = await decided(call, partial(self.select, catalog), world)
        for invocation in world.started:
            said = Said(hook=invocation.hook, outcome=await self.runners.run(invocation), phase="background")
            extra = merge(Timing.OBSERVE, [said])
            decision = msgspec.structs.replace(decision, trace=decision.trace + extra.trace)
        self.store.decided(request.id)  # nobody will write this call down
        return self._finish(wire, call, catalog, decision)

    def select(self, catalog: Catalog, call: Call) -> Panel:
        """The hooks that concern a call, in their order."""
        kept = self._indexes.get(id(catalog))
        if kept is None or kept[0] is not catalog:
            if len(self._indexes) >= INDEXES:
                self._indexes.clear()
            kept = self._indexes[id(catalog)] = (catalog, Index(catalog.hooks))
        return kept[1].select(call)

    def trust(self, catalog: Catalog) -> Trust:
        """Who may run in a project."""
        return Trust(catalog.root, self._accepted, catalog.config.trust == "all", catalog.pins)

    async def collect(self) -> int:
        """Take in what background hooks have answered, for their sessions' next event; how many there were."""
        return await asyncio.to_thread(self._collect)

    async def close(self) -> None:
        """Let go of workers and the database, after what answers have left to do."""
        self._carry_out()
        await self.runners.close()
        self.store.close()

    def _accepted(self, root: str) -> frozenset[str]:
        try:
            return trusted.trusted(self.store, root)
        except (StoreError, UnicodeEncodeError):
            return frozenset()  # what cannot be looked up is not trusted

    def _collect(self) -> int:
        finished = self.runners.collect()
        for one in finished:
            if text := _advice(one):
                deliveries.add(self.store, _delivery(one, text))
            self.runners.done(one)
        return len(finished)

    def _judged_elsewhere(self, request: Request) -> Answer | None:
        """Silence for an agent that runs Claude Code's entries beside its own: one event is judged once."""
        if not find_agent(request.agent).reads_claude_settings:
            return None
        from synaptic.setup.wired import speaks_for_itself  # noqa: PLC0415  hardly any event needs it

        wire = find_adapter(request.agent)
        call = wire.decode(request)
        return wire.encode(call, Decision()) if speaks_for_itself(self.home, call) else None

    async def _walk(self, request: Request) -> Walked:
        wire, call, catalog = self._open(request)
        self._keep = catalog.config.journal
        world = World(catalog, self.trust(catalog), self.means, _seconds(wire, call))
        decision = await decided(call, partial(self.select, catalog), world)
        return self._finish(wire, call, catalog, decision)

    def _open(self, request: Request) -> tuple[Adapter, Call, Catalog]:
        wire = find_adapter(OWN if request.event in ABILITIES else request.agent)
        call = wire.decode(request)
        root = find_root(call.payload, call.env, call.event.cwd)
        catalog = self.catalogs.get(root, call.env.get("SYNAPTIC_ENV", ""))
        return wire, msgspec.structs.replace(call, root=root, at=time.time()), catalog

    def _finish(self, wire: Adapter, call: Call, catalog: Catalog, decision: Decision) -> Walked:
        decision = routing.hinted(self.store, call, refusals.counted(self.store, call, decision), own=wire.name == OWN)
        decision = self._capped(call, self._noticed(call, catalog, decision), catalog.config.stop_cap)
        decision, carried = self._carrying(wire, call, decision)
        decision = wire.degrade(call, decision)
        return Walked(call, decision, wire.encode(call, decision), carried)

    async def _told(self, request: Request, walked: Walked, started: int) -> Answer:
        if isinstance(walked.call.event, MessageDisplay) and not walked.decision.trace:
            return walked.answer  # every printed line is such an event: without a hook it is no news
        try:
            await self._commit.write(_record(request, walked, (time.perf_counter_ns() - started) // 1000))
        except StoreError as error:
            return _unwritten(walked.answer, str(error))
        if not all(isinstance(effect, LAYER_EFFECTS) for effect in walked.decision.effects):
            self._later(walked)
        return walked.answer if self.store.durable else _unwritten(walked.answer, self.store.trouble)

    def _later(self, walked: Walked) -> None:
        """Files, mirrors and background runs come after the answer: nobody waits for them, and the journal has them."""
        if not self._unfinished:
            asyncio.get_running_loop().call_soon(self._carry_out)
        self._unfinished.append(walked)

    def _carry_out(self) -> None:
        done, self._unfinished = self._unfinished, []
        for walked in done:
            try:
                for warning in self._effects(walked):
                    log.warning("%s", warning)
            except Exception:
                log.exception("what call %s left to do failed", walked.call.id)  # the next one's is done all the same

    def _effects(self, walked: Walked) -> tuple[str, ...]:
        root, effects = walked.call.root, walked.decision.effects
        return (
            *sinks.write(effects),
            *mirror.write(self.store, root, effects),
            *routing.write(self.store, root, effects),
            *background.start(self.runners, self.home, walked.call, effects),
        )

    def _append(self, records: Sequence[Record]) -> None:
        journal.append(self.store, records, self._keep)

    def _noticed(self, call: Call, catalog: Catalog, decision: Decision) -> Decision:
        """What a session should hear once, at its start: what was skipped, what is broken."""
        if not isinstance(call.event, SessionStart):
            return decision
        notices = [*self.store.notices, *catalog.problems, *self._untrusted(catalog)]
        self.store.notices.clear()
        messages = tuple(f"synaptic: {notice}" for notice in notices)
        return msgspec.structs.replace(decision, messages=decision.messages + messages)

    def _untrusted(self, catalog: Catalog) -> list[str]:
        trust = self.trust(catalog)
        refusals = (catalog.tampered(hook) or trust.refusal(hook) for hook in catalog.hooks)
        return [refusal for refusal in refusals if refusal]

    def _capped(self, call: Call, decision: Decision, cap: int) -> Decision:
        """Stop cannot loop, whatever the agent's own counter does."""
        if call.event.TIMING is not Timing.STOP or not decision.feedback:
            return decision
        blocked = self._blocked(call, cap)
        if blocked < cap:
            return decision
        told = f"{decision.by} wanted to keep the agent from stopping for the {blocked + 1}th time; it may stop"
        return msgspec.structs.replace(decision, feedback=(), reason="", warnings=(*decision.warnings, told))

    def _blocked(self, call: Call, cap: int) -> int:
        """How often in a row; where nobody can count, the agent's own word is enough."""
        try:
            return stops.consecutive(self.store, call.event.session_id, call.event.agent_id)
        except StoreError:
            return cap if getattr(call.event, "stop_hook_active", False) else 0

    def _carrying(self, wire: Adapter, call: Call, decision: Decision) -> tuple[Decision, tuple[Delivery, ...]]:
        """Add what has been waiting for an event that reaches the model."""
        event = call.event
        if not event.session_id or not wire.capability(event.hook_event_name).context:
            return decision, ()
        try:
            waiting = deliveries.pending(self.store, event.session_id, event.agent_id, call.id)
        except StoreError:
            return decision, ()
        if not waiting:
            return decision, ()
        texts = tuple(delivery.text for delivery in waiting)
        return msgspec.structs.replace(decision, context=decision.context + texts), waiting

    def _unreadable(self, request: Request, error: PayloadError) -> Walked:
        """A payload that is no event: the documented fail policy, said on stderr and in the journal."""
        warning = f"{request.event or 'an event'} could not be read: {error}"
        event = ToolEvent(hook_event_name=request.event)
        call = Call(request.id, request.agent, event, {}, at=time.time())
        decision = Decision(warnings=(warning,))
        config = self.catalogs.get("").config
        self._keep = config.journal
        if config.fail == "closed" and has_dialect(request.agent):
            return Walked(call, decision, find_adapter(request.agent).refuse(request.event, warning))
        line = f"synaptic: {warning}\n".encode("utf-8", "replace")
        if not has_dialect(request.agent):
            return Walked(call, decision, Answer(stderr=line))
        silence = find_adapter(request.agent).encode(call, Decision())
        return Walked(call, decision, msgspec.structs.replace(silence, stderr=line))


def open_engine(home: Home) -> Engine:
    """The engine of a home; where its database cannot be used, one that works without."""
    try:
        store = Store.open(home)
    except StoreError as error:
        store = Store.in_memory(home, error)
    return Engine(home, Means(store, Runners(home.spool)))


def _unwritten(answer: Answer, trouble: str) -> Answer:
    """The same answer, with a line for the operator."""
    line = f"synaptic: this event is not in the journal: {trouble}\n"
    return msgspec.structs.replace(answer, stderr=answer.stderr + line.encode("utf-8", "replace"))


def _seconds(wire: Adapter, call: Call) -> float:
    return wire.capability(call.event.hook_event_name).timeout * MARGIN


def _advice(finished: Finished) -> str:
    """What a background hook wants the model to know; its failure is worth knowing too."""
    outcome = finished.outcome
    if isinstance(outcome, Failure):
        return f"background hook {finished.hook}: {outcome.fault}: {outcome.message}"
    return "\n".join(outcome.context + outcome.messages) if outcome else ""


def _delivery(finished: Finished, text: str) -> Delivery:
    return Delivery(
        call=finished.call,
        hook=finished.hook,
        session=finished.session,
        agent_id=finished.agent_id,
        text=text,
        at=time.time(),
    )


def _record(request: Request, walked: Walked, micros: int) -> Record:
    event = walked.call.event
    return Record(
        call=request.id,
        at=walked.call.at,
        agent=walked.call.agent,
        event=event.hook_event_name,
        session=event.session_id,
        agent_id=event.agent_id,
        tool=event.subject,
        root=walked.call.root,
        payload=request.stdin,
        decision=walked.decision,
        answer=walked.answer,
        micros=micros,
        delivered=tuple(delivery.id for delivery in walked.carried),
    )
