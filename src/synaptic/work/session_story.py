"""What one session of an agent did, turn by turn: a turn is a prompt and all that came of it."""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from synaptic.model.decision import Kind
from synaptic.store.agent_sessions import iter_session_events, list_prompt_numbers
from synaptic.store.db import Store
from synaptic.store.journal_filter import has_failed
from synaptic.store.journal_payload import find_subject, read_payload
from synaptic.store.record import JournalEntry

What = Literal["call", "failed call", "sub-agent", "compaction", "start", "end", "answer", "result", "note"]
WHATS: dict[str, What] = {
    "PreToolUse": "call",
    "PostToolUse": "result",
    "PostToolUseFailure": "failed call",
    "SubagentStart": "sub-agent",
    "SubagentStop": "sub-agent",
    "PreCompact": "compaction",
    "PostCompact": "compaction",
    "SessionStart": "start",
    "SessionEnd": "end",
    "Notification": "note",
    "Stop": "answer",
}
QUIET_WHATS: frozenset[What] = frozenset({"answer", "result", "note"})
"""Told only when something was decided about them."""
MOST_TURNS = 10_000
LAST_EVENT = 2**62


class TurnStep(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened in a turn."""

    id: int
    at: float
    what: What
    event: str
    tool: str
    subject: str
    kind: Kind
    by: str = ""
    reason: str = ""
    became: str = ""
    """What it was rewritten to."""
    subagent: str = ""
    failed: bool = False
    """A hook failed at it."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt and what came of it; the first one, before any prompt, has the number 0."""

    number: int
    id: int
    at: float
    prompt: str
    steps: tuple[TurnStep, ...]


class TurnRange(msgspec.Struct, frozen=True):
    """Which turns to tell: from one to another, both included."""

    first: int
    last: int


def count_turns(store: Store, session: str) -> int:
    """How many prompts a session had."""
    return len(list_prompt_numbers(store, session))


def tell_turns(store: Store, session: str, wanted: TurnRange) -> tuple[Turn, ...]:
    """The turns of a session that are wanted, oldest first. Nothing of the others is read."""
    begins = (0, *list_prompt_numbers(store, session), LAST_EVENT)
    last = min(wanted.last, len(begins) - 2)
    return tuple(
        turn
        for number in range(max(wanted.first, 0), last + 1)
        if (turn := _tell_turn(number, iter_session_events(store, session, begins[number], begins[number + 1])))
    )


def _tell_turn(number: int, entries: Iterable[JournalEntry]) -> Turn | None:
    found = tuple(entries)
    if not found:
        return None
    first = found[0]
    prompt = _read_prompt(first) if number else ""
    return Turn(number=number, id=first.id, at=first.at, prompt=prompt, steps=tuple(_list_steps(found)))


def _list_steps(entries: Sequence[JournalEntry]) -> list[TurnStep]:
    return [step for entry in entries if (step := _make_step(entry)) is not None]


def _make_step(entry: JournalEntry) -> TurnStep | None:
    decision = entry.decision
    what: What = WHATS.get(entry.event, "note")
    is_told = decision.kind is not Kind.NONE or has_failed(entry)
    if what in QUIET_WHATS and not is_told:
        return None
    reason = decision.reason or next(
        iter((*decision.feedback, *decision.warnings, *decision.context, *decision.messages)), ""
    )
    return TurnStep(
        id=entry.id,
        at=entry.at,
        what=what,
        event=entry.event,
        tool=entry.tool,
        subject=find_subject(entry.payload),
        kind=decision.kind,
        by=decision.by,
        reason=" ".join(reason.split()),
        became=_find_rewritten(entry),
        subagent=entry.agent_id,
        failed=has_failed(entry),
    )


def _find_rewritten(entry: JournalEntry) -> str:
    """The new command or file, by the way in which the old one is found."""
    if entry.decision.input is None:
        return ""
    return find_subject(msgspec.json.encode({"tool_input": entry.decision.input}).decode())


def _read_prompt(entry: JournalEntry) -> str:
    """The prompt as the journal keeps it; what an agent calls it differs."""
    said = read_payload(entry.payload).get("prompt")
    return said if isinstance(said, str) else find_subject(entry.payload)
