"""One event as a message of syslog (RFC 5424), with structured data that no value can break out of."""

import re
from collections.abc import Iterator, Mapping

from synaptic.hub.export.clean import clean_event
from synaptic.hub.export.lines import format_time
from synaptic.hub.export.severity import Weight, summarize_event, weigh_event
from synaptic.hub.export.source import ExportSource
from synaptic.hub.wire import ShippedEvent

FACILITY = 16
"""local0: what sites leave for their own programs."""
SEVERITIES: Mapping[Weight, int] = {Weight.PLAIN: 6, Weight.NOTED: 5, Weight.REFUSED: 4, Weight.FAILED: 3}
"""informational, notice, warning, error"""
DATA_ID = "synaptic@32473"
"""The number that is kept for examples: Synaptic has no number of its own with IANA."""
NIL, BOM = "-", b"\xef\xbb\xbf"
MOST_VALUE = 256
MOST_HOST, MOST_ID = 255, 32
UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb]"
)
"""What ends lines, moves a terminal's cursor, or turns the direction of writing."""


def format_message(event: ShippedEvent, source: ExportSource, most: int) -> bytes:
    """The message in at most `most` bytes: what does not fit is left out from the end, and `cut` says so."""
    clean = clean_event(event)
    head = _format_head(clean, source)
    data = _format_data(clean, source, most - len(head))
    text = _cut_bytes(_encode_text(summarize_event(clean)), most - len(head) - len(data) - 1)
    return head + data + (b" " + text if text else b"")


def _format_head(event: ShippedEvent, source: ExportSource) -> bytes:
    priority = FACILITY * 8 + SEVERITIES[weigh_event(event)]
    host, name = _print_ascii(source.host, MOST_HOST), _print_ascii(event.event, MOST_ID)
    return f"<{priority}>1 {format_time(event.at) or NIL} {host} synaptic - {name} ".encode()


def _format_data(event: ShippedEvent, source: ExportSource, room: int) -> bytes:
    parts, left = [b"[" + DATA_ID.encode()], room - len(DATA_ID) - len('[ cut="1"]')
    is_whole = True
    for name, value in _iter_values(event, source):
        part = f' {name}="{escape_value(value)}"'.encode()
        if len(part) > left:
            is_whole = False
            continue
        parts.append(part)
        left -= len(part)
    return b"".join([*parts, b"]" if is_whole else b' cut="1"]'])


def _iter_values(event: ShippedEvent, source: ExportSource) -> Iterator[tuple[str, str]]:
    """What is said of an event, the most needed first."""
    faults = ",".join(f"{run.hook}:{run.fault}" for run in event.runs if run.fault)
    values = {
        "seq": str(event.seq),
        "source": source.identity,
        "call": event.call,
        "verdict": event.kind,
        "policy": event.by,
        "code": event.code,
        "agent": event.agent,
        "event": event.event,
        "tool": event.tool,
        "toolUse": event.tool_use,
        "session": event.session,
        "subAgent": event.agent_id,
        "project": event.project,
        "faults": faults,
        "grants": ",".join(event.grants),
        "micros": str(event.micros),
        "size": str(event.size),
        "exit": str(event.exit) if event.exit else "",
        "quiet": str(event.quiet),
        "hooks": ",".join(run.hook for run in event.runs),
        "subject": event.subject,
    }
    return ((name, value) for name, value in values.items() if value)


def escape_value(value: str) -> str:
    """A value as it stands between quotation marks, without anything that ends a line."""
    seen = UNSEEN.sub("?", value.replace("\n", " ").replace("\t", " "))[:MOST_VALUE]
    return seen.replace("\\", "\\\\").replace('"', '\\"').replace("]", "\\]")


def _encode_text(text: str) -> bytes:
    raw = UNSEEN.sub("?", text.replace("\n", " ").replace("\t", " ")).encode()
    return raw if raw.isascii() else BOM + raw


def _cut_bytes(raw: bytes, most: int) -> bytes:
    """The beginning, at the end of a letter."""
    return raw[:most].decode("utf-8", "ignore").encode() if most > len(BOM) else b""


def _print_ascii(text: str, most: int) -> str:
    return re.sub(r"[^!-~]", "_", text)[:most] or NIL
