"""An agent has started a skill by its tool: its effort begins or goes on."""

from synaptic.model.decision import Verdict
from synaptic.model.event import Event, PostToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult
from synaptic.policies.fleet.skill_effort import begin_effort


class SkillCall(Policy):
    """A skill that an agent starts and whose work nobody keeps.

    ## What it does
    The same as `fleet.skill-start`, for skills that the agent starts itself with its skill tool.
    ## Why
    Whoever starts it, the work is the same.
    ## Known gaps
    A skill of the tier `utility`, and one that has no `SKILL.md` here, starts an effort only in a window that has none.
    Skills of sub-agents start none.
    """

    id = "fleet.skill-call"
    events = (PostToolUse,)
    tools = ("Skill", "SlashCommand")
    priority = 59
    preset = "fleet"
    needs = ("layers", "agent_name", "skill_run", "skill_texts")
    recheck = False

    def handle(self, event: Event, facts: Facts) -> HandlerResult:
        return begin_effort(event, facts)

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict
