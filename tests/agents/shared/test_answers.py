"""Our own words that come back as a prompt."""

from hypothesis import given
from hypothesis import strategies as st

from synaptic.agents.shared.answers import CONTINUED_EVENT, mark_stop_block, refine_prompt
from synaptic.model.decision import Decision


@given(st.text())
def test_what_keeps_an_agent_going_is_recognised_whatever_it_says(text):
    assert refine_prompt("UserPromptSubmit", {"prompt": mark_stop_block(Decision(feedback=(text,)))}) == CONTINUED_EVENT


@given(st.text() | st.none() | st.integers())
def test_a_prompt_of_the_user_stays_one(prompt):
    assert refine_prompt("UserPromptSubmit", {"prompt": prompt}) == "UserPromptSubmit"
    assert refine_prompt("Stop", {"prompt": mark_stop_block(Decision(feedback=("x",)))}) == "Stop"
