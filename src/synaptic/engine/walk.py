"""The walk of one event, from bytes to bytes: dispatch, http, methods, `try`, `check` and `hook test` lead here."""

import asyncio
import logging
import time
from functools import partial

import msgspec

from synaptic.agents.shared.discover import find_adapter, find_agent
from synaptic.agents.shared.recognise import correct_sender
from synaptic.engine.alarm import Judgement
from synaptic.engine.arrivals import Arrivals
from synaptic.engine.commit import (
    DecidedEvent,
    EventCommit,
    GrantSpentError,
    GrantUnwrittenError,
    add_line,
    add_trouble,
)
from synaptic.engine.decode_call import decode_call
from synaptic.engine.held import HeldCall, HeldCalls, HoldTerms
from synaptic.engine.held_answers import is_unheard_question, settle_held
from synaptic.engine.launch_promised import PromisedHooks
from synaptic.engine.opening import CallOpener, OpenedCall
from synaptic.engine.reports import disown_call, find_report_doubt
from synaptic.engine.runtime import DryRun, EventRuntime, OneHook, RuntimeKind
from synaptic.engine.senders import Senders
from synaptic.engine.shadow_queue import ShadowQueue
from synaptic.engine.side_effects import SideEffects
from synaptic.engine.unattended import is_unattended
from synaptic.engine.unjudged import answer_defect, answer_unreadable, ask_in_doubt
from synaptic.engine.unknown_policies import UnknownPolicyWarnings
from synaptic.engine.witness import Witness, WitnessReport, tell_finding
from synaptic.facts.gather import EngineMeans, gather_facts
from synaptic.hooks.catalog import HookCatalog, HookCatalogs
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.errors import PayloadError, StoreError
from synaptic.model.event import ToolEvent
from synaptic.model.home import Home
from synaptic.model.hook import Hook
from synaptic.model.tool import Input
from synaptic.pipeline.amend import AmendedDecision, amend_decision
from synaptic.pipeline.decide import decide_call
from synaptic.pipeline.shadow import TimeLimit, judge_in_shadow
from synaptic.runners.execute import HookRunners
from synaptic.store import claims, journal
from synaptic.store.db import Store
from synaptic.store.record import JournalDetail

log = logging.getLogger(__name__)

LATE_SHARE = 1.02
"""Of our patience: what the guards have left after hooks that took all of it. The agent still waits then."""
MOST_SPENDING, MOST_DECISIONS = 6, 8
"""How often a call is decided anew when its exceptions vanish in between: with those that are used up, and at all."""


class JudgedCall(msgspec.Struct, frozen=True):
    """A call that is decided and not yet written down."""

    request: Request
    """As it is believed: it may be disowned on the way."""
    opened: OpenedCall
    event: DecidedEvent
    happens: bool
    """Whether it is to be written down."""


class Engine:
    """One home's engine. `answer` is the whole service; `rehearse` is the same without a trace in the store."""

    def __init__(self, home: Home, means: EngineMeans, catalogs: HookCatalogs | None = None) -> None:
        self.home = home
        self.means = means
        self.store = means.store
        self.catalogs = catalogs or HookCatalogs(home)
        self._opener = CallOpener(home, means, self.catalogs)
        self._unknown = UnknownPolicyWarnings()
        self.senders = Senders(home, means.store)
        self.held = HeldCalls(means.store, lambda pid: not self.senders.find_agent_above(pid))
        self._arrivals = Arrivals(means.store)
        self._witness = Witness(home, means.store, self.senders)
        self.shadows = ShadowQueue(home)
        self._effects = SideEffects(home, means.store, means.runners)
        self._promised = PromisedHooks(means, self._effects, self._opener.open)
        self.commit = EventCommit(means.store, means.reservations, self._effects)

    async def walk(self, request: Request, kind: RuntimeKind = EventRuntime) -> DecidedEvent:
        """Decode, open the project's catalog, select and run the hooks, merge, amend, encode, write: in this order.

        What the runtime does not let happen is not written. Raises PayloadError for bytes that are no event.
        """
        trial, held = 0, None
        try:
            while True:
                try:
                    event = await self._walk_once(request, kind, held, trial)
                except GrantSpentError as spent:  # somebody was faster: decided anew, without that exception
                    trial = max(trial + 1, MOST_SPENDING if spent.is_unwritten else 0)
                    continue
                if isinstance(event, DecidedEvent):
                    return event
                held = event
                await self.held.wait(held)
        finally:
            if held:
                self.held.release(held)

    async def _walk_once(
        self, request: Request, kind: RuntimeKind, held: HeldCall | None, trial: int
    ) -> DecidedEvent | HeldCall:
        """One walk; the call itself, where a person is to be waited for. It holds nothing then."""
        started = held.started if held else time.perf_counter_ns()
        with self.means.reservations.hold(request.id):
            judged = await self._judge_once(request, kind, held, trial)
            event, keep = judged.event, judged.opened.catalog.config.journal
            if not judged.happens:
                return event
            terms = HoldTerms(judged.opened.catalog.config.ask, judged.opened.timeout, started, keep)
            try:
                if waiting := self._hold(event, terms, held):
                    return waiting
            except StoreError as error:
                event = add_line(event, f"nobody was asked, because the question could not be written down: {error}")
            if held and held.has_written(event.call, event.decision):
                event = msgspec.structs.replace(event, is_refusal_kept=True)
            written = await self._write(judged.request, event, keep, started)
            if judged.opened.catalog.watched:
                self._leave_to_shadow(judged.request, written, judged.opened.catalog)
            return written

    async def _judge_once(self, request: Request, kind: RuntimeKind, held: HeldCall | None, trial: int) -> JudgedCall:
        """Everything up to the answer, broken off where it takes longer than the agent waits."""
        with Judgement() as judgement:
            opened = await self._opener.open(request)
            patience = held.find_patience() if held else opened.patience
            judgement.limit(patience * LATE_SHARE)
            runtime = kind(opened.catalog, self.means, patience)
            _limit_grants(runtime, request, held, trial)
            is_witnessed = runtime.happens and opened.is_journaled
            seen = self._witness.look(request, opened.call) if is_witnessed else None
            amended = await self._decide(opened, runtime, seen)
            if doubt := find_report_doubt(self.senders, self.store, request, (opened.call, amended.decision)):
                request = msgspec.structs.replace(request, stranger=doubt)
                opened = msgspec.structs.replace(opened, call=disown_call(opened.call, doubt))
                amended = _drop_effects(amended)
            decision = amended.decision
            if held:
                decision = settle_held(opened.wire, opened.call, decision, held)
            answer = opened.wire.encode(opened.call, decision)
        if is_witnessed and seen is None:
            seen = self._witness.note(opened.call, decision)
        event = DecidedEvent(
            opened.call,
            decision,
            answer,
            amended.carried,
            tuple(runtime.prepared),
            seen=seen,
            spends=runtime.grants is not None and runtime.grants.spends and decision.kind is not Kind.DENY,
            looks=runtime.looks,
            catalog=opened.catalog,
        )
        return JudgedCall(request, opened, event, runtime.happens)

    async def _decide(
        self, opened: OpenedCall, runtime: EventRuntime, seen: WitnessReport | None = None
    ) -> AmendedDecision:
        """Select and run the hooks, merge what they say, amend it by what earlier events have left."""
        call = opened.call
        made = await runtime.finish(await decide_call(call, runtime))
        unknown = self._unknown.choose(call, opened.catalog.unknown_policies, is_told=runtime.happens)
        if decision := _complete_decision(made.decision, call, runtime, unknown, seen):
            made = msgspec.structs.replace(made, decision=decision)
        try:
            return amend_decision(call, made, opened.wire, runtime.memory)
        except Exception:
            if made.decision.kind is not Kind.DENY:
                raise
            log.exception("the refusal of call %s could not be amended", call.id)
            return AmendedDecision(made.decision, ())  # it stands without what would have been said beside it

    def _hold(self, event: DecidedEvent, terms: HoldTerms, held: HeldCall | None) -> HeldCall | None:
        """The call, where a person is to be waited for. Raises StoreError where they could not find it."""
        call, decision = event.call, event.decision
        if held and held.end == "gone" and decision.grants:
            return held  # nobody would run it: once more, without using anything up
        if terms.ask.wait <= 0 or (held and held.is_over):
            return None
        if not decision.code or not is_unheard_question(decision, lambda: is_unattended(call, self.senders)):
            return None
        return self.held.hold_on(held, call, decision, terms) if held else self.held.hold(call, decision, terms)

    async def _write(self, request: Request, event: DecidedEvent, keep: JournalDetail, started: int) -> DecidedEvent:
        try:
            written = await self.commit.write(request, event, keep, started)
            if keep != "off" and not request.stranger:
                self._witness.follow(event.call, event.seen if written.answer is event.answer else None)
            return written
        except GrantSpentError:
            raise
        except Exception as error:
            # What was decided stands, whatever keeps it from being written: a deny never becomes a question.
            log.exception("call %s was decided and not written", request.id)
            if event.spends:
                raise GrantUnwrittenError(str(error)) from error
            return add_trouble(event, f"{type(error).__name__}: {error}")

    def _leave_to_shadow(self, request: Request, event: DecidedEvent, catalog: HookCatalog) -> None:
        """Leave a call that goes on to the policies that are only watched: what was refused tells nothing new."""
        if request.stranger or not event.is_written or event.decision.kind is Kind.DENY:
            return
        if catalog.config.journal != "off" and catalog.shadow_index.select(event.call).hooks:
            self.shadows.add(request, event.decision.input)

    async def judge_in_shadow(
        self, request: Request, final: Input | None, limit: TimeLimit
    ) -> tuple[tuple[TraceStep, ...], JournalDetail]:
        """What the policies that are only watched would have said about a call as it left, and how much is kept."""
        with self.means.reservations.hold(request.id):
            opened = await self._opener.open(request)
            about = opened.call if final is None else opened.call.with_input(final)
            gather = partial(gather_facts, means=self.means)
            steps = await judge_in_shadow(about, opened.catalog.shadow_index, gather, limit)
            return steps, opened.catalog.config.journal

    async def judge(self, request: Request, kind: RuntimeKind) -> Decision:
        """The walk up to the decision, for those who have no agent to answer. Raises PayloadError."""
        with self.means.reservations.hold(request.id), Judgement():
            opened = await self._opener.open(request)
            return (await self._decide(opened, kind(opened.catalog, self.means, opened.patience))).decision

    async def answer(self, request: Request) -> Answer:
        """What the agent is told; on disk before it is returned."""
        # After a standstill of this process the sender may have decided the call elsewhere: nothing is done twice.
        if claims.is_late(request.id, time.time()) and (known := self._find_answer(request)):
            return known
        return await self._answer_anew(request)

    async def replay(self, request: Request) -> Answer:
        """Like `answer`, but a call that was answered before gets the same answer and is not counted twice."""
        known = self._find_answer(request)
        if known is None:
            return await self._answer_anew(request)
        try:
            await self._promised.launch_of_call(request)
        except Exception:
            log.exception("hooks of call %s that nobody waits for", request.id)  # the answer is known all the same
        return known

    async def _answer_anew(self, request: Request) -> Answer:
        sent = request
        try:
            request = correct_sender(sent)
            if request is not sent and (silence := self._answer_reader(request)):
                return silence
            return (await self._arrivals.decide_once(request, self.walk)).answer
        except PayloadError as error:
            return await self._answer_unreadable(request, error)
        except Exception as error:  # noqa: BLE001 - our own defect must not become an allow: the caller's fail policy may
            return answer_defect(request, error)

    def _find_answer(self, request: Request) -> Answer | None:
        try:
            return journal.find_answer(self.store, request.id)
        except StoreError:
            return None  # where the journal cannot be read, a repeated call is decided again: no answer would be worse

    async def rehearse(self, request: Request, only: Hook | None = None) -> DecidedEvent:
        """The walk with state as it is and nothing written, of all hooks or of one. Raises PayloadError."""
        return await self.walk(correct_sender(request), partial(OneHook, only) if only else DryRun)

    async def collect(self) -> int:
        """Take in what background hooks have answered; how many there were."""
        return await asyncio.to_thread(self._effects.collect_background)

    async def launch_left(self) -> None:
        """Launch the hooks of written calls whose processes were all killed before. Raises what keeps one from it."""
        await self._promised.launch_left()

    async def join_outside(self, catalog: HookCatalog) -> HookCatalog:
        """A catalog with the policies that its files from outside hold, as far as they may run."""
        return await self._opener.join_outside(catalog)

    def recover_lines(self) -> None:
        """Write the lines of operators' files that a process which was killed had left to write."""
        self._effects.recover_lines()

    async def close(self) -> None:
        """Let go of workers and the database, after what answers have left to do."""
        self.held.close()
        await self._witness.finish()
        self._effects.close()
        self.shadows.hand_over()
        await self.means.runners.close()
        self._witness.close()
        self.store.close()

    def _answer_reader(self, request: Request) -> Answer | None:
        """Silence for an agent that runs Claude Code's entries beside its own: one event is judged once."""
        if not find_agent(request.agent).reads_claude_settings:
            return None
        from synaptic.agents.shared.wired import has_own_entry  # noqa: PLC0415 - hardly any event needs these 7 ms

        wire = find_adapter(request.agent)
        call = decode_call(wire, request)
        return wire.encode(call, Decision()) if has_own_entry(self.home, call) else None

    async def _answer_unreadable(self, request: Request, error: PayloadError) -> Answer:
        """A payload that is no event: refused before a tool runs, else the fail policy, said and journaled."""
        warning = f"{request.event or 'an event'} could not be read: {error}"
        call = Call(request.id, request.agent, ToolEvent(hook_event_name=request.event), {}, at=time.time())
        config = self.catalogs.get("").config
        answer = answer_unreadable(request, call, warning, is_closed=config.fail == "closed")
        event = DecidedEvent(call, Decision(warnings=(warning,)), answer)
        return (await self.commit.write(request, event, config.journal, time.perf_counter_ns())).answer


def _limit_grants(runtime: EventRuntime, request: Request, held: HeldCall | None, trial: int) -> None:
    """Which exceptions may count in this round: none for a stranger's call, fewer where they vanish in between."""
    if request.stranger:
        runtime.grants = None
    elif runtime.grants:
        runtime.grants.lifts_once = trial < MOST_SPENDING
        runtime.grants.lifts = trial + 1 < MOST_DECISIONS and (held is None or held.may_lift)


def _complete_decision(
    decision: Decision, call: Call, runtime: EventRuntime, warnings: tuple[str, ...], seen: WitnessReport | None
) -> Decision | None:
    """What the hooks said and what must be said besides; None where there is nothing to add, as nearly always."""
    whole = decision
    if not runtime.happens and whole.refused:  # a call that nobody makes has nothing to be lifted
        whole = msgspec.structs.replace(whole, refused=())
    if warnings:
        whole = msgspec.structs.replace(whole, warnings=(*whole.warnings, *warnings))
    if seen is not None and seen.standing:
        whole = tell_finding(whole, seen)
    if runtime.doubt:
        whole = ask_in_doubt(whole, call, runtime.doubt)
    return whole if whole is not decision else None


def _drop_effects(amended: AmendedDecision) -> AmendedDecision:
    """What was decided, without anything that would be remembered."""
    return msgspec.structs.replace(amended, decision=msgspec.structs.replace(amended.decision, effects=()))


def open_engine(home: Home) -> Engine:
    """The engine of a home; where its database cannot be used, one that works without."""
    try:
        store = Store.open(home)
    except StoreError as error:
        store = Store.open_in_memory(home, error)
    engine = Engine(home, EngineMeans(store, HookRunners(home.spool)))
    engine.recover_lines()
    return engine
