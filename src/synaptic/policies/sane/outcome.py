"""How a tool call ended: by its error field and its exit code, never by the text it printed."""

import re
from collections.abc import Mapping

import msgspec

from synaptic.model.event import PostToolUse, PostToolUseFailure, ToolEvent
from synaptic.store.redact import cut_text

SIGNATURES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("COMMAND_NOT_FOUND", r"command not found|not recognized as .{0,80}command"),
        ("PERMISSION_DENIED", r"permission ?denied|access denied|not permitted"),
        ("FILE_NOT_FOUND", r"no such file|file ?not ?found|doesn't exist|does not exist"),
        ("BUILD_FAILED", r"build failed|compilation error|compile error"),
        ("SYNTAX_ERROR", r"syntax ?error|parse ?error|unexpected token"),
        ("TYPE_ERROR", r"\btype ?error|cannot convert|type mismatch"),
        ("NETWORK_ERROR", r"connection ?refused|\btime(?:d )?-?out\b|network error"),
        ("MEMORY_ERROR", r"out of memory|memory ?error|allocation failed"),
    )
)
GENERIC_ERROR = "GENERIC_ERROR"
COMMAND_FAILED = "COMMAND_FAILED"
BROAD_SIGNATURES = frozenset({GENERIC_ERROR, COMMAND_FAILED})
"""Signatures that say nothing about the cause: two of them need not be the same trouble."""
EXIT_KEYS = ("exit_code", "exitCode", "returncode", "return_code")
TEXT_KEYS = ("error", "stdout", "stderr", "output")
EXIT_TEXT = re.compile(r"(?:Error: )?Exit code (\d+)")
MAX_SEARCHED = 4000
"""Characters of an error that are searched for a signature."""
MAX_MESSAGE = 200
NOTHING_FOUND = re.compile(
    r"(?:no (?:results?|match(?:es)?|files?)(?: were)? found|0 matches|nothing found)\b", re.IGNORECASE
)
SHORT_RESULT = 200


class FailedCall(msgspec.Struct, frozen=True):
    """A call that failed: what kind of failure, and its message."""

    signature: str
    message: str


def find_failure(event: ToolEvent) -> FailedCall | None:
    """How a call failed, or None: success, or an end that the user caused."""
    if isinstance(event, PostToolUseFailure):
        return None if event.is_interrupt else _make_failure(event.error, event.error)
    if not isinstance(event, PostToolUse) or not isinstance(event.tool_response, Mapping):
        return None
    response = event.tool_response
    if error := response.get("error") or (response.get("is_error") is True and "the tool reports an error"):
        return _make_failure(str(error), str(error))
    # Every agent has its own name for the exit code.
    code = next((response[key] for key in EXIT_KEYS if isinstance(response.get(key), int)), 0)
    if not code:
        return None
    stderr = str(response.get("stderr") or "")
    return _make_failure(stderr, f"Exit code {code}\n{stderr}".strip(), COMMAND_FAILED)


def read_failure_text(event: ToolEvent) -> str:
    """All that a failed call says, for telling one failure from another; whether it failed is not read from this."""
    if isinstance(event, PostToolUseFailure):
        return event.error
    response = event.tool_response if isinstance(event, PostToolUse) else None
    if not isinstance(response, Mapping):
        return ""
    return "\n".join(str(response[key]) for key in TEXT_KEYS if isinstance(response.get(key), str))


def is_interrupted(event: ToolEvent) -> bool:
    """Whether the user ended the call: neither a success nor a failure."""
    if isinstance(event, PostToolUseFailure):
        return event.is_interrupt
    response = event.tool_response if isinstance(event, PostToolUse) else None
    return isinstance(response, Mapping) and response.get("interrupted") is True


def is_empty_result(event: PostToolUse) -> bool:
    """Whether a search found nothing: a success that does not count as research."""
    response = event.tool_response
    if isinstance(response, Mapping) and response.get("numFiles") == 0 and not response.get("content"):
        return True
    text = _flatten_text(response)
    # In a long text such a line is part of what was found.
    return not text or (len(text) < SHORT_RESULT and any(map(NOTHING_FOUND.match, text.splitlines())))


def classify_error(text: str) -> str:
    """The first kind of failure whose words are in a text, or nothing."""
    head = text[:MAX_SEARCHED]
    return next((name for name, pattern in SIGNATURES if pattern.search(head)), "")


def _make_failure(text: str, message: str, otherwise: str = GENERIC_ERROR) -> FailedCall:
    fallback = COMMAND_FAILED if EXIT_TEXT.match(text) else otherwise
    return FailedCall(classify_error(text) or fallback, cut_text(message, MAX_MESSAGE))


def _flatten_text(response: object) -> str:
    """What a response says, however it is wrapped."""
    if isinstance(response, str):
        return response.strip()
    if isinstance(response, Mapping):
        return "\n".join(filter(None, map(_flatten_text, response.values())))
    if isinstance(response, list | tuple):
        return "\n".join(filter(None, map(_flatten_text, response)))
    return "" if response is None or response is False else str(response)
