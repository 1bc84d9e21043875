"""The table of abilities says what the rules do."""

import pytest

from synaptic.agents.shared.discover import agent_names, find_agent
from synaptic.agents.shared.support import ASPECTS, abilities


@pytest.mark.parametrize("agent", agent_names())
def test_every_aspect_is_honoured_or_says_what_happens_instead(agent):
    found = abilities(find_agent(agent))
    assert [one.aspect for one in found] == [aspect.name for aspect in ASPECTS]
    assert all(one.can == (one.instead == "") for one in found)


@pytest.mark.parametrize("agent", agent_names())
def test_every_agent_can_deny_a_tool_call(agent):
    assert abilities(find_agent(agent))[0].can
    assert find_agent(agent).adapter.capability("PreToolUse").deny


def test_degradations_are_those_of_the_rules():
    def told(agent):
        return {one.aspect: one.instead for one in abilities(find_agent(agent))}

    assert told("codex")["ask"] == "denied"
    assert told("qwen")["rewrite"] == "denied with the corrected input in the reason"
    assert "kept for the session's next event" in told("gemini")["advise before"]
    assert told("amp")["stop"] == "the agent has no such event"
    assert "only in the journal" in told("amp")["advise before"]
    assert set(told("claude").values()) == {""}
