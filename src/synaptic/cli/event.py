"""One journal entry as a story: what `explain`, `tail`, `try` and `up` show."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from synaptic.cli import screen
from synaptic.pipeline.explain import EventStory, explain_event, list_against
from synaptic.store.record import JournalEntry, entry_to_json
from synaptic.work.past_event import make_story

NO_EXCEPTIONS: Mapping[str, str] = {}
SILENT_POLICIES = re.compile(r"^(\d+ policies were asked and had nothing to say): .*")

if TYPE_CHECKING:
    from synaptic.engine.commit import DecidedEvent


def make_rehearsal_story(decided: "DecidedEvent", micros: int) -> EventStory:
    """Make the story of a rehearsed event, which no agent sent."""
    event = decided.call.event
    return EventStory(
        number=0,
        call=decided.call.id,
        when=datetime.fromtimestamp(decided.call.at).strftime("%Y-%m-%d %H:%M:%S"),
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


def print_story(
    entry: JournalEntry, as_json: bool = False, *, brief: bool = False, exceptions: Mapping[str, str] = NO_EXCEPTIONS
) -> None:
    """Print everything that happened to one past event; briefly, silent policies are counted and not named.

    `exceptions` are those that its decision rests on, in words.
    """
    if as_json:
        lifts = list_against(entry.decision) if entry.decision.code else ()
        screen.print_json({**entry_to_json(entry), "exceptions": exceptions, "allow_lifts": lifts})
        return
    for line in explain_event(make_story(entry, exceptions)):
        unknown = entry.answer is None and line.startswith("Answer to ")
        told = f"Answer to {entry.agent}: not kept, since `journal` is not `full`" if unknown else line
        screen.say(SILENT_POLICIES.sub(r"\1.", told) if brief else told)


def format_entry_line(entry: JournalEntry) -> str:
    """Format an entry as one line: time, agent, event, subject, decision, by, reason."""
    at = datetime.fromtimestamp(entry.at).strftime("%H:%M:%S")
    decision = entry.decision
    by = f" by {decision.by}" if decision.by else ""
    reason = " ".join((decision.reason or next(iter(decision.warnings), "")).split())
    told = f": {reason}" if reason else ""
    subject = f" {entry.tool}" if entry.tool else ""
    return f"{at} {entry.agent} {entry.event}{subject} -> {decision.kind}{by}{told}"
