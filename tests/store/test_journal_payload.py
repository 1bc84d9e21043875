"""What an event was about, in the words of every agent."""

import json

import pytest

from synaptic.store.journal_payload import find_subject, iter_texts, read_payload


@pytest.mark.parametrize(
    ("payload", "subject"),
    [
        ({"tool_name": "Bash", "tool_input": {"command": "ls", "description": "list"}}, "ls"),
        ({"tool_input": {"file_path": "/a/b.py", "content": "x"}}, "/a/b.py"),
        ({"tool_input": {"command": ["git", "status"]}}, "git status"),
        ({"toolName": "bash", "toolArgs": '{"command": "ls -l"}'}, "ls -l"),
        ({"toolArgs": "{broken"}, "{broken"),
        ({"tool_input": {"odd": 1}}, '{"odd":1}'),
        ({"tool_input": "raw"}, "raw"),
        ({"command": "ls", "cwd": "/x"}, "ls"),
        ({"prompt": "make it work"}, "make it work"),
        ({"tool_input": {}}, ""),
        ({"session_id": "x"}, ""),
        ([1], ""),
    ],
)
def test_the_subject(payload, subject):
    assert find_subject(json.dumps(payload)) == subject


@pytest.mark.parametrize("payload", [None, "", "{", "[" * 100_000, "\ud800", '{"a": NaN}'])
def test_what_is_no_payload_has_no_subject(payload):
    assert (find_subject(payload), list(iter_texts(payload)), dict(read_payload(payload))) == ("", [], {})


def test_texts_are_of_what_happened_and_not_of_its_envelope():
    payload = {"session_id": "s", "cwd": "/x", "tool_input": {"command": "a", "more": ["b", {"c": "d"}]}, "prompt": "e"}
    assert sorted(iter_texts(json.dumps(payload))) == ["a", "b", "d", "e"]


def test_a_deep_payload_is_read_to_a_depth():
    deep = json.dumps({"x": "near", "tool_response": json.loads("[" * 200 + '"far"' + "]" * 200)})
    assert list(iter_texts(deep)) == ["near"]
