"""The table of abilities says what the rules do."""

import pytest

from synaptic.agents.shared.discover import find_agent, list_agent_names
from synaptic.agents.shared.support import SUPPORT_ASPECTS, assess_agent


@pytest.mark.parametrize("agent", list_agent_names())
def test_every_aspect_is_honoured_or_says_what_happens_instead(agent):
    found = assess_agent(find_agent(agent))
    assert [one.aspect for one in found] == [aspect.name for aspect in SUPPORT_ASPECTS]
    assert all(one.can == (one.instead == "") for one in found)


@pytest.mark.parametrize("agent", list_agent_names())
def test_every_agent_can_deny_a_tool_call(agent):
    assert assess_agent(find_agent(agent))[0].can
    assert find_agent(agent).adapter.get_capability("PreToolUse").deny


def test_degradations_are_those_of_the_rules():
    def told(agent):
        return {one.aspect: one.instead for one in assess_agent(find_agent(agent))}

    assert told("codex")["ask"] == "denied"
    assert told("qwen")["rewrite"] == "denied with the corrected input in the reason"
    assert "kept for the session's next event" in told("gemini")["advise before"]
    assert told("amp")["stop"] == "the agent has no such event"
    assert "only in the journal" in told("amp")["advise before"]
    assert set(told("claude").values()) == {""}
