"""Edits while safemode is on."""

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.model.tool import EDITS
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.known import read_flag
from synaptic.policies.sane.refuse import refuse_call
from synaptic.policies.sane.shell_edit import edits_files


class SafemodeEdit(Policy):
    """Edits while safemode is on.

    ## What it does
    After the user typed `s+`, denies edits and shell commands that write files, until the user types `s-`.
    ## Why
    Sometimes an agent should look and not touch.
    ## Known gaps
    A program that writes files on its own (`make`, a script) is not a writing command. Temporary folders stay free.
    """

    id = "sane.safemode-edit"
    events = (PreToolUse,)
    tools = ("Bash", "PowerShell", *sorted(EDITS))
    priority = 23
    preset = "sane"
    is_gate = True
    needs = (sane.SAFEMODE, sane.ENFORCEMENT)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if not read_flag(facts.state, sane.SAFEMODE, "active"):
            return None
        if facts.command and not edits_files(facts.command, facts.root):
            return None
        reason = "Safemode is on: edits are blocked, reading is free. Only the user lifts it, by typing `s-`."
        return refuse_call(self.id, event, facts, reason)
