"""What became of refusals and questions: obeyed, tried another way, run all the same, never answered."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

from synaptic.model.decision import Kind
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry
from synaptic.store.refusals import read_results_after, read_stopped_calls

Outcome = Literal["obeyed", "tried another way", "ran all the same", "unanswered", "answered"]
DISOBEYED: frozenset[Outcome] = frozenset({"tried another way", "ran all the same"})
SUBJECT_KEYS = ("command", "file_path", "notebook_path", "path", "url", "query", "pattern")
"""Keys of a tool's input that say best what it was about."""
SUBJECT_LENGTH = 300


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
        subject=_find_subject(entry),
        kind=entry.decision.kind,
        by=entry.decision.by,
        reason=" ".join(entry.decision.reason.split()),
        outcome=_find_outcome(store, entry, entries),
    )


def _find_outcome(store: Store, entry: JournalEntry, entries: Sequence[JournalEntry]) -> Outcome:
    ran = _has_run(entry, read_results_after(store, entry) if entry.session else ())
    if entry.decision.kind is Kind.ASK:
        return "answered" if ran else "unanswered"
    if ran:
        return "ran all the same"
    return "tried another way" if _was_tried_again(entry, entries) else "obeyed"


def _has_run(entry: JournalEntry, results: Iterable[JournalEntry]) -> bool:
    """Whether the call has a result: by its number. A number is the agent's word, and a call without one has none."""
    number = _read_payload(entry).get("tool_use_id")
    return bool(number) and any(_read_payload(result).get("tool_use_id") == number for result in results)


def _was_tried_again(entry: JournalEntry, entries: Sequence[JournalEntry]) -> bool:
    """Whether the same policy had to refuse something else of the session later; the same once more is no other way."""
    own = _read_payload(entry).get("tool_input")
    return bool(entry.session and entry.decision.by) and any(
        other.id > entry.id
        and (other.session, other.decision.by) == (entry.session, entry.decision.by)
        and other.decision.kind is Kind.DENY
        and _read_payload(other).get("tool_input") != own
        for other in entries
    )


def _find_subject(entry: JournalEntry) -> str:
    given = _read_payload(entry).get("tool_input")
    if not isinstance(given, dict):
        return ""
    found = next((given[key] for key in SUBJECT_KEYS if isinstance(given.get(key), str)), None)
    text = found if found is not None else msgspec.json.encode(given).decode()
    return text if len(text) <= SUBJECT_LENGTH else f"{text[:SUBJECT_LENGTH]}…"


def _read_payload(entry: JournalEntry) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(entry.payload or "{}")
    except msgspec.DecodeError:
        return {}
    return found if isinstance(found, dict) else {}
