"""State changes as values: a policy returns them, the engine applies them with the event's transaction."""

import msgspec

from synaptic.model.errand import Alert, RunTests
from synaptic.model.layers import LayerEffect
from synaptic.model.state import Change


class AppendLine(msgspec.Struct, frozen=True, tag=True):
    """One line at the end of an operator's file (a sink); written after the event is in the journal."""

    path: str
    line: str


class WriteFile(msgspec.Struct, frozen=True, tag=True):
    """A file has this content from now on."""

    path: str
    text: str


class RemoveFile(msgspec.Struct, frozen=True, tag=True):
    """A file is gone from now on; one that is not there is no trouble."""

    path: str


class KeepLines(msgspec.Struct, frozen=True, tag=True):
    """A file keeps its last lines."""

    path: str
    last: int


class Deliver(msgspec.Struct, frozen=True, tag=True):
    """Text kept for the session's next event that can carry context."""

    text: str


class Mirror(msgspec.Struct, frozen=True, tag=True):
    """The files that show the project's sections are written again."""


class UseAbility(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """One call of an ability is counted, and the file that shows the counts is written again."""

    ability: str
    status: str = ""
    millis: float = 0.0
    file: str = ""


Effect = (
    AppendLine
    | Deliver
    | Change
    | Mirror
    | WriteFile
    | RemoveFile
    | KeepLines
    | RunTests
    | Alert
    | UseAbility
    | LayerEffect
)
