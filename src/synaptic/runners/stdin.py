"""The JSON line that a hook reads on stdin: the whole event."""

from datetime import UTC, datetime

import msgspec

from synaptic.model.call import Call
from synaptic.model.event import UserPromptSubmit
from synaptic.model.hook import Protocol
from synaptic.model.text import to_utf8_deep
from synaptic.runners.output import get_event_name

ORCHESTRATOR_AGENT = "synaptic"
"""The agent whose payloads are contexts already; hooks get them unchanged."""


def encode_stdin(call: Call, protocol: Protocol) -> bytes:
    """Encode the context as one line, newline included."""
    return to_json(build_context(call, protocol)) + b"\n"


def build_context(call: Call, protocol: Protocol) -> dict[str, object]:
    """Build the payload in canonical names; a `result` hook also gets the fields that every context has."""
    payload = dict(call.payload)
    if call.agent == ORCHESTRATOR_AGENT or "event_type" in payload:
        return payload
    payload.setdefault("hook_event_name", get_event_name(call.event))
    if protocol != "result":
        return payload
    base = {
        "event_type": get_event_name(call.event),
        "session_id": call.event.session_id,
        "timestamp": datetime.fromtimestamp(call.at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "repository_root": call.root,
    }
    if isinstance(call.event, UserPromptSubmit):
        base["user_message"] = call.event.prompt
    return {**base, **payload}


def to_json(value: object) -> bytes:
    """Encode as compact JSON; lone surrogates are replaced rather than refused."""
    try:
        return msgspec.json.encode(value)
    except ValueError:
        return msgspec.json.encode(to_utf8_deep(value))
