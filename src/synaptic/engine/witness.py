"""What a result says about its call: compared with what was let through, and told in the very answer to that event."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import cache

import msgspec

from synaptic.agents.shared.discover import find_agent, list_agent_names
from synaptic.agents.shared.wired import lacks_own_entry
from synaptic.engine.reconcile import BEGINNING, ENDING, follow_transcript
from synaptic.engine.reports import is_announced
from synaptic.engine.senders import AFTER_TOOL, Senders
from synaptic.model.call import Call, Request
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.errors import StoreError
from synaptic.model.event import PostToolUse, PostToolUseFailure, PreToolUse, ToolEvent
from synaptic.model.home import Home
from synaptic.model.witness import ALARMS, Sign, Standing, WitnessedCall
from synaptic.pipeline.lifting import quote_call
from synaptic.pipeline.witness import ASKED, add_report, describe_asked, describe_input, judge_call
from synaptic.store import entries, witness
from synaptic.store.db import Store
from synaptic.store.witness import KnownCall

log = logging.getLogger(__name__)

NAME = "witness"
"""In a trace: as a hook and as a phase."""
MOST_SHOWN = 160
TOLD = {
    Standing.DISOBEYED: "`{what}` was refused{by}, and {agent} has run it all the same.",
    Standing.REWRITE_IGNORED: "`{what}` was to run in another form{by}, and {agent} has run it as it was.",
    Standing.UNASKED: (
        "{agent} has run `{what}` without asking: its settings have no entry of Synaptic for that any more, so nothing "
        "is guarded. Type: synaptic up"
    ),
}
MODEL_TEXT = "[synaptic] {text} Your user has been told. Stop and let them look at it."


class WitnessReport(msgspec.Struct, frozen=True):
    """What an event after a tool adds to what is known, and what is told about it."""

    call: WitnessedCall
    standing: Standing | None = None
    """Set where a person is told."""
    text: str = ""


REPORTED: Mapping[bool, Sign] = {True: Sign.RAN | Sign.NUMBERED, False: Sign.RAN}
"""Of a result, by whether it names a number."""
LET_THROUGH = int(Sign.LET | Sign.QUESTION)
"""As a number: joining flags is slow, and this is asked with every call."""
MOST_KNOWN = 4096
FOLLOWED = BEGINNING | ENDING
FINISH_SECONDS = 2.0


class Witness:
    """Compares what ran with what was let through."""

    def __init__(self, home: Home, store: Store, senders: Senders) -> None:
        self._home = home
        self._store = store
        self._senders = senders
        self._following: set[asyncio.Future[None]] = set()
        self._let: dict[tuple[str, str], bytes] = {}
        """What was let through last under each number of each session: most results are of such a call."""

    def note(self, call: Call, decision: Decision) -> WitnessReport | None:
        """What an event before a tool says about its call; None for all others."""
        event = call.event
        if not isinstance(event, PreToolUse) or not event.session_id:
            return None
        asked = describe_asked(event.tool, event.tool_use_id, decision)
        return WitnessReport(asked if _list_proofs(call.agent) else _doubt(asked))

    def follow(self, call: Call, answered: WitnessReport | None) -> None:
        """After an event is written: `answered` is what it says about its call, where it was answered so.

        Where a turn begins or ends, its transcript is looked at in another thread, and nobody waits for that.
        """
        if answered is not None and int(answered.call.signs) & LET_THROUGH and answered.call.number:
            if len(self._let) >= MOST_KNOWN:
                self._let.clear()
            # Not before: a call that is decided anew, or by a person, may be refused after all.
            self._let[call.event.session_id, answered.call.number] = answered.call.let or answered.call.said
        if call.event.hook_event_name in FOLLOWED:
            loop = asyncio.get_running_loop()
            following = loop.run_in_executor(None, follow_transcript, self._home, self._store, call)
            self._following.add(following)
            following.add_done_callback(self._following.discard)

    async def finish(self) -> None:
        """Let what was begun end, before the store is closed; what takes longer is done the next time."""
        if self._following:
            await asyncio.wait(self._following, timeout=FINISH_SECONDS)

    def close(self) -> None:
        """Write what waits for results: the process ends. Without the disk it is not observable."""
        with suppress(StoreError):
            witness.flush_waiting(self._store)

    def look(self, request: Request, call: Call) -> WitnessReport | None:
        """What a result says about its call; None where it proves nothing. Never raises: it only ever adds."""
        event = call.event
        if event.hook_event_name not in AFTER_TOOL or not isinstance(event, PostToolUse | PostToolUseFailure):
            return None
        if not event.session_id or request.stranger or event.hook_event_name not in _list_proofs(call.agent):
            return None
        try:
            return self._examine(request, call, event)
        except Exception as error:  # noqa: BLE001 - what cannot be compared is not observable
            log.debug("the result of call %s cannot be compared: %s", call.id, error)
            return None

    def _examine(self, request: Request, call: Call, event: ToolEvent) -> WitnessReport | None:
        number = event.tool_use_id
        signs = REPORTED[bool(number)]
        seen = WitnessedCall(number=number, said=describe_input(event.tool), signs=signs)
        if number and self._let.get((event.session_id, number)) == seen.said:
            return WitnessReport(seen)
        known = witness.find_call(self._store, event.session_id, seen)
        report = add_report(known.by_input, known.input, signs)
        if not (known.signs | report) & (ASKED | Sign.OTHER_INPUT) and self._has_lost_entry(call):
            report |= Sign.NO_ENTRY
        standing = judge_call(known.signs & ~Sign.OTHER_INPUT | report)  # what ran before it was asked about is over
        if standing not in ALARMS or Sign.TOLD in known.signs:
            return WitnessReport(msgspec.structs.replace(seen, signs=report))
        if self._may_be_forged(request, call):
            claim = report & ~Sign.RAN | Sign.CLAIMED
            return WitnessReport(msgspec.structs.replace(seen, signs=claim))
        text = self._describe(call, standing, known)
        return WitnessReport(msgspec.structs.replace(seen, signs=report | Sign.TOLD), standing, text)

    def _has_lost_entry(self, call: Call) -> bool:
        return lacks_own_entry(self._home, call.agent, call.env, PreToolUse.__name__)

    def _may_be_forged(self, request: Request, call: Call) -> bool:
        """Whether a tool's process may have sent it: it began during another call, and nobody let this one run."""
        if request.sent is None or is_announced(self._store, call):
            return False
        return self._senders.is_during_tool(request.sent)

    def _describe(self, call: Call, standing: Standing, known: KnownCall) -> str:
        shown = quote_call(call, MOST_SHOWN)
        by = ""
        if known.asked and (entry := entries.find_entry(self._store, known.asked)):
            by = f" ({entry.decision.by or 'a hook'}, event {entry.id})"
        return TOLD[standing].format(what=shown, by=by, agent=find_agent(call.agent).title)


def mark_late(call: WitnessedCall | None, micros: int, patience: float) -> WitnessedCall | None:
    """Note that a decision came when the agent had stopped waiting: whatever ran then was not disobedience."""
    return call if call is None or micros < patience * 1e6 else _doubt(call)


def _doubt(call: WitnessedCall) -> WitnessedCall:
    return msgspec.structs.replace(call, signs=call.signs | Sign.DOUBTED)


def tell_finding(decision: Decision, report: WitnessReport) -> Decision:
    """The decision with what the person and the model are told."""
    step = TraceStep(hook=NAME, kind=Kind.ADVISE, phase=NAME, reason=report.text, note=str(report.standing))
    return _tell_step(decision, step)


def repeat_finding(decision: Decision, was: Decision) -> Decision:
    """A past event decided again, with what was said then about what the agent did: no policy changes that."""
    step = next((step for step in was.trace if step.phase == NAME), None)
    return decision if step is None else _tell_step(decision, step)


def _tell_step(decision: Decision, step: TraceStep) -> Decision:
    return msgspec.structs.replace(
        decision,
        kind=max(decision.kind, Kind.ADVISE, key=lambda kind: kind.rank),
        by=decision.by or NAME,
        messages=(*decision.messages, f"Synaptic: {step.reason}"),
        context=(*decision.context, MODEL_TEXT.format(text=step.reason)),
        trace=(*decision.trace, step),
    )


@cache
def _list_proofs(agent: str) -> frozenset[str]:
    """Events that prove that a call has run; none of an agent that nobody knows."""
    return find_agent(agent).trail.proves_run if agent in list_agent_names() else frozenset()
