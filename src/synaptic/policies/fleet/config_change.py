"""A settings file has changed."""

from synaptic.model.decision import Verdict
from synaptic.model.event import ConfigChange
from synaptic.model.layers import ForgetSkill
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult, build_result

SKILL_FILE = "SKILL.md"


class SkillChange(Policy):
    """What was read from a skill's file that has changed since.

    ## What it does
    Forgets the phases, templates and directives of a skill whose `SKILL.md` has changed; they are read again when an
    effort needs them. Other settings are none of its business.
    ## Why
    An effort must not be held to phases that its skill no longer has.
    ## Known gaps
    Only changes that the agent reports are seen.
    """

    id = "fleet.config-change"
    events = (ConfigChange,)
    priority = 60
    preset = "fleet"
    recheck = False

    def handle(self, event: ConfigChange, facts: Facts) -> HandlerResult:
        changed = event.file_path.rpartition("/")[2] == SKILL_FILE
        forget = ForgetSkill(path=event.file_path) if changed else None
        return build_result({"skillForgotten": changed}, forget)

    def check(self, event: ConfigChange, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict
