"""Our own words that come back as a prompt."""

from hypothesis import given
from hypothesis import strategies as st

from synaptic.agents.continuation import EVENT, kept_on, of_prompt
from synaptic.model.decision import Decision


@given(st.text())
def test_what_keeps_an_agent_going_is_recognised_whatever_it_says(text):
    assert of_prompt("UserPromptSubmit", {"prompt": kept_on(Decision(feedback=(text,)))}) == EVENT


@given(st.text() | st.none() | st.integers())
def test_a_prompt_of_the_user_stays_one(prompt):
    assert of_prompt("UserPromptSubmit", {"prompt": prompt}) == "UserPromptSubmit"
    assert of_prompt("Stop", {"prompt": kept_on(Decision(feedback=("x",)))}) == "Stop"
