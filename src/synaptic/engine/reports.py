"""Whether what an event reports can have happened: the result of a call that nobody announced opens nothing."""

from collections.abc import Iterable

import msgspec

from synaptic.engine.senders import AFTER_TOOL, Senders
from synaptic.model import sane
from synaptic.model.call import Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.effect import Effect
from synaptic.model.errors import StoreError
from synaptic.model.event import PostToolUse, PostToolUseFailure, PreToolUse, UserPromptSubmit
from synaptic.model.state import Change
from synaptic.policies.prompt import UNVERIFIED_SOURCE
from synaptic.policies.sane.known import TASK_SECTION, VERIFICATION_SECTION
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry

NOT_OWN_TEXT = "this is not the agent's own call"
"""Begins the warning about an event that nobody is believed to have sent; in the journal it tells such events."""
READ_CALLS = 100
"""Events of one tool in one session among which the announced call is searched."""
GATE_SECTIONS = frozenset(
    {
        sane.CIRCUIT_BREAKER,
        sane.ENFORCEMENT,
        sane.REQUIREMENTS,
        sane.RESEARCH,
        sane.SANELOOP,
        TASK_SECTION,
        VERIFICATION_SECTION,
    }
)
"""What gates look at."""


def find_report_doubt(senders: Senders, store: Store, request: Request, decided: tuple[Call, Decision]) -> str:
    """Why a report may be a tool's own invention; "" for one that is believed, and for all that move no gate.

    A tool's process can become the dispatcher, and then it looks like the agent's hook. But it was started while a tool
    call ran, and what it reports the agent has not announced.
    """
    call, decision = decided
    if request.sent is None or not _moves_gate(decision.effects):
        return ""
    try:
        if is_announced(store, call) or not senders.is_during_tool(request.sent):
            return ""
    except StoreError:
        return "the journal cannot be read, so a tool call that is running may have sent it"
    return "it came while a tool call was running, and the agent has not announced what it reports"


def disown_call(call: Call, why: str) -> Call:
    """The call as one that nobody is believed to have made: a prompt is not the user's, and the journal says why."""
    event = call.event
    if isinstance(event, UserPromptSubmit):
        event = msgspec.structs.replace(event, source=UNVERIFIED_SOURCE)
    warning = f"{NOT_OWN_TEXT} ({why}): it is noted, and changes nothing that is remembered"
    return msgspec.structs.replace(call, event=event, warnings=(*call.warnings, warning))


def has_running_call(entries: Iterable[JournalEntry], id: str) -> bool:
    """Whether a call is announced, not refused and not over, in the events of one tool, newest first.

    Agents without ids are told apart by the number of calls alone.
    """
    ended = 0
    for entry in entries:
        if _is_doubted(entry) or not _is_about(entry, id):
            continue
        if entry.event in AFTER_TOOL:
            ended += 1
        elif entry.event == PreToolUse.__name__ and entry.decision.kind is not Kind.DENY:
            if not ended:
                return True
            ended -= 1
    return False


def is_result_of(entry: JournalEntry, number: str) -> bool:
    """Whether an event that names the number tells the result of that call, and the agent itself has sent it."""
    if entry.event not in AFTER_TOOL or _is_doubted(entry):
        return False
    try:
        payload = msgspec.json.decode(entry.payload or "{}")
    except msgspec.DecodeError:
        return False
    # Agents put it in different places: only where the usual place holds another one is it another call's result.
    return isinstance(payload, dict) and payload.get("tool_use_id", number) == number


def is_announced(store: Store, call: Call) -> bool:
    """Whether the call of a result was let through, and is not over. Raises StoreError."""
    event = call.event
    if not isinstance(event, PostToolUse | PostToolUseFailure):
        return False
    found = journal.read_last_entries(
        store, READ_CALLS, session=event.session_id, tool=event.tool_name, agent=call.agent
    )
    return has_running_call(found, event.tool_use_id)


def _moves_gate(effects: Iterable[Effect]) -> bool:
    """Whether something may open: a failure only closes, and one that is not counted would relax the breaker."""
    return any(
        isinstance(effect, Change) and effect.section in GATE_SECTIONS and not _counts_failure(effect)
        for effect in effects
    )


def _counts_failure(change: Change) -> bool:
    return change.section == sane.CIRCUIT_BREAKER and (
        change.add.get("failures", 0) > 0 or change.put.get("tripped") is True
    )


def _is_doubted(entry: JournalEntry) -> bool:
    return entry.answer is not None and NOT_OWN_TEXT.encode() in entry.answer.stderr


def _is_about(entry: JournalEntry, id: str) -> bool:
    """Whether an event may be about this call: agents put its id in different places, and not every payload is kept."""
    return not id or entry.payload is None or f'"{id}"' in entry.payload
