"""Edits when only an investigation was asked for."""

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.model.tool import EDITS
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.known import TASK_SECTION
from synaptic.policies.sane.refuse import refuse_call
from synaptic.policies.sane.shell_edit import edits_files


class ResearchOnlyEdit(Policy):
    """Edits when only an investigation was asked for.

    ## What it does
    After a prompt such as "investigate why the login is slow", denies edits and shell commands that write files, until
    a prompt asks for a change.
    ## Why
    Who asks for a cause wants to hear it before anything is changed.
    ## Known gaps
    The prompt is read by its words. Calls that change something outside of the machine are not seen.
    """

    id = "sane.research-only-edit"
    events = (PreToolUse,)
    tools = ("Bash", "PowerShell", *sorted(EDITS))
    priority = 25
    preset = "sane"
    is_gate = True
    needs = (TASK_SECTION, sane.ENFORCEMENT)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if not facts.state.read_flag(TASK_SECTION, "research_only"):
            return None
        if facts.command and not edits_files(facts.command, facts.root):
            return None
        reason = (
            "The user asked for an investigation, not for a change. Report what you found; the next prompt that asks "
            "for a change opens edits."
        )
        return refuse_call(self.id, event, facts, reason)
