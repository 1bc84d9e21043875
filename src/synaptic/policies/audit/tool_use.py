"""The audit line of every tool call."""

import json

from synaptic.model.decision import Verdict, record
from synaptic.model.effect import AppendLine
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.stamp import format_stamp
from synaptic.store.redact import cut_text

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": "))


class ToolUse(Policy):
    """Tool calls that leave no readable trail in the project.

    ## What it does
    Appends one line per tool call to `.synaptic/logs/audit.log`: UTC time, tool in brackets, input as JSON.
    ## Why
    A file in the project can be read, searched and shipped with plain tools, without the engine.
    ## Known gaps
    Inputs longer than `longest` characters are cut; the journal has the whole call.
    """

    id = "audit.tool-use"
    events = (PreToolUse,)
    priority = 45
    preset = "practice"
    recheck = False

    longest: int = 2000
    """Characters of the input that are kept in the line."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if not facts.root:
            return None
        text = _encoder.encode(event.tool_input)
        line = f"{format_stamp(facts.now)} [{event.tool_name}] {cut_text(text, self.longest)}"
        return record(AppendLine(f"{facts.root}/.synaptic/logs/audit.log", line))
