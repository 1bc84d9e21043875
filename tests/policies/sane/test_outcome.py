"""Failures by error field and exit code, never by text; kinds of failures as a table."""

import pytest

from synaptic.model.event import PostToolUse, PostToolUseFailure
from synaptic.policies.sane.outcome import FailedCall, classify_error, find_failure, is_empty_result, is_interrupted

KINDS = {
    "COMMAND_NOT_FOUND": ("bash: foo: command not found", "'foo' is not recognized as an internal or external command"),
    "PERMISSION_DENIED": ("Permission denied", "access denied", "Operation not permitted", "PermissionDenied"),
    "FILE_NOT_FOUND": (
        "cat: x: No such file or directory",
        "file not found: x",
        "x doesn't exist",
        "FileNotFoundError: x",
    ),
    "BUILD_FAILED": ("BUILD FAILED", "compilation error", "Compile error in x"),
    "SYNTAX_ERROR": ("syntax error near `fi'", "SyntaxError: invalid", "Parse error", "Unexpected token }"),
    "TYPE_ERROR": ("TypeError: x", "type error: x", "cannot convert value", "type mismatch"),
    "NETWORK_ERROR": ("Connection refused", "request timed out", "timeout", "network error", "ConnectionRefusedError"),
    "MEMORY_ERROR": ("out of memory", "MemoryError", "allocation failed"),
    "": ("", "everything is fine", "weird thing"),
}
TABLE = [pytest.param(text, kind, id=f"{kind}: {text}") for kind, texts in KINDS.items() for text in texts]

RESPONSES = [
    ({"error": "boom"}, "GENERIC_ERROR"),
    ({"error": "x: command not found", "exit_code": 0}, "COMMAND_NOT_FOUND"),
    ({"is_error": True}, "GENERIC_ERROR"),
    ({"exit_code": 1, "stdout": "", "stderr": ""}, "COMMAND_FAILED"),
    ({"exitCode": 127, "stderr": "x: command not found"}, "COMMAND_NOT_FOUND"),
    ({"returncode": 1, "stdout": "syntax error"}, "COMMAND_FAILED"),
    ({"exit_code": 0, "stderr": "0 errors, permission denied"}, None),
    ({"stdout": "TypeError: failed", "stderr": ""}, None),
    ({"stderr": "warning: error"}, None),
    ({"file": {"content": "TypeError: failed"}}, None),
    ({"error": ""}, None),
    ({"error": None}, None),
    ("Error: text", None),
    (None, None),
    ([{"type": "text", "text": "fatal"}], None),
]


@pytest.mark.parametrize(("text", "kind"), TABLE)
def test_the_first_kind_whose_words_are_there(text: str, kind: str) -> None:
    """S1-124"""
    assert classify_error(text) == kind


@pytest.mark.parametrize(("response", "kind"), RESPONSES)
def test_error_field_then_exit_code_and_never_the_text(response: object, kind: str | None) -> None:
    """S1-011, S1-106, S1-107, S1-108"""
    found = find_failure(PostToolUse(tool_name="Bash", tool_response=response))
    assert (found.signature if found else None) == kind


def test_an_event_of_failure_is_a_failure_unless_the_user_caused_it() -> None:
    assert find_failure(PostToolUseFailure(error="Exit code 3")) == FailedCall("COMMAND_FAILED", "Exit code 3")
    assert (
        find_failure(PostToolUseFailure(error="Exit code 1\nsh: x: command not found")).signature == "COMMAND_NOT_FOUND"
    )
    stopped = PostToolUseFailure(error="stopped", is_interrupt=True)
    assert find_failure(stopped) is None and is_interrupted(stopped)
    assert is_interrupted(PostToolUse(tool_response={"interrupted": True}))


@pytest.mark.parametrize(
    "response", ["", None, "No results found", {"numFiles": 0}, {"content": "0 matches"}, [], False]
)
def test_nothing_found_is_no_knowledge(response: object) -> None:
    """S1-103"""
    assert is_empty_result(PostToolUse(tool_response=response))


@pytest.mark.parametrize(
    "response", ["x", {"numFiles": 2, "filenames": ["a"]}, "no results found " + "x" * 300, {"n": 1}]
)
def test_something_found_is(response: object) -> None:
    assert not is_empty_result(PostToolUse(tool_response=response))
