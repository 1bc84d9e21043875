"""A past event as a story: what `explain` tells."""

from collections.abc import Mapping

from synaptic.model.call import Answer
from synaptic.model.moment import find_local_time
from synaptic.pipeline.explain import EventStory
from synaptic.store.record import JournalEntry

NO_EXCEPTIONS: Mapping[str, str] = {}


def make_story(entry: JournalEntry, exceptions: Mapping[str, str] = NO_EXCEPTIONS) -> EventStory:
    """Make the story of a past event; `exceptions` are those that its decision rests on, in words."""
    return EventStory(
        number=entry.id,
        call=entry.call,
        when=find_local_time(entry.at).strftime("%Y-%m-%d %H:%M:%S"),
        agent=entry.agent,
        event=entry.event,
        subject=entry.tool,
        session=entry.session,
        root=entry.root,
        payload=entry.payload or "",
        decision=entry.decision,
        answer=entry.answer or Answer(),
        micros=entry.micros,
        exceptions=exceptions,
    )
