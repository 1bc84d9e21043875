"""Every event times every situation, as answers: `python -m tests.wire.answers` writes the golden file anew."""

import json
from functools import cache
from pathlib import Path

from synaptic.model.call import Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.effect import Deliver
from synaptic.model.event import CLAUDE_EVENTS
from synaptic.wire.claude import ADAPTER

PAYLOADS = Path(__file__).parent / "claude"
GOLDEN = Path(__file__).parent / "claude_answers.json"

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


@cache
def call_of(event: str) -> Call:
    file = sorted(PAYLOADS.glob(f"{event}.*json"))[0]
    return ADAPTER.decode(Request("claude", event, file.read_bytes(), "1"))


def answered(event: str, situation: str) -> dict[str, object]:
    """What leaves, and what was noted and kept on the way."""
    call = call_of(event)
    decision = ADAPTER.degrade(call, SITUATIONS[situation])
    answer = ADAPTER.encode(call, decision)
    row = {
        "stdout": json.loads(answer.stdout) if answer.stdout.startswith(b"{") else answer.stdout.decode(),
        "stderr": answer.stderr.decode(),
        "exit": answer.exit,
        "notes": [step.note for step in decision.trace],
        "later": [effect.text for effect in decision.effects if isinstance(effect, Deliver)],
    }
    return {key: value for key, value in row.items() if value}


def table() -> dict[str, dict[str, dict[str, object]]]:
    names = [kind.__name__ for kind in CLAUDE_EVENTS]
    return {event: {situation: answered(event, situation) for situation in SITUATIONS} for event in names}


def written() -> str:
    """The table as JSON, one answer a line."""
    events = []
    for event, rows in table().items():
        lines = [f"  {json.dumps(situation)}: {json.dumps(row)}" for situation, row in rows.items()]
        events.append(f" {json.dumps(event)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(events) + "\n}\n"


if __name__ == "__main__":
    GOLDEN.write_text(written())
