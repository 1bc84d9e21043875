"""JSON in and out, whatever it contains."""

import json
from types import MappingProxyType

import pytest

from synaptic.agents.shared.payload import MAX_DEPTH, read_object, to_event, to_json, to_line
from synaptic.model.call import Request
from synaptic.model.event import InstructionsLoaded, PostToolBatch, PreCompact
from synaptic.model.result import HookResult


def test_strict_json_is_read_without_a_warning():
    assert read_object(Request("demo", "Stop", b'{"a":[1,"\\u00e9"]}', "1")) == ({"a": [1, "é"]}, ())


def test_a_repair_is_said():
    payload, warnings = read_object(Request("demo", "Stop", b'{"a":"\xff"}', "1"))
    assert payload == {"a": "�"}
    assert warnings == ("demo: Stop payload is no strict JSON, it was repaired",)


def test_many_brackets_are_not_depth():
    text = "{[" * MAX_DEPTH
    wide = {"a": [[] for _ in range(MAX_DEPTH * 2)], "b": text}
    assert read_object(Request("demo", "Stop", json.dumps(wide).encode(), "1"))[0] == wide


def test_a_surrogate_pair_survives_a_repair():
    payload, _ = read_object(Request("demo", "Stop", b'{"a":"\\ud83d\\ude00 \\ud83d"}', "1"))
    assert payload == {"a": "😀 �"}


@pytest.mark.parametrize(
    ("kind", "payload", "warning"),
    [
        (
            PostToolBatch,
            {"tool_calls": ["x"]},
            "tool_calls is a list, expected a list in which each entry is an object",
        ),
        (InstructionsLoaded, {"globs": 1}, "globs is a number, expected a list in which each entry is a string"),
        (PreCompact, {"custom_instructions": []}, "custom_instructions is a list, expected a string"),
    ],
)
def test_a_warning_names_what_was_there_and_what_was_expected(kind, payload, warning):
    event, warnings = to_event(kind, payload, "demo")
    assert event == kind()
    assert warnings == (f"demo: {kind.__name__}.{warning}",)


def test_anything_can_be_written():
    odd = {"a": "\ud800", 1: float("nan"), "b": MappingProxyType({"c": (object,)}), "d": 10**400}
    assert set(json.loads(to_json(odd))) == {"a", "1", "b", "d"}
    assert json.loads(to_json(HookResult(error="\ud800", usage_recorded=True))) == {
        "error": "�",
        "usage_recorded": True,
    }
    deep: list = []
    for _ in range(5_000):
        deep = [deep]
    json.loads(to_json(deep))


def test_a_line_is_one_printable_line():
    assert to_line("a\n b\x1b[2J\ud800\x00 é") == "synaptic: a b[2J é\n".encode()
