"""The destination `jsonl`: a file that grows by one line per event."""

import time
from collections.abc import Sequence
from pathlib import Path

from synaptic.hub.export.line_file import LineFile
from synaptic.hub.export.lines import encode_line
from synaptic.hub.export.selection import ExportChoice
from synaptic.hub.export.source import ExportSource, find_source
from synaptic.hub.export.threaded import ThreadedDestination
from synaptic.hub.shipping.destination import Destination, DestinationError
from synaptic.hub.wire import ShippedEvent
from synaptic.model.errors import SynapticError


class JsonlSender:
    """Appends; the last line of the file says what need not be written again."""

    def __init__(self, path: Path, source: ExportSource, stream: str = "") -> None:
        """`stream` names a choice of events: lines of another choice say nothing about what this one has."""
        self.name = f"jsonl {path}"
        self._stream = stream
        self._file = LineFile(path)
        self._source = source

    def send(self, after: int, events: Sequence[ShippedEvent]) -> int:
        """Write what the file does not end with yet. Raises DestinationError."""
        try:
            self._file.lock()
            try:
                self._append(events)
            finally:
                self._file.unlock()
        except OSError as error:
            raise DestinationError(f"cannot be written ({error.strerror})", where=str(self._file.path)) from error
        return events[-1].seq if events else after

    def close(self) -> None:
        self._file.close()

    def _append(self, events: Sequence[ShippedEvent]) -> None:
        last = self._file.read_last()
        is_ours = last and (last.source, last.stream) == (self._source.identity, self._stream)
        known = last.seq if last and is_ours else -1
        if lines := [encode_line(event, self._source, self._stream) for event in events if event.seq > known]:
            self._file.append(lines)


def open_destination(address: str) -> Destination:
    """The file at a path. Raises SynapticError."""
    return ThreadedDestination(JsonlSender(read_path(address), find_source()))


def open_stream(address: str, choice: ExportChoice, is_followed: bool) -> Destination:
    """The file for chosen events. Only one that is followed knows its own last line again: whoever asks once, and once
    more, wants them twice. Raises SynapticError."""
    path = read_path(address)
    name = choice.name_stream(f"jsonl {path}")
    return ThreadedDestination(JsonlSender(path, find_source(), name if is_followed else f"{name}-{time.time_ns():x}"))


def read_path(address: str) -> Path:
    """Raises SynapticError for what is no whole path of a file."""
    path = Path(address).expanduser()
    if not path.is_absolute() or "\0" in address or path.name in ("", ".."):
        raise SynapticError(f"`{address}` is no path of a file", hint="write it whole, such as ~/synaptic.jsonl")
    return path
