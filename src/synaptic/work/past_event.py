"""One past event of the caller's own project, as a story."""

from synaptic.model.errors import LayerError
from synaptic.pipeline.explain import EventStory
from synaptic.store.entries import find_entry
from synaptic.work.command import CommandContext, ProjectCommand
from synaptic.work.event_story import make_story
from synaptic.work.exceptions import describe_exceptions


class FindOwnEvent(ProjectCommand[EventStory], frozen=True, kw_only=True):
    """An event of this project, by its number or its call; one of another project is not found."""

    which: str
    """Its number or its call."""

    def run(self, context: CommandContext) -> EventStory:
        which = self.which.strip()
        # A longer number does not fit the 64 bits of SQLite; call ids are longer and have letters.
        key = int(which) if which.isascii() and which.isdigit() and len(which) < 19 else which
        entry = find_entry(context.require_durable_store(), key)
        if entry is None or entry.root != context.require_project():
            raise LayerError("NOT_FOUND", "this project has no such event", hint="refusals name their call")
        return make_story(entry, describe_exceptions(context.store, entry.decision.grants))
