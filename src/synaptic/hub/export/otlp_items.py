"""Events as the log records and spans of the OpenTelemetry SDK. Imported only where the extra `otlp` is there."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, TraceFlags, set_span_in_context
from opentelemetry.trace.status import Status, StatusCode

from synaptic import __version__
from synaptic.hub.export.otlp_names import (
    EVENT_NAME,
    SCHEMA_URL,
    Attributes,
    SpanIds,
    describe_event,
    describe_run,
    describe_source,
    find_nanos,
    fit_number,
    make_ids,
)
from synaptic.hub.export.severity import Weight, summarize_event, weigh_event
from synaptic.hub.export.source import ExportSource
from synaptic.hub.wire import HookRun, ShippedEvent

SEVERITIES: Mapping[Weight, SeverityNumber] = {
    Weight.PLAIN: SeverityNumber.INFO,
    Weight.NOTED: SeverityNumber.INFO2,
    Weight.REFUSED: SeverityNumber.WARN,
    Weight.FAILED: SeverityNumber.ERROR,
}


UNSET = Status(StatusCode.UNSET)
MOST_MICROS = 10**12


class ItemMaker:
    """Makes what is sent, all of one source."""

    def __init__(self, source: ExportSource) -> None:
        self._source = source
        self._resource = Resource(describe_source(source, __version__), SCHEMA_URL)
        self._scope = InstrumentationScope("synaptic", __version__, SCHEMA_URL)

    def make_record(self, event: ShippedEvent) -> ReadableLogRecord:
        """The log record of a decision."""
        severity = SEVERITIES[weigh_event(event)]
        around = _make_context(make_ids(event, self._source))
        record = LogRecord(
            timestamp=find_nanos(event.at),
            observed_timestamp=find_nanos(event.at),
            context=set_span_in_context(NonRecordingSpan(around)),
            severity_number=severity,
            severity_text=severity.name,
            body=summarize_event(event),
            attributes=describe_event(event),
            event_name=EVENT_NAME,
        )
        return ReadableLogRecord(record, self._resource, self._scope)

    def iter_spans(self, event: ShippedEvent) -> Iterator[ReadableSpan]:
        """The span of a decision and, below it, one for each hook that was asked."""
        ids = make_ids(event, self._source)
        around = _make_context(ids)
        name = f"synaptic {event.event} {event.tool}".strip()
        yield self._make_span(event, _SpanParts(name, around, describe_event(event), event.micros))
        for position, run in enumerate(event.runs):
            context = SpanContext(ids.trace, ids.of_run(position), False, TraceFlags(TraceFlags.SAMPLED))
            attributes = describe_run(event, run, position)
            parts = _SpanParts(f"synaptic hook {run.hook}", context, attributes, run.micros, around, _find_status(run))
            yield self._make_span(event, parts)

    def _make_span(self, event: ShippedEvent, parts: "_SpanParts") -> ReadableSpan:
        """Hooks begin with their decision: the journal knows how long they took, not when."""
        begins = find_nanos(event.at)
        return ReadableSpan(
            name=parts.name,
            context=parts.context,
            parent=parts.parent,
            resource=self._resource,
            attributes=parts.attributes,
            kind=SpanKind.INTERNAL,
            status=parts.status,
            start_time=begins,
            end_time=begins + min(max(fit_number(parts.micros), 0), MOST_MICROS) * 1000,
            instrumentation_scope=self._scope,
        )


class _SpanParts(NamedTuple):
    """What one span says."""

    name: str
    context: SpanContext
    attributes: Attributes
    micros: int
    parent: SpanContext | None = None
    status: Status = UNSET


def _make_context(ids: SpanIds) -> SpanContext:
    return SpanContext(ids.trace, ids.span, False, TraceFlags(TraceFlags.SAMPLED))


def _find_status(run: HookRun) -> Status:
    return Status(StatusCode.ERROR, run.fault) if run.fault else UNSET
