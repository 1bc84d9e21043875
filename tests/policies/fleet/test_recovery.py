"""What a new window is told about the ones before it."""

from synaptic.model.layers import Effort, HandOver
from synaptic.policies.fleet.recovery import payload_of, recovered, rehydrated

EFFORT = Effort(id=1, task="/p/.tasks/t", project=1, skill="fix", ordinal=1)


def test_a_payload_is_given_back_as_it_was_given() -> None:
    """S3-104"""
    assert payload_of(None) is None
    assert payload_of('{"summary": "x"}') == {"summary": "x"}
    assert payload_of("plain text") == "plain text"


def test_required_files_are_there_or_named_as_missing() -> None:
    """S3-193"""
    left = HandOver(payload='{"summary": "x", "nextSteps": "one thing"}', files={"a.py": "A\n", "b.py": None})
    told = recovered(EFFORT, left)
    assert told.endswith("### Required Files\n[a.py]\nA\n[MISSING b.py]")
    assert "### Next Steps\none thing" in told
    assert "User History" not in told


def test_an_effort_that_has_written_nothing_has_nothing_to_tell() -> None:
    assert rehydrated(EFFORT, HandOver()) == ""


def test_strange_payloads_are_told_all_the_same() -> None:
    assert "### Summary\n[1,2]" not in recovered(EFFORT, HandOver(payload="[1,2]"))
    assert "- 1\n- 2" in recovered(EFFORT, HandOver(payload="[1,2]"))
    assert '### Summary\n{"a":1}' in recovered(EFFORT, HandOver(payload='{"summary": {"a": 1}}'))
