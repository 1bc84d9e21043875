"""Operators' files as effects: written after the event is in the journal, never an authority."""

import msgspec


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
