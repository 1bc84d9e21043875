"""The audit line of every tool call."""

import json
from datetime import UTC, datetime

from synaptic.model.decision import Verdict, record
from synaptic.model.effect import AppendLine
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.store.redact import cut_text


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
        stamp = datetime.fromtimestamp(facts.now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = json.dumps(event.tool_input, ensure_ascii=False, separators=(", ", ": "))
        line = f"{stamp} [{event.tool_name}] {cut_text(text, self.longest)}"
        return record(AppendLine(f"{facts.root}/.synaptic/logs/audit.log", line))
