"""What an event was about: the command, the file or the words in a payload, whatever agent has sent it."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

ENVELOPE_KEYS = frozenset({
    "session_id", "sessionid", "conversation_id", "generation_id", "transcript_path", "cwd", "hook_event_name",
    "hookname", "hook_name", "event", "tool_use_id", "toolcallid", "tool_call_id", "permission_mode", "timestamp",
    "version", "clineversion", "workspace_roots", "model", "taskid", "tool_name", "toolname", "tool", "agent",
    "agent_type", "agent_id", "source",
})  # fmt: skip
"""Keys around what happened, in lower case: every event of a session has the same there."""
INPUT_KEYS = (
    "tool_input",
    "toolInput",
    "toolArgs",
    "tool_args",
    "args",
    "parameters",
    "input",
    "preToolUse",
    "payload",
)
SUBJECT_KEYS = (
    "command", "cmd", "script", "file_path", "filePath", "notebook_path", "absolute_path", "path", "url", "query",
    "pattern", "prompt", "skill", "subagent_type", "description",
)  # fmt: skip
"""Keys of a tool's input that say best what it was about, the best first."""
EVENT_KEYS = ("prompt", "message", "reason", "file_path", "command", "trigger", "error")
"""Keys of an event that has no tool."""
MOST_DEPTH = 8


def read_payload(payload: str | None) -> Mapping[str, Any]:
    """The payload as an object; an empty one where none was kept, or what was kept is none."""
    try:
        found = msgspec.json.decode(payload or "{}")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def find_subject(payload: str | None) -> str:
    """The command itself, the file, the words; "" where nothing of it was kept."""
    given = read_input(payload)
    if isinstance(given, dict):
        return _pick_text(given, SUBJECT_KEYS) or msgspec.json.encode(given).decode()
    if given is not None:
        return given if isinstance(given, str) else msgspec.json.encode(given).decode()
    return _pick_text(read_payload(payload), EVENT_KEYS)


def read_input(payload: str | None) -> object:
    """What a tool was given; None where the event has no tool."""
    found = read_payload(payload)
    return next((one for key in INPUT_KEYS if (one := _read_nested(found.get(key)))), None)


def iter_texts(payload: str | None) -> Iterator[str]:
    """Every text of a payload that is about what happened."""
    for key, value in read_payload(payload).items():
        if key.lower() not in ENVELOPE_KEYS:
            yield from _iter_strings(value, MOST_DEPTH)


def _read_nested(value: object) -> object:
    """An input as it is, or as the JSON text in which some agents send it."""
    if isinstance(value, str) and value.startswith("{"):
        return read_payload(value) or value
    return value


def _pick_text(given: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = given.get(key)
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            return " ".join(value)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _iter_strings(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, dict):
        for one in value.values():
            yield from _iter_strings(one, depth - 1)
    elif depth and isinstance(value, list):
        for one in value:
            yield from _iter_strings(one, depth - 1)
