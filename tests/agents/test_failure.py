"""Which results are failures: by an error field or the client's own trailer, never by what a command printed."""

import pytest

from synaptic.agents.failure import refined


@pytest.mark.parametrize(
    ("response", "error"),
    [
        ("fine\n[Process exited with code 0]", None),
        ("bad\n\n[Process exited with code 2]", "Exit code 2\nbad\n\n[Process exited with code 2]"),
        ("[Process exited with code 2]\nsaid the program", None),
        ({"llmContent": "Output: x\nExit Code: 3\nProcess Group PGID: 7\n</untrusted_context>"}, "Exit code 3\n"),
        ({"llmContent": "Output: Exit Code: 3\nExit Code: 0\nSignal: (none)"}, None),
        ({"llmContent": "Exit Code: 3\nmore output"}, None),
        ({"llmContent": [{"text": "Exit Code: 3"}]}, None),
        ({"error": {"message": "gone"}}, "gone"),
        ({"error": "gone"}, "gone"),
        ({"error": {"code": 7}}, "the tool reports an error"),
        ({"error": None, "llmContent": "ok"}, None),
        (None, None),
    ],
)
def test_a_failure_is_told_by_its_own_event(response, error):
    payload = {"tool_response": response}
    assert refined("PostToolUse", payload) == ("PostToolUseFailure" if error else "PostToolUse")
    assert payload.get("error", "").startswith(error or "")
    assert ("error" in payload) == bool(error)


def test_other_events_are_left_alone():
    assert refined("PreToolUse", {"tool_response": {"error": "gone"}}) == "PreToolUse"
