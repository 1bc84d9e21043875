"""The shape of an audit line, for those who read it with plain tools."""

import re

from synaptic.model.event import PreToolUse
from synaptic.policies.audit.tool_use import ToolUse
from synaptic.policies.facts import Facts


def test_a_line_is_time_tool_and_input():
    """S0-052"""
    event = PreToolUse(hook_event_name="PreToolUse", tool_name="Bash", tool_input={"command": "ls -la"})
    verdict = ToolUse().check(event, Facts(root="/p", now=1736935200.0))
    (effect,) = verdict.effects
    assert effect.path == "/p/.synaptic/logs/audit.log"
    assert re.match(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \[Bash\] \{", effect.line)
