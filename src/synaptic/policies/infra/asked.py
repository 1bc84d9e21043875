"""What the policies have in common that ask before the words of a tool destroy something."""

from typing import Annotated, ClassVar

from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.policies.base import ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.infra.verbs import Harm
from synaptic.policies.reading import SHELL_TOOLS
from synaptic.shell.read.script import Command, Script


class AskedHarm(Policy):
    """Asks about the first command that does a harm of the book, unless it is spared."""

    is_shared_form = True
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 26
    preset = "essentials"
    harm: ClassVar[Harm]

    firm: Annotated[bool, ON] = False
    """Deny instead of asking."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        for command, found in self.harm.iter_destroying(event, facts):
            if not self.spares(command, found):
                return self.harm.tell(command, self.firm)
        return None

    def spares(self, command: Command, found: Script) -> bool:
        """Whether what a command destroys is no loss to anybody."""
        return False
