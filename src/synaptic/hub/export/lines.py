"""One event as one line of JSON, and what can be read back from such a line."""

from datetime import UTC, datetime

import msgspec

from synaptic.hub.export.clean import clean_event
from synaptic.hub.export.source import ExportSource
from synaptic.hub.wire import ShippedEvent

LINE_BEGINS = b'{"seq":'
"""Every line of ours begins so: the number by which a reader drops what it has already."""
_encoder = msgspec.json.Encoder()


class LineMark(msgspec.Struct, frozen=True):
    """What a line says about its place."""

    seq: int
    source: str = ""
    stream: str = ""
    """Which choice of events it belongs to; empty: all that are shipped."""


def encode_line(event: ShippedEvent, source: ExportSource, stream: str = "") -> bytes:
    """The event as one line, its end included. Empty fields are left out."""
    clean = clean_event(event)
    fields = {name: value for name, value in msgspec.structs.asdict(clean).items() if value or name in ALWAYS}
    fields["runs"] = [_describe_run(run) for run in clean.runs]
    head: dict[str, object] = {
        "seq": clean.seq,
        "host": source.host,
        "source": source.identity,
        "time": format_time(clean.at),
    }
    if stream:
        head["stream"] = stream
    return _encoder.encode(head | fields) + b"\n"


ALWAYS = frozenset({"call", "at", "agent", "event", "kind"})


def read_mark(line: bytes) -> LineMark | None:
    """The place of a whole line of ours; None for any other text."""
    if not line.startswith(LINE_BEGINS):
        return None
    try:
        return msgspec.json.decode(line, type=LineMark)
    except (msgspec.MsgspecError, RecursionError):
        return None


def format_time(at: float) -> str:
    """A moment as others read it, in UTC; empty for one that no calendar has."""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return ""


def _describe_run(run: object) -> dict[str, object]:
    return {name: value for name, value in msgspec.structs.asdict(run).items() if value}  # type: ignore[arg-type]
