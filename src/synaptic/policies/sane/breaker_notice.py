"""Prompts that meet a tripped breaker."""

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.event import UserPromptSubmit
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.known import read_flag, read_user_command


class BreakerNotice(Policy):
    """Prompts that meet a tripped breaker.

    ## What it does
    While the circuit breaker is tripped, tells the user and the model with each prompt, and names `reset breaker`.
    ## Why
    Who gives a task should know that edits will be refused, and how to change that.
    ## Known gaps
    None.
    """

    id = "sane.breaker-notice"
    events = (UserPromptSubmit,)
    priority = 23
    preset = "sane"
    needs = (sane.CIRCUIT_BREAKER,)

    def check(self, event: UserPromptSubmit, facts: Facts) -> Verdict | None:
        if not read_flag(facts.state, sane.CIRCUIT_BREAKER, "tripped") or read_user_command(event):
            return None
        failures = facts.state.read_number(sane.CIRCUIT_BREAKER, "failures")
        told = (
            f"The circuit breaker is tripped ({failures:.0f} failures in a row): edits are blocked. "
            "Type `reset breaker` to reset it, `rb?` to see why."
        )
        return Verdict(context=(told,), messages=(told,))
