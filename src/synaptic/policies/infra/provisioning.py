"""Infrastructure that is described in files, torn down."""

from typing import Annotated

from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.policies.base import ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.infra.verbs import read_harm
from synaptic.policies.reading import SHELL_TOOLS

HARM = read_harm("infrastructure", "infrastructure")


class Provisioning(Policy):
    """Tearing down what terraform and its like have built.

    ## What it does
    Asks before `terraform destroy`, `pulumi down`, `cdk destroy` and removals from their state.
    Dry runs, plans and listings are free. `firm` denies instead.
    ## Why
    What runs there serves other people, and a command line does not say which environment it is pointed at.
    ## Known gaps
    Programs that call the same service through a library are not looked at.
    """

    id = "infra.provisioning"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 26
    preset = "strict"

    firm: Annotated[bool, ON] = False
    """Deny instead of asking."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        return HARM.judge(event, facts, self.firm)
