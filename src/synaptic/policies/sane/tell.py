"""An answer to a command that the user typed: for the user, and so that the model does not take it for a task."""

from synaptic.model.decision import Verdict
from synaptic.model.effect import Effect


def answer_command(command: str, text: str, *effects: Effect) -> Verdict:
    """The answer to a typed command: a message for the user, context for the model."""
    context = f"The user typed the command `{command}`, which the engine has carried out. {text} Nothing else is asked."
    return Verdict(messages=(text,), context=(context,), effects=effects)
