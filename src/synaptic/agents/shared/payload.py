"""Bytes to a JSON object to a typed event, and back to JSON: tolerant, because a stray byte must not dodge a guard."""

import json
import math
from collections.abc import Mapping
from types import UnionType
from typing import Any, get_args, get_origin

import msgspec

from synaptic.model.call import Request
from synaptic.model.errors import PayloadError
from synaptic.model.event import Event
from synaptic.model.text import cut_start

Payload = dict[str, Any]

MAX_QUOTED = 80
MAX_DEPTH = 200
"""Deeper JSON is refused: whoever encodes it again further down would run out of stack."""
MAX_INT_DIGITS = 400
DECODER = msgspec.json.Decoder()
JSON_KINDS: dict[type, str] = {
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    dict: "an object",
    list: "a list",
    tuple: "a list",
    type(None): "null",
}


def read_object(request: Request) -> tuple[Payload, tuple[str, ...]]:
    """The JSON object on stdin, with a warning for everything that had to be repaired."""
    stdin = request.stdin
    warnings: tuple[str, ...] = ()
    try:
        value = DECODER.decode(stdin)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = _repair_payload(request)
        warnings = (f"{request.agent}: {request.event} payload is no strict JSON, it was repaired",)
    if not isinstance(value, dict):
        said = f" ({cut_start(value, MAX_QUOTED)!r})" if isinstance(value, str) else ""
        raise _make_error(request, f"the payload is {describe_kind(value)}{said}, expected a JSON object")
    if stdin.count(b"{") + stdin.count(b"[") > MAX_DEPTH and _is_too_deep(value):
        raise _make_error(request, f"the payload is nested deeper than {MAX_DEPTH} levels")
    return value, warnings


def find_event_name(request: Request, payload: Payload, key: str) -> tuple[str, tuple[str, ...]]:
    """The event's name: the command argument wins over the payload, and a difference is a warning."""
    said = payload.get(key)
    name = request.event or (said if isinstance(said, str) else "")
    if not name:
        return "", (f"{request.agent}: {key} is missing and no event was named on the command line",)
    if said in (name, None, ""):
        return name, ()
    other = repr(cut_start(said, MAX_QUOTED)) if isinstance(said, str) else describe_kind(said)
    return name, (f"{request.agent}: called for {name}, but {key} is {other}; {name} was taken",)


def to_event(kind: type[Event], payload: Payload, agent: str) -> tuple[Event, tuple[str, ...]]:
    """The typed event; a known field of a wrong type is left out with a warning, everything else is kept."""
    try:
        return msgspec.convert(payload, kind), ()
    except msgspec.ValidationError:
        return _convert_fields(kind, payload, agent)


def to_json(value: object) -> bytes:
    """Compact JSON of anything: what cannot be written (a lone surrogate, a foreign object) is replaced."""
    try:
        return msgspec.json.encode(value)
    except (ValueError, TypeError, RecursionError, msgspec.MsgspecError):
        return msgspec.json.encode(_to_plain(value))


def to_line(text: str) -> bytes:
    """One printable line for stderr: a hook's text must not drive a terminal."""
    line = "".join(letter for letter in " ".join(text.removeprefix("synaptic: ").split()) if letter.isprintable())
    return f"synaptic: {line}\n".encode()


def describe_kind(value: object) -> str:
    return JSON_KINDS.get(type(value), "something else")


def _repair_payload(request: Request) -> object:
    if not request.stdin.strip():
        raise _make_error(request, "stdin is empty, expected a JSON object")
    # A bad byte or a byte order mark must not be a way around the guards: what can be read is judged.
    text = request.stdin.decode("utf-8-sig", "replace")
    try:
        return _to_plain(json.loads(text, strict=False, parse_int=_parse_number))
    except RecursionError:
        raise _make_error(request, f"the payload is nested deeper than {MAX_DEPTH} levels") from None
    except ValueError as error:
        raise _make_error(request, f"the payload is no JSON: {error}") from None


def _make_error(request: Request, message: str) -> PayloadError:
    hint = "send the event as one JSON object on stdin"
    return PayloadError(message, where=f"{request.agent} {request.event}".strip(), hint=hint)


def _parse_number(digits: str) -> int | float:
    return int(digits) if len(digits) < MAX_INT_DIGITS else float(digits)


def _to_plain(value: object, depth: int = 0) -> object:
    """Convert to plain JSON values: lone surrogates, infinite numbers and foreign objects are replaced."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    if depth > MAX_DEPTH * 2:
        return None
    if isinstance(value, msgspec.Struct):
        value = {name: item for name in value.__struct_fields__ if (item := getattr(value, name))}
    if isinstance(value, Mapping):
        return {str(_to_plain(str(key))): _to_plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_plain(item, depth + 1) for item in value]
    return _to_plain(str(value))


def _is_too_deep(value: object) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [item for parent in level for item in _list_children(parent)]
        if not level:
            return False
    return True


def _list_children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _convert_fields(kind: type[Event], payload: Payload, agent: str) -> tuple[Event, tuple[str, ...]]:
    # One odd field must not cost the whole event: what cannot be read is judged by no policy.
    good, warnings = {}, []
    for field in msgspec.structs.fields(kind):
        value = payload.get(field.name)
        if value is None:  # what is undefined is left out by some senders and null from others
            continue
        try:
            good[field.name] = msgspec.convert(value, field.type)
        except msgspec.ValidationError:
            if field.name == "tool_input":  # what a tool is given is judged in whatever form; as a list, not rewritten
                good[field.name] = {"input": value if isinstance(value, list) else [value]}
            place = f"{agent}: {kind.__name__}.{field.name}"
            warnings.append(f"{place} is {describe_kind(value)}, expected {_describe_expected(field.type)}")
    return kind(**good), tuple(warnings)


def _describe_expected(annotation: Any) -> str:
    if isinstance(annotation, UnionType):
        annotation = get_args(annotation)[0]
    name = JSON_KINDS.get(get_origin(annotation) or annotation, "something else")
    inner = JSON_KINDS.get(get_origin(get_args(annotation)[0]) or get_args(annotation)[0]) if name == "a list" else None
    return f"{name} in which each entry is {inner}" if inner else name
