"""What an event is called in OpenTelemetry: `gen_ai.*` by the semantic conventions, ours under `synaptic.*`."""

import hashlib
from collections.abc import Mapping

import msgspec

from synaptic.hub.export.source import ExportSource
from synaptic.hub.wire import HookRun, ShippedEvent

SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0"
"""The last version of the semantic conventions that defines `gen_ai.*`; what comes after it is not released yet."""
EVENT_NAME = "synaptic.decision"
EXECUTE_TOOL = "execute_tool"
MOST_NUMBER = 2**63 - 1
MOST_NANOS = 2**62

Value = str | int | bool | tuple[str, ...]
Attributes = dict[str, Value]


class SpanIds(msgspec.Struct, frozen=True):
    """The trace of one event and the span of its decision: the same whenever it is sent."""

    trace: int
    span: int
    seed: bytes

    def of_run(self, position: int) -> int:
        """The span of the hook at a position."""
        return _digest(self.seed, f"run {position}", 8)


def make_ids(event: ShippedEvent, source: ExportSource) -> SpanIds:
    """Ids from the home and the call, so that an event that is sent twice is one trace."""
    seed = f"{source.identity}\0{event.call}".encode("utf-8", "replace")
    return SpanIds(_digest(seed, "trace", 16), _digest(seed, "decision", 8), seed)


def describe_source(source: ExportSource, version: str) -> Attributes:
    """Who sends: the resource of all that is sent."""
    return {
        "service.name": "synaptic",
        "service.version": version,
        "service.instance.id": source.identity,
        "host.name": source.host,
        "synaptic.host": source.host,
    }


def describe_event(event: ShippedEvent) -> Attributes:
    """The attributes of a decision; what is not known is left out."""
    return _drop_unknown(_name_by_conventions(event)) | _name_ours(event)


def describe_run(event: ShippedEvent, run: HookRun, position: int) -> Attributes:
    """The attributes of one hook's evaluation."""
    named: Mapping[str, Value] = {
        "gen_ai.conversation.id": event.session,
        "gen_ai.tool.call.id": event.tool_use,
        "error.type": run.fault,
    }
    ours: Attributes = {
        "synaptic.hook": run.hook,
        "synaptic.hook.position": position,
        "synaptic.hook.verdict": run.kind,
        "synaptic.seq": fit_number(event.seq),
        "synaptic.call": event.call,
    }
    return _drop_unknown(named) | ours


def find_nanos(at: float) -> int:
    """A moment in nanoseconds; 0, which means unknown, for one that no clock has."""
    return int(at * 1e6) * 1000 if 0 < at < MOST_NANOS / 1e9 else 0


def fit_number(number: float) -> int:
    """A number that the protocol can carry, whatever a damaged journal holds."""
    return max(-MOST_NUMBER, min(int(number), MOST_NUMBER)) if abs(number) < float("inf") else 0


def _name_by_conventions(event: ShippedEvent) -> Mapping[str, Value]:
    return {
        "gen_ai.operation.name": EXECUTE_TOOL if event.tool else "",
        "gen_ai.tool.name": event.tool,
        "gen_ai.tool.call.id": event.tool_use,
        "gen_ai.agent.name": event.agent,
        "gen_ai.agent.id": event.agent_id,
        "gen_ai.conversation.id": event.session,
    }


def _name_ours(event: ShippedEvent) -> Attributes:
    known: Mapping[str, Value] = {
        "synaptic.policy": event.by,
        "synaptic.code": event.code,
        "synaptic.project": event.project,
        "synaptic.exit": fit_number(event.exit),
        "synaptic.quiet": fit_number(event.quiet),
        "synaptic.grants": event.grants,
        "synaptic.subject": event.subject,
        "synaptic.reason": event.reason,
    }
    always: Attributes = {
        "synaptic.seq": fit_number(event.seq),
        "synaptic.call": event.call,
        "synaptic.event": event.event,
        "synaptic.verdict": event.kind,
        "synaptic.micros": fit_number(event.micros),
        "synaptic.payload.size": fit_number(event.size),
    }
    return always | _drop_unknown(known)


def _drop_unknown(values: Mapping[str, Value]) -> Attributes:
    return {name: value for name, value in values.items() if value not in ("", 0, ())}


def _digest(seed: bytes, what: str, size: int) -> int:
    # An id of zeros means that there is none.
    return int.from_bytes(hashlib.blake2b(seed, digest_size=size, person=what.encode()[:16]).digest()) or 1
