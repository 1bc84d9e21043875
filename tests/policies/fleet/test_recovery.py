"""What a new window is told about the ones before it."""

from synaptic.model.layers import Effort, HandOver
from synaptic.policies.fleet.recovery import decode_payload, describe_artifacts, describe_hand_over

EFFORT = Effort(id=1, task="/p/.tasks/t", project=1, skill="fix", ordinal=1)


def test_a_payload_is_given_back_as_it_was_given() -> None:
    """S3-104"""
    assert decode_payload(None) is None
    assert decode_payload('{"summary": "x"}') == {"summary": "x"}
    assert decode_payload("plain text") == "plain text"


def test_required_files_are_there_or_named_as_missing() -> None:
    """S3-193"""
    left = HandOver(payload='{"summary": "x", "nextSteps": "one thing"}', files={"a.py": "A\n", "b.py": None})
    told = describe_hand_over(EFFORT, left)
    assert told.endswith("### Required Files\n[a.py]\nA\n[MISSING b.py]")
    assert "### Next Steps\none thing" in told
    assert "User History" not in told


def test_an_effort_that_has_written_nothing_has_nothing_to_tell() -> None:
    assert describe_artifacts(EFFORT, HandOver()) == ""


def test_strange_payloads_are_told_all_the_same() -> None:
    assert "### Summary\n[1,2]" not in describe_hand_over(EFFORT, HandOver(payload="[1,2]"))
    assert "- 1\n- 2" in describe_hand_over(EFFORT, HandOver(payload="[1,2]"))
    assert '### Summary\n{"a":1}' in describe_hand_over(EFFORT, HandOver(payload='{"summary": {"a": 1}}'))
