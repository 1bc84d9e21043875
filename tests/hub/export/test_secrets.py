"""No secret leaves by an export, whichever field somebody has put it into."""

import json
import socket
from pathlib import Path

from bench.secret_samples import iter_samples

from synaptic.hub.export.jsonl import JsonlSender
from synaptic.hub.export.otlp_address import read_address
from synaptic.hub.export.otlp_send import OtlpSender
from synaptic.hub.export.syslog import SyslogSender
from synaptic.hub.export.syslog import read_address as read_syslog_address
from synaptic.hub.wire import HookRun, ShippedEvent
from synaptic.model.home import Home
from tests.hub.export.kit import SOURCE, Collector, SyslogServer, make_event
from tests.hub.export.strict import read_message

SAMPLES = tuple(iter_samples())
NAMES = ("call", "agent", "event", "session", "agent_id", "tool", "project", "kind", "by", "code", "tool_use")


def make_forged() -> list[ShippedEvent]:
    """Each sample in each place: names, hooks, faults, exceptions, contents."""
    events: list[ShippedEvent] = []
    for sample in SAMPLES:
        text = sample.text
        places: list[dict[str, object]] = [{name: text} for name in NAMES]
        places += [{"subject": text}, {"reason": text}, {"grants": (text,)}, {"runs": (HookRun(text, text, 1, text),)}]
        events += [make_event(len(events) + at, **place) for at, place in enumerate(places, 1)]
    return events


EVENTS = make_forged()


def find_leaks(text: str) -> list[str]:
    return [sample.name for sample in SAMPLES if sample.secret in text]


def test_not_into_a_file(tmp_path: Path) -> None:
    JsonlSender(tmp_path / "x.jsonl", SOURCE).send(0, EVENTS)
    raw = (tmp_path / "x.jsonl").read_text()
    assert len(raw.splitlines()) == len(EVENTS)
    texts = "\n".join(str(list(json.loads(line).values())) for line in raw.splitlines())
    assert find_leaks(raw) == find_leaks(texts) == []


def test_not_to_a_collector(tmp_path: Path) -> None:
    collector = Collector()
    try:
        sender = OtlpSender(read_address(collector.url, Home(tmp_path)), SOURCE)
        assert sender.send(0, EVENTS) == EVENTS[-1].seq
    finally:
        collector.close()
    assert len(collector.records) == len(EVENTS)
    assert find_leaks(b"".join(collector.bodies).decode("utf-8", "replace")) == []


def test_not_to_syslog(tmp_path: Path) -> None:
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        server = SyslogServer(socket.AF_UNIX, kind, str(tmp_path / f"log{kind}"))
        try:
            SyslogSender(read_syslog_address(f"unix://{tmp_path}/log{kind}"), SOURCE).send(0, EVENTS)
            messages = server.wait_for(len(EVENTS))
        finally:
            server.close()
        assert len(messages) == len(EVENTS)
        assert find_leaks(b"\n".join(messages).decode()) == []
        assert find_leaks(str([read_message(raw) for raw in messages])) == []
