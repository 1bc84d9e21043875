"""Decide a past event again: the recorded call, the recorded facts, and the catalog as it was or as it would be."""

import re
from collections.abc import Coroutine
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from synaptic.agents.shared.discover import OWN_NAME, find_adapter
from synaptic.engine.basis import restore_environment
from synaptic.engine.decode_call import decode_call
from synaptic.engine.past_facts import REDACTED_TEXT, PastBasis, PastFacts, Unknown
from synaptic.engine.past_runtime import NotReplayableError, PastRuntime
from synaptic.engine.witness import repeat_finding
from synaptic.model.call import Call, Request
from synaptic.model.decision import RAISED, Decision, Kind
from synaptic.model.errors import PayloadError
from synaptic.model.event import ABILITY_EVENTS, UserPromptSubmit
from synaptic.pipeline.amend import amend_decision
from synaptic.pipeline.decide import decide_call
from synaptic.policies.prompt import UNVERIFIED_SOURCE
from synaptic.store.basis import REDACTED_MARK
from synaptic.store.entries import DAMAGED_TEXT
from synaptic.store.record import JournalEntry
from synaptic.store.redact import redact_again

OWN_EVENTS = frozenset(kind.__name__ for kind in ABILITY_EVENTS)
CODE = re.compile(r"synaptic allow [2-9a-z]+")
NO_PAYLOAD_TEXT = "what the agent sent was not kept (too long, or no event)"
HELD_TEXT = "it waited for a person"
RAISED_TEXT = "the session's own stop was judged with it, by what the session had changed"
DOUBT_REASON = "Synaptic could not read everything that was declared"
T = TypeVar("T")


class Standing(StrEnum):
    """How well a past event can be decided again."""

    EXACT = "exact"
    APPROXIMATE = "approximate"
    IMPOSSIBLE = "not replayable"


class ReplayedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A past event, and how it would be decided."""

    entry: JournalEntry
    standing: Standing
    why: str = ""
    decision: Decision | None = None
    """None where it cannot be decided again."""
    version: str = ""
    """Of the program that decided it."""

    @property
    def flips(self) -> bool:
        """Whether it would be decided otherwise."""
        return self.decision is not None and not is_same(self.entry.decision, self.decision)


def replay_event(entry: JournalEntry, basis: int | None, facts: PastFacts) -> ReplayedEvent:
    """Decide an event again. What the record does not hold is said; a change that cannot be made raises."""
    if why := _explain_impossible(entry):
        return ReplayedEvent(entry=entry, standing=Standing.IMPOSSIBLE, why=why)
    found = facts.read(basis)
    if isinstance(found, Unknown):
        return ReplayedEvent(entry=entry, standing=Standing.IMPOSSIBLE, why=found.why)
    try:
        return _decide_again(entry, found)
    except (NotReplayableError, PayloadError) as error:
        return ReplayedEvent(entry=entry, standing=Standing.IMPOSSIBLE, why=str(error))
    except Exception as error:  # noqa: BLE001 - a record may have been changed into anything; the next one is decided
        why = f"it cannot be decided again: {type(error).__name__}: {error}"[:300]
        return ReplayedEvent(entry=entry, standing=Standing.IMPOSSIBLE, why=why)


def is_same(was: Decision, now: Decision) -> bool:
    """Whether two decisions about one call say the same: kind, who decided, the reason and the input."""
    if (was.kind, was.by) != (now.kind, now.by):
        return False
    if not _is_same_reason(was.reason, now.reason):
        return False
    return was.input == now.input or REDACTED_MARK in msgspec.json.encode(was.input, enc_hook=repr)


def _is_same_reason(was: str, now: str) -> bool:
    """A handle is another one for every set of options; secrets are not in the journal."""
    if was == now:
        return True
    first, second = (CODE.sub("synaptic allow", text) for text in (was, now))
    return first == second or first == CODE.sub("synaptic allow", redact_again(now))


def _explain_impossible(entry: JournalEntry) -> str:
    decision = entry.decision
    if DAMAGED_TEXT in decision.warnings:
        return DAMAGED_TEXT
    if not entry.payload:
        return NO_PAYLOAD_TEXT
    if decision.by == "engine" and decision.reason.startswith(DOUBT_REASON):
        return "its declarations could not be read then"
    phases = {step.phase for step in decision.trace}
    if "held" in phases:
        return HELD_TEXT
    return RAISED_TEXT if RAISED in phases else ""


def _decide_again(entry: JournalEntry, basis: PastBasis) -> ReplayedEvent:
    wire = find_adapter(OWN_NAME if entry.event in OWN_EVENTS else entry.agent)
    call = read_call(entry, basis)
    runtime = PastRuntime(basis, call, entry.decision)
    made = _run_at_once(decide_call(call, runtime))
    found = repeat_finding(made.decision, entry.decision)
    made = made if found is made.decision else msgspec.structs.replace(made, decision=found)
    decision = amend_decision(call, made, wire, runtime.memory).decision
    doubts = list(runtime.doubts)
    if basis.is_redacted or (entry.payload and REDACTED_MARK.decode() in entry.payload):
        doubts.insert(0, REDACTED_TEXT)
    return ReplayedEvent(
        entry=entry,
        standing=Standing.APPROXIMATE if doubts else Standing.EXACT,
        why=doubts[0] if doubts else "",
        decision=decision,
        version=basis.catalog.kept.version,
    )


def read_call(entry: JournalEntry, basis: PastBasis) -> Call:
    """The call of a past event as it was when hooks looked at it first. Raises PayloadError."""
    wire = find_adapter(OWN_NAME if entry.event in OWN_EVENTS else entry.agent)
    request = Request(
        agent=entry.agent,
        event=entry.event,
        stdin=(entry.payload or "").encode("utf-8", "replace"),
        id=entry.call,
        env=restore_environment(basis.kept),
        cwd=basis.kept.cwd,
    )
    call = decode_call(wire, request)
    if basis.kept.stranger and isinstance(call.event, UserPromptSubmit):
        call = msgspec.structs.replace(call, event=msgspec.structs.replace(call.event, source=UNVERIFIED_SOURCE))
    return msgspec.structs.replace(call, root=entry.root, at=entry.at)


def _run_at_once(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing, as every one here: without a loop."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise NotReplayableError("it would have to wait for something")


def is_new_denial(one: ReplayedEvent) -> bool:
    """Whether a call that went on, or was asked about, would be denied."""
    return one.decision is not None and one.decision.kind is Kind.DENY and one.entry.decision.kind is not Kind.DENY
