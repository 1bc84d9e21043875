"""What an agent leaves for its next context window: read from JSON, checked, and kept as JSON."""

import msgspec

from synaptic.model.errors import LayerError

LIMIT = 1024 * 1024
"""Bytes of a payload: more would not fit into the window that is to take it over."""
FILES = 8
"""Required files, whose text goes into the next window's context."""
EXAMPLE = '{"summary": "...", "lastAction": "...", "nextSteps": ["..."]}'
HINT = f"give one JSON object on stdin: {EXAMPLE}"


class Dehydration(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The hand-over of one window."""

    summary: str
    last_action: str
    next_steps: tuple[str, ...]
    handover_instructions: str = ""
    user_history: str = ""
    required_files: tuple[str, ...] = ()

    def to_text(self) -> str:
        """As it is stored."""
        return msgspec.json.encode(self).decode()


class ReadDehydration(msgspec.Struct, frozen=True):
    """A payload, and what was left out of it."""

    payload: Dehydration
    warnings: tuple[str, ...] = ()


def read_dehydration(given: object) -> ReadDehydration:
    """A payload, as JSON text in bytes or as the value itself. Raises LayerError for one that cannot be handed over."""
    raw = given if isinstance(given, bytes) else msgspec.json.encode(given)
    if len(raw) > LIMIT:
        what = f"the payload has {len(raw)} bytes, {LIMIT} are allowed"
        raise LayerError("PAYLOAD_TOO_LARGE", what, hint="shorten it, and name long files in `requiredFiles` instead")
    if not raw.strip():
        raise LayerError("VALIDATION_ERROR", "there is no payload", hint=HINT)
    return _check_payload(_decode_payload(raw), raw)


def _decode_payload(raw: bytes) -> Dehydration:
    try:
        return msgspec.json.decode(raw, type=Dehydration)
    except msgspec.ValidationError as error:
        raise LayerError("VALIDATION_ERROR", f"the payload is incomplete: {error}", hint=HINT) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LayerError("PARSE_ERROR", f"the payload is no JSON: {error}", hint=HINT) from error


def _check_payload(payload: Dehydration, raw: bytes) -> ReadDehydration:
    for field, value in (("summary", payload.summary), ("lastAction", payload.last_action)):
        if not value.strip():
            raise LayerError("VALIDATION_ERROR", f"`{field}` of the payload is empty", hint=HINT)
    warnings = [f"`{name}` is no field of a payload and was left out" for name in _find_unknown_keys(raw)]
    files = tuple(dict.fromkeys(payload.required_files))
    if len(files) > FILES:
        warnings.append(f"only {FILES} of {len(files)} required files are kept: {', '.join(files[FILES:])} left out")
    return ReadDehydration(msgspec.structs.replace(payload, required_files=files[:FILES]), tuple(warnings))


def _find_unknown_keys(raw: bytes) -> tuple[str, ...]:
    known = {field.encode_name for field in msgspec.structs.fields(Dehydration)}
    return tuple(name for name in msgspec.json.decode(raw, type=dict[str, object]) if name not in known)
