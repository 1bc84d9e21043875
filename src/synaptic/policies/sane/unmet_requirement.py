"""Edits before what the user asked for first."""

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.model.tool import EDITS
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.known import TASK_SECTION, read_texts
from synaptic.policies.sane.refuse import refuse_call
from synaptic.policies.sane.research import ResearchCategories, is_waived
from synaptic.policies.sane.unresearched_edit import RESEARCH_TOOLS

HOW_TO_MEET = {
    "commit": "commit with `git commit`",
    "plan": "write the plan down (task list or plan mode)",
    "research": "look into every category of research (the user's prompt `research` shows them)",
    "saneloop": "start the loop: `synaptic loop start TASK --promise TEXT --criterion TEXT`",
}


class UnmetRequirement(Policy):
    """Edits before what the user asked for first.

    ## What it does
    When a prompt asks to commit, to plan first, to research first or to use the loop, denies edits until that is done.
    ## Why
    "Plan first" means first.
    ## Known gaps
    Requirements are found by words. Writing shell commands are not held back: the commit itself is one. Research means
    the five categories, whatever `sane.unresearched-edit` was set to.
    """

    id = "sane.unmet-requirement"
    events = (PreToolUse,)
    tools = tuple(sorted(EDITS))
    priority = 28
    preset = "sane"
    is_gate = True
    needs = (sane.REQUIREMENTS, sane.RESEARCH, sane.SANELOOP, sane.ENFORCEMENT, TASK_SECTION, "tool_servers")

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        state = facts.state
        requested = read_texts(state, sane.REQUIREMENTS, "requested")
        if not requested:
            return None
        met = {*read_texts(state, sane.REQUIREMENTS, "satisfied")}
        if state.read_flag(sane.SANELOOP, "active"):
            met.add("saneloop")
        if is_waived(state) or not ResearchCategories(RESEARCH_TOOLS).read_progress(state, facts.tool_servers).missing:
            met.add("research")
        left = [name for name in requested if name not in met]
        if not left:
            return None
        todo = "; ".join(HOW_TO_MEET.get(name, name) for name in left)
        return refuse_call(self.id, event, facts, f"The user asked for {', '.join(left)} first: {todo}.")
