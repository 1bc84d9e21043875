"""The contexts as they are promised."""

import pytest

from synaptic.model.context import describe_fault

BASE = {"session_id": "s", "timestamp": "2025-01-15T10:23:45Z"}
WHOLE = {
    "UserPromptSubmit": {"user_message": "x", "files_touched": [], "stage": "understand"},
    "PreAbilityCall": {"ability_id": "a", "operation_key": "k", "planned_input_summary": "p"},
    "PostAbilityCall": {"ability_id": "a", "status": "success", "duration_ms": 1, "tool_call_path": "t.md"},
    "SessionStop": {"changed_files": ["a"]},
    "SessionStart": {},
    "SessionEnd": {},
}
WRONG = [
    ("UserPromptSubmit", {"user_message": None}, "user_message"),
    ("UserPromptSubmit", {"stage": "later"}, "stage"),
    ("PreAbilityCall", {"ability_id": 3}, "ability_id"),
    ("PostAbilityCall", {"status": "ok"}, "status"),
    ("PostAbilityCall", {"duration_ms": "long"}, "duration_ms"),
    ("SessionStop", {"changed_files": "a"}, "changed_files"),
    ("SessionStart", {"session_id": None}, "session_id"),
]


@pytest.mark.parametrize("event", WHOLE)
def test_a_whole_context_keeps_its_promise(event: str):
    """S2-050 to S2-055"""
    assert describe_fault(event, {"event_type": event, **BASE, **WHOLE[event], "newer": {"field": 1}}) == ""


@pytest.mark.parametrize(("event", "change", "key"), WRONG)
def test_a_wrong_field_is_named(event: str, change: dict, key: str):
    """S2-050 to S2-054"""
    assert key in describe_fault(event, {"event_type": event, **BASE, **WHOLE[event], **change})


@pytest.mark.parametrize("key", ["event_type", "session_id", "timestamp"])
def test_a_base_field_that_is_missing_is_named(key: str):
    """S2-050"""
    context = {"event_type": "SessionStart", **BASE}
    del context[key]
    assert key in describe_fault("SessionStart", context)


def test_later_additions_are_optional():
    """S2-057, S2-058"""
    more = {"caller": {"source": "ci_pipeline"}, "environment": "prod", "tool_call_path": ["a", "b"]}
    assert describe_fault("PostAbilityCall", {"event_type": "x", **BASE, **WHOLE["PostAbilityCall"], **more}) == ""
