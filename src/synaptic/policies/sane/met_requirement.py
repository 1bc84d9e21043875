"""Requirements of the user that were met."""

from synaptic.model import sane
from synaptic.model.decision import Verdict, record
from synaptic.model.event import PostToolUse
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.known import is_hearsay, read_texts
from synaptic.policies.sane.outcome import find_failure, is_interrupted

PLANNING_TOOLS = frozenset({"ExitPlanMode", "TodoWrite", "TaskCreate"})


class MetRequirement(Policy):
    """Requirements that stay open although they were met.

    ## What it does
    Marks a requested commit as done after a successful `git commit`, and a requested plan after the plan was written
    down (task list or plan mode). Research and the loop are read from their own sections.
    ## Why
    `sane.unmet-requirement` must open as soon as the user's wish is fulfilled.
    ## Known gaps
    A commit that a script makes is not seen.
    """

    id = "sane.met-requirement"
    events = (PostToolUse,)
    priority = 41
    preset = "sane"
    needs = (sane.REQUIREMENTS,)

    def check(self, event: PostToolUse, facts: Facts) -> Verdict | None:
        asked = read_texts(facts.state, sane.REQUIREMENTS, "requested")
        if not asked or is_hearsay(facts):
            return None
        met = _find_met(event, facts)
        if met not in asked or met in read_texts(facts.state, sane.REQUIREMENTS, "satisfied"):
            return None
        if find_failure(event) or is_interrupted(event):
            return None
        return record(Change(section=sane.REQUIREMENTS, append={"satisfied": met}))


def _find_met(event: PostToolUse, facts: Facts) -> str:
    if event.tool_name in PLANNING_TOOLS:
        return "plan"
    calls = facts.command.acting_git_calls if facts.command else ()
    return "commit" if any(call.verb == "commit" and not call.given.has("dry-run") for call in calls) else ""
