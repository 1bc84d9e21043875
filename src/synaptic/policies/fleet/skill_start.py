"""A person types the command of a skill: its effort begins or goes on."""

from typing import ClassVar

from synaptic.model.decision import Verdict
from synaptic.model.event import Event, UserPromptExpansion, UserPromptSubmit
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult
from synaptic.policies.fleet.skill_effort import begin_effort


class SkillStart(Policy):
    """A skill that a person starts and whose work nobody keeps.

    ## What it does
    When a person types the command of a skill (`/implement`), the active effort of that skill goes on, else one begins:
    on the task of the window's effort, or on a new one in `.tasks`. The window gets a session of it, and is told once
    how to log, the skill's phases and directives, and its templates.
    ## Why
    Heartbeat, context and hand-over belong to efforts: without one, nothing of the work survives its window.
    ## Known gaps
    A command that has no `SKILL.md` is no skill. One of the tier `utility`, which a skill without a `json` block is,
    starts an effort only in a window that has none, and none at all when it has such a block.
    """

    id = "fleet.skill-start"
    events: ClassVar[tuple[type[Event], ...]] = (UserPromptExpansion, UserPromptSubmit)
    priority = 59
    preset = "fleet"
    needs = ("layers", "agent_name", "skill_run", "skill_texts")
    recheck = False

    def handle(self, event: Event, facts: Facts) -> HandlerResult:
        return begin_effort(event, facts)

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict
