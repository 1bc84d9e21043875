"""The walk of one event, from bytes to bytes: dispatch, http, methods, `try`, `check` and `hook test` lead here."""

import asyncio
import logging
import time
from functools import partial

import msgspec

from synaptic.agents.base import Adapter
from synaptic.agents.shared.discover import OWN_NAME, find_adapter, find_agent, has_dialect
from synaptic.agents.shared.recognise import correct_sender, is_before_act
from synaptic.engine.alarm import Judgement, OutOfTimeError
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
from synaptic.engine.environment import InstalledEnvironment
from synaptic.engine.held import PATIENCE_SHARE, HeldCall, HeldCalls, HoldTerms
from synaptic.engine.held_answers import is_unheard_question, settle_held
from synaptic.engine.outside import OutsidePolicies
from synaptic.engine.promised_runs import UNWRITTEN_SECONDS, decode_request
from synaptic.engine.recollection import make_trust
from synaptic.engine.reports import NOT_OWN_TEXT, find_report_doubt
from synaptic.engine.runtime import DryRun, EventRuntime, OneHook, RuntimeKind
from synaptic.engine.senders import Senders
from synaptic.engine.shadow_queue import ShadowQueue
from synaptic.engine.side_effects import LeftToDo, SideEffects
from synaptic.engine.unattended import is_unattended
from synaptic.engine.unknown_policies import UnknownPolicyWarnings
from synaptic.engine.witness import Witness, WitnessReport, tell_finding
from synaptic.facts.gather import EngineMeans, gather_facts
from synaptic.hooks.catalog import HookCatalog, HookCatalogs
from synaptic.hooks.sources import TOO_SLOW_TEXT
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.errors import PayloadError, StoreError
from synaptic.model.event import ABILITY_EVENTS, PreToolUse, Timing, ToolEvent, UserPromptSubmit
from synaptic.model.home import Home
from synaptic.model.hook import Hook
from synaptic.model.tool import Input
from synaptic.pipeline.amend import AmendedDecision, amend_decision
from synaptic.pipeline.decide import decide_call
from synaptic.pipeline.shadow import TimeLimit, judge_in_shadow
from synaptic.policies.prompt import UNVERIFIED_SOURCE
from synaptic.runners.base import Invocation
from synaptic.runners.execute import HookRunners
from synaptic.runners.run_folder import PromisedRun
from synaptic.store import claims, journal
from synaptic.store.db import Store
from synaptic.store.record import JournalDetail

log = logging.getLogger(__name__)

LATE_SHARE = 1.02
"""Of our patience: what the guards have left after hooks that took all of it. The agent still waits then."""
MOST_SPENDING, MOST_DECISIONS = 6, 8
"""How often a call is decided anew when its exceptions vanish in between: with those that are used up, and at all."""
BLOCKING_EXIT = 2
"""What most agents take for a refusal, whatever else they speak."""
OWN_EVENTS = frozenset(kind.__name__ for kind in ABILITY_EVENTS)
"""Events that no coding agent sends: whoever names one speaks our own dialect."""


class Engine:
    """One home's engine. `answer` is the whole service; `rehearse` is the same without a trace in the store."""

    def __init__(self, home: Home, means: EngineMeans, catalogs: HookCatalogs | None = None) -> None:
        self.home = home
        self.means = means
        self.store = means.store
        self.catalogs = catalogs or HookCatalogs(home)
        self._outside = OutsidePolicies(home, means.runners.policies)
        self._unknown = UnknownPolicyWarnings()
        self.senders = Senders(home, means.store)
        self.held = HeldCalls(means.store, lambda pid: not self.senders.find_agent_above(pid))
        self._arrivals = Arrivals(means.store)
        self._witness = Witness(home, means.store, self.senders)
        self._installed = InstalledEnvironment(home)
        self.shadows = ShadowQueue(home)
        self._effects = SideEffects(home, means.store, means.runners)
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
            with Judgement() as judgement:
                wire, call, catalog = await self._open_call(request)
                patience = held.find_patience() if held else _find_patience(wire, call)
                judgement.limit(patience * LATE_SHARE)
                runtime = kind(catalog, self.means, patience)
                runtime.grants = runtime.grants if not request.stranger else None
                if runtime.grants:
                    runtime.grants.lifts_once = trial < MOST_SPENDING
                    runtime.grants.lifts = trial + 1 < MOST_DECISIONS and (held is None or held.may_lift)
                unknown = self._unknown.choose(call, catalog.unknown_policies, is_told=runtime.happens)
                is_witnessed = runtime.happens and catalog.config.journal != "off"
                seen = self._witness.look(request, call) if is_witnessed else None
                amended = await _decide_and_amend(wire, call, runtime, unknown, seen)
                if doubt := find_report_doubt(self.senders, self.store, request, (call, amended.decision)):
                    request = msgspec.structs.replace(request, stranger=doubt)
                    call, amended = _disown_call(call, doubt), _drop_effects(amended)
                decision = settle_held(wire, call, amended.decision, held) if held else amended.decision
                answer = wire.encode(call, decision)
            if is_witnessed and seen is None:
                seen = self._witness.note(call, decision)
            spends = runtime.grants is not None and runtime.grants.spends and decision.kind is not Kind.DENY
            runs = tuple(runtime.prepared)
            event = DecidedEvent(
                call,
                decision,
                answer,
                amended.carried,
                runs,
                seen=seen,
                spends=spends,
                looks=runtime.looks,
                catalog=catalog,
            )
            if not runtime.happens:
                return event
            terms = HoldTerms(catalog.config.ask, _find_timeout(wire, call), started, catalog.config.journal)
            try:
                if waiting := self._hold(event, terms, held):
                    return waiting
            except StoreError as error:
                event = add_line(event, f"nobody was asked, because the question could not be written down: {error}")
            if held and held.has_written(event.call, event.decision):
                event = msgspec.structs.replace(event, is_refusal_kept=True)
            written = await self._write(request, event, catalog.config.journal, started)
            if catalog.watched:
                self._leave_to_shadow(request, written, catalog)
            return written

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
            _, call, catalog = await self._open_call(request)
            about = call if final is None else call.with_input(final)
            gather = partial(gather_facts, means=self.means)
            return await judge_in_shadow(about, catalog.shadow_index, gather, limit), catalog.config.journal

    async def judge(self, request: Request, kind: RuntimeKind) -> Decision:
        """The walk up to the decision, for those who have no agent to answer. Raises PayloadError."""
        with self.means.reservations.hold(request.id), Judgement():
            wire, call, catalog = await self._open_call(request)
            runtime = kind(catalog, self.means, _find_patience(wire, call))
            unknown = self._unknown.choose(call, catalog.unknown_policies, is_told=False)
            return (await _decide_and_amend(wire, call, runtime, unknown)).decision

    async def answer(self, request: Request) -> Answer:
        """What the agent is told; on disk before it is returned."""
        # After a standstill of this process the sender may have decided the call elsewhere: nothing is done twice.
        if claims.is_late(request.id, time.time()) and (known := self._find_answer(request)):
            return known
        return await self._decide(request)

    async def replay(self, request: Request) -> Answer:
        """Like `answer`, but a call that was answered before gets the same answer and is not counted twice."""
        known = self._find_answer(request)
        if known is None:
            return await self._decide(request)
        try:
            await self._launch_promised(request)
        except Exception:
            log.exception("hooks of call %s that nobody waits for", request.id)  # the answer is known all the same
        return known

    async def _decide(self, request: Request) -> Answer:
        sent = request
        try:
            request = correct_sender(sent)
            if request is not sent and (silence := self._answer_reader(request)):
                return silence
            return (await self._arrivals.decide_once(request, self.walk)).answer
        except PayloadError as error:
            return await self._answer_unreadable(request, error)
        except Exception as error:  # noqa: BLE001 - our own defect must not become an allow: the caller's fail policy may
            return _answer_defect(request, error)

    def _find_answer(self, request: Request) -> Answer | None:
        try:
            return journal.find_answer(self.store, request.id)
        except StoreError:
            return None  # where the journal cannot be read, a repeated call is decided again: no answer would be worse

    async def _launch_promised(self, request: Request) -> None:
        """Launch the hooks of a decided call that its process did not live to launch; those that run are left alone."""
        entry = journal.find_entry(self.store, request.id)
        steps = entry.decision.trace if entry else ()
        started = {step.hook for step in steps if step.phase == "started" and not step.fault}
        if entry is None or not started:
            return
        wire, call, catalog = await self._open_call(correct_sender(request))
        runtime = EventRuntime(catalog, self.means, _find_patience(wire, call))
        final = call if entry.decision.input is None else call.with_input(entry.decision.input)
        for hook in catalog.hooks:
            if hook.id in started:
                runtime.start(Invocation(hook, final, runtime.variables, hook.timeout))
        self._effects.begin(LeftToDo(call, runs=tuple(runtime.prepared)))

    async def rehearse(self, request: Request, only: Hook | None = None) -> DecidedEvent:
        """The walk with state as it is and nothing written, of all hooks or of one. Raises PayloadError."""
        return await self.walk(correct_sender(request), partial(OneHook, only) if only else DryRun)

    async def collect(self) -> int:
        """Take in what background hooks have answered; how many there were."""
        return await asyncio.to_thread(self._effects.collect_background)

    async def launch_left(self) -> None:
        """Launch the hooks of written calls whose processes were all killed before. Raises what keeps one from it."""
        failures: list[Exception] = []
        for run in await asyncio.to_thread(self.means.runners.list_promised):
            try:
                await self._launch_left(run)
            except Exception as error:  # noqa: BLE001 - the next one is launched all the same
                failures.append(error)
        if failures:
            raise failures[0]

    async def _launch_left(self, run: PromisedRun) -> None:
        request = next(filter(None, map(decode_request, run.requests)), None)
        if request and journal.find_entry(self.store, request.id):
            await self._launch_promised(request)
        elif run.age < UNWRITTEN_SECONDS:
            return  # its sender is about to ask somebody else
        if self.means.runners.drop_promised(run.id):
            log.info("a promised hook was not launched: its call is not in the journal, or it is not declared any more")

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

    async def _open_call(self, request: Request) -> tuple[Adapter, Call, HookCatalog]:
        wire = find_adapter(OWN_NAME if request.event in OWN_EVENTS else request.agent)
        call = decode_call(wire, request)
        _require_act(call)
        env = self._installed.add_home(call.env)
        catalog = await self.join_outside(await self.catalogs.open_for_call(call, env))
        env["PATH"] = self._installed.choose_path(env.get("PATH", ""), catalog.root)
        if request.stranger:
            call = _disown_call(call, request.stranger)
        if catalog.is_cut or catalog.doubt:
            told = (*((TOO_SLOW_TEXT,) if catalog.is_cut else ()), *((catalog.doubt,) if catalog.doubt else ()))
            call = msgspec.structs.replace(call, warnings=(*call.warnings, *told))
        return wire, msgspec.structs.replace(call, root=catalog.root, at=time.time(), env=env), catalog

    async def join_outside(self, catalog: HookCatalog) -> HookCatalog:
        """A catalog with the policies that its files from outside hold, as far as they may run."""
        if not catalog.policy_sources:  # most users have none
            return catalog
        return await self._outside.join(catalog, make_trust(catalog, self.store))

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
        answer = _refuse_or_go_on(
            request, call, warning, is_closed=config.fail == "closed" or is_before_act(request.agent, request.event)
        )
        event = DecidedEvent(call, Decision(warnings=(warning,)), answer)
        return (await self.commit.write(request, event, config.journal, time.perf_counter_ns())).answer


async def _decide_and_amend(
    wire: Adapter, call: Call, runtime: EventRuntime, warnings: tuple[str, ...], seen: WitnessReport | None = None
) -> AmendedDecision:
    """Select and run the hooks, merge what they say, amend it by what earlier events have left."""
    made = await runtime.finish(await decide_call(call, runtime))
    if not runtime.happens and made.decision.refused:  # a call that nobody makes has nothing to be lifted
        made = msgspec.structs.replace(made, decision=msgspec.structs.replace(made.decision, refused=()))
    if warnings:
        whole = msgspec.structs.replace(made.decision, warnings=(*made.decision.warnings, *warnings))
        made = msgspec.structs.replace(made, decision=whole)
    if seen is not None and seen.standing:
        made = msgspec.structs.replace(made, decision=tell_finding(made.decision, seen))
    if runtime.doubt:
        made = msgspec.structs.replace(made, decision=ask_in_doubt(made.decision, call, runtime.doubt))
    try:
        return amend_decision(call, made, wire, runtime.memory)
    except Exception:
        if made.decision.kind is not Kind.DENY:
            raise
        log.exception("the refusal of call %s could not be amended", call.id)
        return AmendedDecision(made.decision, ())  # it stands without what would have been said beside it


def ask_in_doubt(decision: Decision, call: Call, doubt: str) -> Decision:
    """An act that nobody could judge by all that was declared is a question; what is stricter stays."""
    if call.event.TIMING is not Timing.BEFORE or not isinstance(call.event, ToolEvent):
        return decision
    if decision.kind.rank >= Kind.ASK.rank:
        return decision
    reason = (
        f"Synaptic could not read everything that was declared for this project ({doubt}), so this call was not judged "
        "by all of it. Look at it yourself before you allow it. The next call tries again. Type: synaptic doctor"
    )
    return msgspec.structs.replace(decision, kind=Kind.ASK, by="engine", reason=reason, allowed=False)


def open_engine(home: Home) -> Engine:
    """The engine of a home; where its database cannot be used, one that works without."""
    try:
        store = Store.open(home)
    except StoreError as error:
        store = Store.open_in_memory(home, error)
    engine = Engine(home, EngineMeans(store, HookRunners(home.spool)))
    engine.recover_lines()
    return engine


def _answer_defect(request: Request, error: Exception) -> Answer:
    """A question in the place of the decision that a defect has prevented; after the act, the defect itself."""
    wire = find_adapter(request.agent)
    if not is_before_act(request.agent, request.event):
        if isinstance(error, OutOfTimeError):  # whoever asked again would wait as long again
            return Answer(stderr=f"synaptic: this event is not in the journal: {error}\n".encode("utf-8", "replace"))
        raise error
    log.error("call %s could not be judged", request.id, exc_info=error)
    what = f"{type(error).__name__}: {error}"
    reason = (
        f"Synaptic failed and has not judged this call ({what}). Look at it yourself before you allow it, and type: "
        "synaptic doctor"
    )
    try:
        with Judgement():
            call = decode_call(wire, request)
            answer = wire.encode(call, wire.degrade(call, Decision(kind=Kind.ASK, by="engine", reason=reason)))
    except Exception:  # noqa: BLE001 - the dialect itself may be what fails: its plainest answer needs no call
        answer = wire.refuse(request.event, reason)
    line = f"synaptic: this event is not in the journal: {what}\n"
    return msgspec.structs.replace(answer, stderr=answer.stderr + line.encode("utf-8", "replace"))


def _refuse_or_go_on(request: Request, call: Call, warning: str, *, is_closed: bool) -> Answer:
    line = f"synaptic: {warning}\n".encode("utf-8", "replace")
    if not has_dialect(request.agent):
        return Answer(stderr=line, exit=BLOCKING_EXIT if is_before_act(request.agent, request.event) else 0)
    wire = find_adapter(request.agent)
    if is_closed:
        return wire.refuse(request.event, warning)
    return msgspec.structs.replace(wire.encode(call, Decision()), stderr=line)


def _disown_call(call: Call, why: str) -> Call:
    """The call as one that nobody is believed to have made: a prompt is not the user's, and the journal says why."""
    event = call.event
    if isinstance(event, UserPromptSubmit):
        event = msgspec.structs.replace(event, source=UNVERIFIED_SOURCE)
    warning = f"{NOT_OWN_TEXT} ({why}): it is noted, and changes nothing that is remembered"
    return msgspec.structs.replace(call, event=event, warnings=(*call.warnings, warning))


def _drop_effects(amended: AmendedDecision) -> AmendedDecision:
    """What was decided, without anything that would be remembered."""
    return msgspec.structs.replace(amended, decision=msgspec.structs.replace(amended.decision, effects=()))


def _require_act(call: Call) -> None:
    """A tool call that does not say which tool has not been judged by anybody. Raises PayloadError.

    An input that is no object is told and judged in whatever form it is: it stops no tool by itself.
    """
    event = call.event
    if isinstance(event, PreToolUse) and not event.tool_name:
        raise PayloadError("the payload names no tool", where=f"{call.agent} {event.hook_event_name}")


def _find_patience(wire: Adapter, call: Call) -> float:
    return _find_timeout(wire, call) * PATIENCE_SHARE


def _find_timeout(wire: Adapter, call: Call) -> float:
    return wire.get_capability(call.event.hook_event_name).timeout
