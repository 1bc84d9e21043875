"""A stop that was refused comes back as a prompt in some agents: it is marked, so that nobody takes it for the user's.

A prompt of the user begins a new turn: it would reset the count of refused stops, and the agent would never end.
"""

from synaptic.agents.payload import Payload
from synaptic.agents.phrases import blame
from synaptic.model.decision import Decision

MARK = "[synaptic: before you stop] "
EVENT = "StopContinued"
"""What such a prompt is: nothing that a policy listens to."""


def kept_on(decision: Decision) -> str:
    """What keeps the agent going, in words that are recognised when they come back."""
    return MARK + blame(decision)


def of_prompt(event: str, payload: Payload) -> str:
    """The event, or what it is when the prompt is our own."""
    prompt = payload.get("prompt")
    return EVENT if event == "UserPromptSubmit" and isinstance(prompt, str) and prompt.startswith(MARK) else event
