"""Containers, images and volumes removed in bulk."""

from typing import Annotated

from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.policies.base import ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.infra.verbs import read_harm
from synaptic.policies.reading import SHELL_TOOLS

HARM = read_harm("containers", "containers, images or volumes")


class Containers(Policy):
    """Removing containers, images or volumes with what they hold.

    ## What it does
    Asks before `docker system prune`, removing volumes, and `compose down --volumes`.
    Dry runs, plans and listings are free. `firm` denies instead.
    ## Why
    What runs there serves other people, and a command line does not say which environment it is pointed at.
    ## Known gaps
    Programs that call the same service through a library are not looked at.
    """

    id = "infra.containers"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 26
    preset = "strict"

    firm: Annotated[bool, ON] = False
    """Deny instead of asking."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        return HARM.judge(event, facts, self.firm)
