"""What an orchestrator reads of a call that was blocked."""

import json

from synaptic.model.decision import Decision, Kind
from synaptic.model.result import HookResult
from tests.agents.shared.test_own_dialect import answered, pre


def told(reason: str, *messages: str) -> list[str]:
    result = HookResult(messages_to_user=messages, error="blocked_by_policy")
    answer = json.loads(answered(pre(), Decision(kind=Kind.DENY, reason=reason, result=result)).stdout)
    assert answer["error"] == "blocked_by_policy"
    return answer["messages_to_user"]


def test_a_reason_that_is_made_of_the_messages_is_not_told_again():
    """S2-069"""
    assert told("blocked_by_policy: It writes. Ask first.", "It writes.", "Ask first.") == ["It writes.", "Ask first."]


def test_a_reason_of_its_own_is_told():
    """S2-069: also one that is part of a message."""
    assert told("no", "I know.") == ["I know.", "no"]
    assert told("blocked_by_policy: It writes.", "It writes.", "Another hook.") == [
        "It writes.",
        "Another hook.",
        "blocked_by_policy: It writes.",
    ]
