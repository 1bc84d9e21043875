"""One journal entry as a story: what `explain`, `tail`, `try` and `up` show."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from synaptic.cli import screen
from synaptic.model.moment import find_local_time
from synaptic.pipeline.explain import SILENT_POLICIES, EventStory, explain_event, explain_past_event, list_against
from synaptic.store.record import JournalEntry, entry_to_document
from synaptic.work.event_story import make_story

if TYPE_CHECKING:
    from synaptic.engine.commit import DecidedEvent


def make_rehearsal_story(decided: "DecidedEvent", micros: int) -> EventStory:
    """Make the story of a rehearsed event, which no agent sent."""
    event = decided.call.event
    return EventStory(
        number=0,
        call=decided.call.id,
        when=find_local_time(decided.call.at).strftime("%Y-%m-%d %H:%M:%S"),
        agent=decided.call.agent,
        event=event.hook_event_name,
        subject=event.subject,
        session=event.session_id,
        root=decided.call.root,
        payload=screen.encode_json(decided.call.payload).decode(),
        decision=decided.decision,
        answer=decided.answer,
        micros=micros,
    )


def print_story(entry: JournalEntry) -> None:
    """Print everything that happened to one past event, step by step; silent policies are counted and not named."""
    for line in explain_event(make_story(entry)):
        screen.say(SILENT_POLICIES.sub(r"\1.", _tell_unknown_answer(entry, line)))


def print_explanation(entry: JournalEntry, exceptions: Mapping[str, str], *, is_whole: bool) -> None:
    """Print why one past event ended as it did; `exceptions` are those that its decision rests on, in words."""
    for line in explain_past_event(make_story(entry, exceptions), is_whole=is_whole):
        screen.say(_tell_unknown_answer(entry, line))


def print_explained_json(entry: JournalEntry, exceptions: Mapping[str, str]) -> None:
    """Print the same for a program."""
    lifts = list_against(entry.decision) if entry.decision.code else ()
    screen.print_json({**entry_to_document(entry), "exceptions": exceptions, "allow_lifts": lifts})


def _tell_unknown_answer(entry: JournalEntry, line: str) -> str:
    if entry.answer is None and line.startswith("Answer to "):
        return f"Answer to {entry.agent}: not kept, since `journal` is not `full`"
    return line


def format_entry_line(entry: JournalEntry) -> str:
    """Format an entry as one line: time, agent, event, subject, decision, by, reason."""
    at = find_local_time(entry.at).strftime("%H:%M:%S")
    decision = entry.decision
    by = f" by {decision.by}" if decision.by else ""
    reason = " ".join((decision.reason or next(iter(decision.warnings), "")).split())
    told = f": {reason}" if reason else ""
    subject = f" {entry.tool}" if entry.tool else ""
    return f"{at} {entry.agent} {entry.event}{subject} -> {decision.kind}{by}{told}"
