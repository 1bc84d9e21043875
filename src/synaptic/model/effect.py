"""State changes as values: a policy returns them, the engine applies them with the event's transaction."""

import msgspec

from synaptic.model.state import Change


class AppendLine(msgspec.Struct, frozen=True, tag=True):
    """One line at the end of an operator's file (a sink); written after the event is in the journal."""

    path: str
    line: str


class Deliver(msgspec.Struct, frozen=True, tag=True):
    """Text kept for the session's next event that can carry context."""

    text: str


Effect = AppendLine | Deliver | Change
