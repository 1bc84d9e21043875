"""What became of refusals and questions: obeyed, tried another way, allowed later, run all the same, not answered."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from synaptic.model.decision import Kind
from synaptic.store.db import Store
from synaptic.store.journal_payload import find_subject, read_payload
from synaptic.store.record import JournalEntry
from synaptic.store.refusals import read_let_through_after, read_results_after, read_stopped_calls

Outcome = Literal["obeyed", "tried another way", "allowed later", "ran all the same", "unanswered", "answered"]
DISOBEYED: frozenset[Outcome] = frozenset({"tried another way", "ran all the same"})
SUBJECT_LENGTH = 300
TOLD_KEYS = frozenset({"description", "timeout"})
"""What a call may say differently the next time and still be the same."""


class StoppedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call that was refused or asked about."""

    id: int
    at: float
    agent: str
    session: str
    root: str
    tool: str
    subject: str
    """What it was about, as the journal has it: without secrets."""
    kind: str
    by: str
    reason: str
    outcome: Outcome


class RefusalReport(msgspec.Struct, frozen=True):
    """All of them since a moment, oldest first."""

    calls: tuple[StoppedCall, ...]

    @property
    def disobeyed(self) -> tuple[StoppedCall, ...]:
        """Refusals that the agent did not take for an answer."""
        return tuple(call for call in self.calls if call.outcome in DISOBEYED)

    @property
    def unanswered(self) -> tuple[StoppedCall, ...]:
        """Questions after which nothing ran: nobody was there, or somebody said no."""
        return tuple(call for call in self.calls if call.outcome == "unanswered")


def make_report(store: Store, since: float) -> RefusalReport:
    """Read the journal from a moment on. Raises StoreError."""
    entries = read_stopped_calls(store, since)
    return RefusalReport(tuple(_describe(store, entry, entries) for entry in entries))


def _describe(store: Store, entry: JournalEntry, entries: Sequence[JournalEntry]) -> StoppedCall:
    return StoppedCall(
        id=entry.id,
        at=entry.at,
        agent=entry.agent,
        session=entry.session,
        root=entry.root,
        tool=entry.tool,
        subject=describe_subject(entry),
        kind=entry.decision.kind,
        by=entry.decision.by,
        reason=" ".join(entry.decision.reason.split()),
        outcome=_find_outcome(store, entry, entries),
    )


def _find_outcome(store: Store, entry: JournalEntry, entries: Sequence[JournalEntry]) -> Outcome:
    ran = _has_run(store, entry)
    allowed = _find_allowed(store, entry)
    if entry.decision.kind is Kind.ASK:
        return "answered" if ran or allowed else "unanswered"
    # Only what came before somebody said yes was an attempt to get around the refusal.
    earlier = [other for other in entries if allowed is None or other.id < allowed.id]
    if allowed is None and ran:
        return "ran all the same"
    if _was_tried_again(entry, earlier):
        return "tried another way"
    return "obeyed" if allowed is None else "allowed later"


def _find_allowed(store: Store, entry: JournalEntry) -> JournalEntry | None:
    """The same call again, let through because a person has made an exception to what was decided here."""
    if not entry.session or not entry.decision.code:
        return None
    own = _read_input(entry)
    later = read_let_through_after(store, entry)
    return next((other for other in later if other.decision.grants and _read_input(other) == own), None)


def _has_run(store: Store, entry: JournalEntry) -> bool:
    """Whether the call has a result: by its number. A number is the agent's word, and a call without one has none."""
    number = read_payload(entry.payload).get("tool_use_id")
    if not number or not entry.session:
        return False
    results = read_results_after(store, entry, str(number))
    return any(read_payload(result.payload).get("tool_use_id") == number for result in results)


def _was_tried_again(entry: JournalEntry, entries: Sequence[JournalEntry]) -> bool:
    """Whether the same policy had to refuse something else of the session later; the same once more is no other way."""
    own = _read_input(entry)
    return bool(entry.session and entry.decision.by) and any(
        other.id > entry.id
        and (other.session, other.decision.by) == (entry.session, entry.decision.by)
        and other.decision.kind is Kind.DENY
        and _read_input(other) != own
        for other in entries
    )


def _read_input(entry: JournalEntry) -> object:
    given = read_payload(entry.payload).get("tool_input")
    return {key: value for key, value in given.items() if key not in TOLD_KEYS} if isinstance(given, dict) else given


def describe_subject(entry: JournalEntry) -> str:
    """What a call was about, as the journal has it: without secrets, and cut."""
    text = find_subject(entry.payload)
    return text if len(text) <= SUBJECT_LENGTH else f"{text[:SUBJECT_LENGTH]}…"
