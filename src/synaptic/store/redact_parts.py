"""The net below redaction: a text of JSON that would be none any more is searched string by string instead."""

from typing import Any

import msgspec

from synaptic.store.redact import redact_bytes, redact_text

WHOLE_MARK = "[redacted:text]"
"""For a text of which nobody can say where its secret ends."""


def redact_json(raw: bytes) -> bytes:
    """Take the secrets out of JSON; the same object where there are none. What was JSON still is."""
    return ensure_json(raw, redact_bytes(raw))


def ensure_json(raw: bytes, clean: bytes) -> bytes:
    """What was made of JSON, if it still is that; else the same made string by string.

    A shape that fits across the end of a string takes brackets and quotes for a secret. What is written would then
    not be read again, or not be written at all.
    """
    if clean is raw or _is_json(clean):
        return clean
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return clean  # it was none before
    return msgspec.json.encode(_redact_value(value))


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return True


def _redact_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {redact_text(str(key)): _redact_member(str(key), one) for key, one in value.items()}
    if isinstance(value, list):
        return [_redact_value(one) for one in value]
    return redact_text(value) if isinstance(value, str) else value


def _redact_member(key: str, value: Any) -> Any:
    """A value with its key, which may say that it is a secret."""
    if isinstance(value, (dict, list)):
        return _redact_value(value)
    clean = redact_bytes(msgspec.json.encode({key: value}))
    try:
        return next(iter(msgspec.json.decode(clean, type=dict[str, Any]).values()))
    except (msgspec.DecodeError, StopIteration):
        return WHOLE_MARK
