"""Big tasks without a loop that says when they are done."""

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.model.tool import EDITS
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.refuse import refuse_call


class BigTaskWithoutLoop(Policy):
    """Big tasks without a loop that says when they are done.

    ## What it does
    When the prompt is a big task ("rewrite everything", "the whole architecture"), denies edits until a loop with a
    promise and acceptance criteria is active.
    ## Why
    Without criteria a big task is done when the agent is tired of it.
    ## Known gaps
    Big tasks are found by words. Shell commands that write files are not held back.
    """

    id = "sane.big-task-without-loop"
    events = (PreToolUse,)
    tools = tuple(sorted(EDITS))
    priority = 29
    preset = "sane"
    is_gate = True
    needs = (sane.REQUIREMENTS, sane.SANELOOP, sane.ENFORCEMENT)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if not facts.state.read_flag(sane.REQUIREMENTS, "is_big_task") or facts.state.read_flag(
            sane.SANELOOP, "active"
        ):
            return None
        reason = (
            "This is a big task, and no loop is active. Start one with what will be true at the end: "
            "`synaptic loop start TASK --promise TEXT --criterion TEXT --criterion TEXT`."
        )
        return refuse_call(self.id, event, facts, reason)
