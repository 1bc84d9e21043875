"""Every call times every situation, as answers: `python -m tests.agents.answers [AGENT]` writes golden files anew."""

import json
import sys
from functools import cache
from pathlib import Path

import msgspec

from synaptic.agents.shared.discover import find_adapter
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import CLAUDE_EVENTS, ToolEvent
from tests.agents.recorded import AGENTS, HERE, calls, kept

SAID = {"by": "demo.hook", "reason": "because"}
INPUT = {"command": "echo safe", "description": "Show file"}
EXTRAS = {
    "continue": False,
    "stopReason": "enough",
    "suppressOutput": True,
    "systemMessage": "seen",
    "terminalSequence": "\x1b]9;done\x07",
    "permissionDecision": "defer",
    "updatedToolOutput": {"stdout": "x"},
    "updatedMCPToolOutput": [{"type": "text", "text": "x"}],
    "classifierContext": "harmless",
    "sessionTitle": "title",
    "suppressOriginalPrompt": True,
    "initialUserMessage": "hello",
    "watchPaths": ["/p/.env"],
    "reloadSkills": True,
    "updatedPermissions": [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}],
    "interrupt": True,
    "retry": True,
    "action": "accept",
    "content": {"name": "Bob"},
    "displayContent": "***",
    "worktreePath": "/p/tree",
    "nobodyKnows": 1,
}
SITUATIONS = {
    "silence": Decision(),
    "deny": Decision(kind=Kind.DENY, **SAID),
    "deny and advise": Decision(kind=Kind.DENY, context=("note",), **SAID),
    "deny with extras": Decision(kind=Kind.DENY, extras=EXTRAS, **SAID),
    "ask": Decision(kind=Kind.ASK, **SAID),
    "ask and rewrite": Decision(kind=Kind.ASK, input=INPUT, **SAID),
    "allow": Decision(kind=Kind.ALLOW, allowed=True, **SAID),
    "rewrite": Decision(kind=Kind.REWRITE, input=INPUT, **SAID),
    "rewrite and allow": Decision(kind=Kind.REWRITE, input=INPUT, allowed=True, **SAID),
    "advise": Decision(kind=Kind.ADVISE, context=("note one", "note two")),
    "message": Decision(kind=Kind.ADVISE, messages=("hello user",)),
    "feedback": Decision(kind=Kind.ADVISE, feedback=("tests fail",), **SAID),
    "warning": Decision(warnings=("hook demo.other: crash: exit 1; went on without it",)),
    "all": Decision(kind=Kind.ADVISE, context=("note",), messages=("hello user",), feedback=("tests fail",), **SAID),
    "extras": Decision(extras=EXTRAS),
}
LEFT_OUT = ("ask and rewrite", "deny with extras")
"""Situations that add nothing where the agent is not Claude Code."""

Rows = dict[str, dict[str, object]]


@cache
def call_of(event: str) -> Call:
    """The first recorded call of an event of Claude Code."""
    return next(call for name, call in calls("claude").items() if name.partition(".")[0] == event)


def answered(call: Call, decision: Decision) -> dict[str, object]:
    """What leaves, and what was noted and kept on the way."""
    wire = find_adapter(call.agent)
    decision = wire.degrade(call, decision)
    said = wire.encode(call, decision)
    row = {
        "stdout": json.loads(said.stdout) if said.stdout.startswith(b"{") else said.stdout.decode(),
        "stderr": said.stderr.decode(),
        "exit": said.exit,
        "notes": [step.note for step in decision.trace],
        "later": kept(decision),
    }
    return {key: value for key, value in row.items() if value}


def fitted(call: Call, decision: Decision) -> Decision:
    """The decision with a rewrite of what this tool was called with."""
    if decision.input is None or not isinstance(call.event, ToolEvent):
        return decision
    return msgspec.structs.replace(decision, input=call.event.tool.replace_values(command="echo safe"))


def table(agent: str) -> dict[str, Rows]:
    """Claude Code by event, every other agent by recorded call."""
    if agent == "claude":
        asked = {kind.__name__: call_of(kind.__name__) for kind in CLAUDE_EVENTS}
        return {
            event: {title: answered(call, said) for title, said in SITUATIONS.items()} for event, call in asked.items()
        }
    return {name: _situations(call) for name, call in calls(agent).items()}


def _situations(call: Call) -> Rows:
    return {title: answered(call, fitted(call, said)) for title, said in SITUATIONS.items() if title not in LEFT_OUT}


def golden(agent: str) -> Path:
    return HERE / f"{agent}_answers.json"


def written(agent: str) -> str:
    """The table as JSON, one answer a line."""
    blocks = []
    for name, rows in table(agent).items():
        lines = [f"  {json.dumps(title)}: {json.dumps(row)}" for title, row in rows.items()]
        blocks.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


if __name__ == "__main__":
    for one in sys.argv[1:] or ("claude", *AGENTS):
        golden(one).write_text(written(one))
