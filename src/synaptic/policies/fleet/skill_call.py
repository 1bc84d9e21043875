"""An agent has started a skill by its tool: its effort begins or goes on."""

from synaptic.model.event import PostToolUse
from synaptic.policies.fleet.skill_start import SkillStart


class SkillCall(SkillStart):
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
