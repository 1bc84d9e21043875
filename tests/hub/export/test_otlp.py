import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from synaptic.hub.export import otlp_send
from synaptic.hub.export.otlp import open_destination, without_otel_variables
from synaptic.hub.export.otlp_address import read_address, read_headers
from synaptic.hub.export.otlp_send import OtlpSender, split_events
from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.wire import HookRun
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from tests.hub.export.kit import (
    HOSTILE,
    SOURCE,
    Collector,
    Respond,
    accept,
    make_event,
    make_events,
    read_attributes,
    reject_parts,
)

Start = Callable[[Respond], tuple[Collector, OtlpSender]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Collector] = []

    def begin(respond: Respond) -> tuple[Collector, OtlpSender]:
        collector = Collector(respond)
        running.append(collector)
        return collector, OtlpSender(read_address(collector.url, Home(tmp_path)), SOURCE)

    yield begin
    for collector in running:
        collector.close()


def test_a_decision_is_a_log_record_and_each_hook_a_span_below_its_span(start):
    collector, sender = start(accept)
    assert sender.send(0, make_events(1, 3)) == 3
    assert (len(collector.records), len(collector.spans)) == (3, 9)
    decision, first, second = collector.spans[:3]
    assert decision.name == "synaptic PreToolUse Bash"
    assert decision.parent_span_id == b""
    assert (first.parent_span_id, second.parent_span_id) == (decision.span_id, decision.span_id)
    assert {span.trace_id for span in (decision, first, second)} == {decision.trace_id}
    assert decision.end_time_unix_nano - decision.start_time_unix_nano == 900_000
    assert first.end_time_unix_nano - first.start_time_unix_nano == 300_000
    assert second.status.code == 2
    assert read_attributes(second.attributes)["error.type"] == "timeout"
    record = collector.records[0]
    assert (record.trace_id, record.span_id) == (decision.trace_id, decision.span_id)
    assert record.time_unix_nano == 1_700_000_001_250_000_000
    assert record.event_name == "synaptic.decision"
    assert record.severity_text == "ERROR"
    assert record.body.string_value == "deny Bash by git.force-push in ~/work/shop"


def test_attributes_are_those_of_the_conventions_and_ours(start):
    collector, sender = start(accept)
    sender.send(0, [make_event(5, agent_id="sub-1", subject="git push -f", reason="no")])
    named = read_attributes(collector.records[0].attributes)
    assert named == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "Bash",
        "gen_ai.tool.call.id": "toolu_5",
        "gen_ai.agent.name": "claude",
        "gen_ai.agent.id": "sub-1",
        "gen_ai.conversation.id": "5f3c-1",
        "synaptic.seq": 5,
        "synaptic.call": "01JF00000000000000000005",
        "synaptic.event": "PreToolUse",
        "synaptic.verdict": "deny",
        "synaptic.policy": "git.force-push",
        "synaptic.code": "AB12",
        "synaptic.project": "~/work/shop",
        "synaptic.micros": 900,
        "synaptic.payload.size": 311,
        "synaptic.quiet": 41,
        "synaptic.grants": ("g1",),
        "synaptic.subject": "git push -f",
        "synaptic.reason": "no",
    }
    assert read_attributes(collector.spans[0].attributes) == named
    assert collector.schemas == {"https://opentelemetry.io/schemas/1.41.0"}
    resource = read_attributes(collector.resources[0].attributes)
    assert resource["service.name"] == "synaptic"
    assert resource["host.name"] == resource["synaptic.host"] == "laptop-7"


def test_what_is_sent_again_is_the_same_span_and_of_another_home_another(start):
    collector, sender = start(accept)
    sender.send(0, make_events(1, 2))
    sender.send(0, make_events(1, 2))
    ids = [(span.trace_id, span.span_id) for span in collector.spans]
    assert ids[:6] == ids[6:]
    assert len(set(ids)) == 6
    other = OtlpSender(sender._collector, type(SOURCE)("laptop-7", "aa" * 16))
    other.send(0, make_events(1, 1))
    assert collector.spans[-1].trace_id not in {trace for trace, _ in ids}


def test_an_event_that_is_no_tool_is_no_execution_of_one(start):
    collector, sender = start(accept)
    sender.send(0, [make_event(1, event="Stop", tool="", tool_use="", runs=())])
    named = read_attributes(collector.records[0].attributes)
    assert not {"gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call.id"} & named.keys()
    assert collector.spans[0].name == "synaptic Stop"


def test_bodies_are_packed(start):
    collector, sender = start(accept)
    sender.send(0, make_events(1, 1))
    assert {headers["content-encoding"] for _, headers in collector.requests} == {"gzip"}
    assert {headers["content-type"] for _, headers in collector.requests} == {"application/x-protobuf"}


def test_an_overloaded_collector_gets_it_when_it_says(start):
    answers = [(503, b"", {"retry-after": "7"})]
    collector, sender = start(lambda one, path: answers.pop() if answers else accept(one, path))
    begun = time.monotonic()
    with pytest.raises(DestinationError) as told:
        sender.send(0, make_events(1, 2))
    assert (told.value.seconds, told.value.is_lasting) == (7.0, False)
    assert time.monotonic() - begun < 3, "it is the shipper that waits"
    assert not collector.records
    assert sender.send(0, make_events(1, 2)) == 2
    assert len(collector.records) == 2


@pytest.mark.parametrize("status", [301, 302, 304, 307, 400, 401, 403, 404, 413, 429, 500, 502, 599])
def test_only_a_success_counts_as_one(start, status):
    other = Collector()
    _, sender = start(lambda one, path: (status, b"why\n", {"location": f"{other.url}{path}"}))
    try:
        with pytest.raises(DestinationError, match=f"status {status}") as told:
            sender.send(0, make_events(1, 2))
        assert told.value.is_lasting == (status in (301, 302, 304, 307, 400, 401, 403, 404, 413))
        assert not other.requests, "no redirect is followed"
    finally:
        other.close()


def test_log_records_that_fail_after_their_spans_are_sent_again(start):
    seen: list[str] = []

    def respond(one: Collector, path: str) -> tuple[int, bytes, dict[str, str]]:
        seen.append(path)
        return (500, b"", {}) if len(seen) == 2 else accept(one, path)

    collector, sender = start(respond)
    with pytest.raises(DestinationError, match="log records"):
        sender.send(0, make_events(1, 2))
    assert sender.send(0, make_events(1, 2)) == 2
    assert len(collector.records) == 2
    assert len({span.span_id for span in collector.spans}) == 6


def test_a_part_that_was_taken_counts(start):
    collector, sender = start(lambda one, path: accept(one, path) if len(one.requests) <= 2 else (503, b"", {}))
    assert sender.send(0, make_events(1, 600)) == otlp_send.MOST_EVENTS
    assert len(collector.records) == otlp_send.MOST_EVENTS


def test_a_part_that_was_rejected_is_told_and_not_sent_again(start):
    _, sender = start(reject_parts)
    assert sender.send(0, make_events(1, 5)) == 5
    assert len(sender.notices) == 2
    text = sender.notices[1]
    assert "2 log records were not taken: quota" in text
    assert "\n" not in text
    assert "\x1b" not in text
    assert "ghp_a1B2" not in text


def test_an_answer_of_another_kind_is_still_a_success(start):
    for body in (b"{}", b"\xff" * 100, b"x" * 1_000_000):
        _, sender = start(lambda one, path, body=body: (200, body, {"content-type": "application/json"}))
        assert sender.send(0, make_events(1, 2)) == 2


def test_an_answer_that_unpacks_without_end_is_read_for_its_beginning_only(start):
    import gzip

    bomb = gzip.compress(b"\0" * 50_000_000)
    _, sender = start(lambda one, path: (200, bomb, {"content-encoding": "gzip"}))
    assert sender.send(0, make_events(1, 2)) == 2


def test_a_connection_that_is_cut_is_an_error_that_passes(start):
    _, sender = start(lambda one, path: None)
    with pytest.raises(DestinationError, match="no connection") as told:
        sender.send(0, make_events(1, 2))
    assert not told.value.is_lasting


def test_a_kept_connection_that_is_gone_is_opened_again(start):
    cut = [False]

    def respond(one: Collector, path: str) -> tuple[int, bytes, dict[str, str]] | None:
        if cut[0]:
            cut[0] = False
            return None
        return accept(one, path)

    collector, sender = start(respond)
    sender.send(0, make_events(1, 1))
    cut[0] = True
    assert sender.send(1, make_events(2, 1)) == 2
    assert len(collector.records) == 2


def test_nobody_listening_is_an_error(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = read_address(f"http://127.0.0.1:{taken.getsockname()[1]}", Home(tmp_path))
        with pytest.raises(DestinationError, match="no connection"):
            OtlpSender(address, SOURCE).send(0, make_events(1, 1))


def test_a_collector_that_never_answers_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(otlp_send, "REQUEST_SECONDS", 0.3)
    listener = socket.create_server(("127.0.0.1", 0))
    sender = OtlpSender(read_address(f"http://127.0.0.1:{listener.getsockname()[1]}", Home(tmp_path)), SOURCE)
    with pytest.raises(DestinationError, match="no answer in time"):
        sender.send(0, make_events(1, 1))
    listener.close()


def test_a_collector_that_answers_letter_by_letter_holds_nobody(tmp_path):
    from synaptic.hub.export.threaded import ThreadedDestination

    listener = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        connection, _ = listener.accept()
        while True:
            connection.send(b"H")
            time.sleep(0.1)

    threading.Thread(target=drip, daemon=True).start()
    sender = OtlpSender(read_address(f"http://127.0.0.1:{listener.getsockname()[1]}", Home(tmp_path)), SOURCE)
    destination = ThreadedDestination(sender, seconds=0.5)

    async def work() -> None:
        with pytest.raises(DestinationError, match="no answer for"):
            await destination.send(0, make_events(1, 1))
        with pytest.raises(DestinationError, match="not back yet"):
            await destination.send(0, make_events(1, 1))
        await destination.close()

    asyncio.run(work())


def test_damaged_numbers_and_hostile_texts_are_no_poison(start):
    collector, sender = start(accept)
    events = [
        make_event(1, at=float("nan"), micros=2**80, size=-(2**80), exit=2**70, quiet=float("inf")),
        make_event(2, at=1e300, micros=-5, runs=(HookRun(HOSTILE, "\ud800", 2**90, "\0"),) * 500),
        make_event(3, tool=HOSTILE * 100, session="\udcff", subject=HOSTILE * 5000, grants=("\ud800",) * 500),
        make_event(2**63 - 1, at=-1.0),
    ]
    assert sender.send(0, events) == 2**63 - 1
    assert len(collector.records) == 4


def test_pieces_are_bounded_by_number_and_by_size():
    assert [len(piece) for piece in split_events(make_events(1, 600))] == [250, 250, 100]
    large = make_events(1, 100, subject="x" * 100_000)
    assert all(len(piece) < 25 for piece in split_events(large))
    assert sum(map(len, split_events(large))) == 100


def test_variables_of_the_environment_name_no_endpoint_and_no_header(start, tmp_path):
    trap, collector = Collector(), start(accept)[0]
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password other\n")
    (tmp_path / ".netrc").chmod(0o600)
    code = (
        "import asyncio, sys\n"
        "from synaptic.hub.export.otlp import open_destination\n"
        "from tests.hub.export.kit import make_events\n"
        "destination = open_destination(sys.argv[1])\n"
        "asyncio.run(destination.send(0, make_events(1, 1)))\n"
    )
    variables = {
        "HOME": str(tmp_path),
        "OTEL_EXPORTER_OTLP_ENDPOINT": trap.url,
        "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": f"{trap.url}/v1/logs",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{trap.url}/v1/traces",
        "OTEL_EXPORTER_OTLP_HEADERS": "x-forged=1",
        "OTEL_EXPORTER_OTLP_CERTIFICATE": "/nowhere",
        "OTEL_RESOURCE_ATTRIBUTES": "service.name=forged,x=y",
        "OTEL_SERVICE_NAME": "forged",
        "OTEL_ATTRIBUTE_COUNT_LIMIT": "1",
        "OTEL_PYTHON_EXPORTER_OTLP_HTTP_CREDENTIAL_PROVIDER": "forged",
        "OTEL_PYTHON_CONTEXT": "forged",
        "OTEL_SDK_DISABLED": "true",
        "http_proxy": trap.url,
        "HTTP_PROXY": trap.url,
    }
    try:
        subprocess.run([sys.executable, "-c", code, collector.url], env={**os.environ, **variables}, check=True)
        assert not trap.requests
    finally:
        trap.close()
    assert all("x-forged" not in headers and "authorization" not in headers for _, headers in collector.requests)
    assert len(collector.records) == 1
    assert read_attributes(collector.resources[0].attributes)["service.name"] == "synaptic"


def test_variables_are_back_afterwards(monkeypatch):
    monkeypatch.setenv("OTEL_SERVICE_NAME", "mine")
    with without_otel_variables():
        assert "OTEL_SERVICE_NAME" not in os.environ
    assert os.environ["OTEL_SERVICE_NAME"] == "mine"


def test_headers_come_from_the_users_own_file(tmp_path):
    home = Home(tmp_path)
    file = tmp_path / "hub" / "otlp-headers"
    file.parent.mkdir()
    file.write_text("# of the collector\nX-Api-Key: abc\n\nX-Scope-OrgID: 7:8\n")
    file.chmod(0o600)
    collector = Collector()
    try:
        OtlpSender(read_address(collector.url, home), SOURCE).send(0, make_events(1, 1))
    finally:
        collector.close()
    assert {headers["x-api-key"] for _, headers in collector.requests} == {"abc"}
    assert {headers["x-scope-orgid"] for _, headers in collector.requests} == {"7:8"}
    file.chmod(0o644)
    with pytest.raises(SynapticError, match="others can read"):
        read_headers(file)
    file.chmod(0o600)
    for wrong in ("abc", ": x", "a: b\x1b", "a: é"):
        file.write_text(wrong)
        with pytest.raises(SynapticError, match="no header"):
            read_headers(file)


def test_addresses(tmp_path):
    home = Home(tmp_path)
    found = read_address("https://me:p%40ss@otel.example.org/base/", home)
    assert found.url == "https://otel.example.org/base"
    assert found.headers == {"authorization": "Basic bWU6cEBzcw=="}
    for wrong in (
        "",
        "x",
        "ftp://x",
        "http://",
        "http://x?a=1",
        "http://x#y",
        "http://x y",
        "http://x:99999",
        "http://[",
    ):
        with pytest.raises(SynapticError) as told:
            read_address(wrong, home)
        assert "p%40ss" not in str(told.value)


def test_without_the_extra_it_is_said_how_to_get_it(tmp_path):
    code = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from synaptic.hub.export.otlp import open_destination\n"
        "from synaptic.model.errors import SynapticError\n"
        "try:\n    open_destination('http://127.0.0.1:4318')\nexcept SynapticError as error:\n    print(error)\n"
    )
    variables = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=variables, check=True)
    assert "synaptic-hooks[otlp]" in done.stdout


def test_the_destination_is_named_without_a_password(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert open_destination("http://me:word@127.0.0.1:4318/").name == "otlp http://127.0.0.1:4318"
