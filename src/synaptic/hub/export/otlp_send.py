"""Sends to a collector: spans, then log records, piece by piece; only what was taken counts as sent."""

import logging
from collections import deque
from collections.abc import Iterator, Sequence

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from synaptic.hub.export.clean import clean_event
from synaptic.hub.export.otlp_address import CollectorAddress
from synaptic.hub.export.otlp_http import CollectorSession
from synaptic.hub.export.otlp_items import ItemMaker
from synaptic.hub.export.rfc5424 import escape_value
from synaptic.hub.export.source import ExportSource
from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.wire import ShippedEvent
from synaptic.store.redact import redact_text

REQUEST_SECONDS = 15.0
MOST_EVENTS = 250
MOST_LETTERS = 2_000_000
"""Of the events of one request: collectors take some 20 MB."""
LASTING = frozenset({400, 401, 403, 404, 405, 413})
MOST_NOTICES = 20
log = logging.getLogger("synaptic.export")


class OtlpSender:
    """Hands events to the exporters of the SDK, and tells what a collector has refused."""

    def __init__(self, collector: CollectorAddress, source: ExportSource) -> None:
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # what it would say is in our own errors
        self.name = f"otlp {collector.url}"
        self.notices: deque[str] = deque(maxlen=MOST_NOTICES)
        """What was refused of requests that were taken otherwise."""
        self._collector = collector
        self._session = CollectorSession()
        self._make = ItemMaker(source)
        given = (collector.headers, REQUEST_SECONDS, Compression.Gzip, self._session)
        file = collector.certificate or None
        self._spans = OTLPSpanExporter(f"{collector.url}/v1/traces", file, None, None, *given)
        self._records = OTLPLogExporter(f"{collector.url}/v1/logs", file, None, None, *given)

    def send(self, after: int, events: Sequence[ShippedEvent]) -> int:
        """Send all, and say up to where they were taken. Raises DestinationError where nothing was."""
        reached = after
        for piece in split_events([clean_event(event) for event in events]):
            try:
                self._send_piece(piece)
            except DestinationError:
                if reached == after:
                    raise
                return reached
            reached = piece[-1].seq
        return reached

    def close(self) -> None:
        self._session.close()

    def _send_piece(self, events: list[ShippedEvent]) -> None:
        # Spans first: one that is sent again has the same id, a log record would stand there twice.
        self._session.answer = None
        result = self._spans.export([span for event in events for span in self._make.iter_spans(event)])
        self._check(result.name, "spans")
        self._session.answer = None
        record_result = self._records.export([self._make.make_record(event) for event in events])
        self._check(record_result.name, "log records")

    def _check(self, result: str, what: str) -> None:
        answer = self._session.answer
        if result == "SUCCESS" and answer is not None:
            self._note_rejected(answer.body, what)
            return
        if answer is None:
            why = self._session.trouble or "it could not be written as protobuf"
            raise DestinationError(f"{what} were not sent: {why}", where=self._collector.url)
        raise DestinationError(
            f"{what} were refused with status {answer.status}: {_read_message(answer.body)}".removesuffix(": "),
            where=self._collector.url,
            seconds=answer.pause,
            is_lasting=answer.status in LASTING or 300 <= answer.status < 400,
        )

    def _note_rejected(self, body: bytes, what: str) -> None:
        """A part was refused for good: sending it again would bring the same, so it is told and left."""
        try:
            kind = ExportTraceServiceResponse if what == "spans" else ExportLogsServiceResponse
            said = kind.FromString(body).partial_success
        except DecodeError:  # it was taken; its words are of another kind
            return
        count = said.rejected_spans if what == "spans" else said.rejected_log_records
        if count or said.error_message:
            text = f"{self.name}: {count} {what} were not taken: {_clean_message(said.error_message)}"
            self.notices.append(text)
            log.warning("%s", text)


def split_events(events: Sequence[ShippedEvent]) -> Iterator[list[ShippedEvent]]:
    """Pieces that a collector takes in one request."""
    piece: list[ShippedEvent] = []
    letters = 0
    for event in events:
        size = 500 + len(event.subject) + len(event.reason) + len(event.session) + 300 * len(event.runs)
        if piece and (letters + size > MOST_LETTERS or len(piece) >= MOST_EVENTS):
            yield piece
            piece, letters = [], 0
        piece.append(event)
        letters += size
    if piece:
        yield piece


def _read_message(body: bytes) -> str:
    """What a collector said, if people can read it."""
    text = body[:400].decode("utf-8", "replace")
    return _clean_message(text) if text.isprintable() else ""


def _clean_message(text: str) -> str:
    return escape_value(redact_text(text[:2000]))
