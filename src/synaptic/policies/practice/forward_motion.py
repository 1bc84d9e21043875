"""An answer that leaves the user with nothing to do next."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import Stop
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.response import is_dead_end


class ForwardMotion(Policy):
    """Ending with a bare "done".

    ## What it does
    When the last paragraph of an answer only says that the work is finished, asks the model once to go on with a
    question, a suggestion or a next step.
    ## Why
    The user should never have to ask what comes next.
    ## Known gaps
    It reads English words in the last paragraph, not the sense of the answer.
    """

    id = "practice.forward-motion"
    events = (Stop,)
    priority = 70
    preset = "practice"

    def check(self, event: Stop, facts: Facts) -> Verdict | None:
        if event.stop_hook_active or not is_dead_end(event.last_assistant_message):
            return None
        return deny("Do not end with a bare completion: say what was verified, and offer the next step or ask for it.")
