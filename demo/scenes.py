"""What happens: the hooks of one project, and what the model tries."""

import json
from collections.abc import Mapping

import msgspec

from synaptic.model.decision import Decision, Kind
from synaptic.store.record import JournalEntry

ADVICE = json.dumps(
    {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "Notes here carry a date."}}
)
KEEP_ON = json.dumps({"decision": "block", "reason": "Say what you changed before you stop."})
BLOCK = json.dumps({"action": "block", "reason": "A forced push discards commits. Use --force-with-lease."})
MODIFY = json.dumps(
    {
        "action": "modify",
        "reason": "moved to .trash instead of deleted",
        "input": {"command": "mkdir -p .trash && mv notes.txt .trash/ && ls .trash"},
    }
)


class Skill(msgspec.Struct, frozen=True):
    """One hook of the project: a few lines of shell, and its keys in the registry."""

    name: str
    body: str
    keys: Mapping[str, object]


class Scene(msgspec.Struct, frozen=True):
    """One thing the model tries, as a tool call and as the recorded payload that stands for it."""

    about: str
    tool: str
    input: Mapping[str, object]
    payload: str


SKILLS = (
    Skill("no-force", f"case \"$HOOK_INPUT\" in *--force*) echo '{BLOCK}';; esac", {"priority": 25}),
    Skill("trash", f"case \"$HOOK_INPUT\" in *'\"rm notes'*) echo '{MODIFY}';; esac", {"priority": 30}),
    Skill("metrics", "echo 'no such server' >&2; exit 7", {"priority": 65, "matcher": "Write"}),
    Skill("dates", f"echo '{ADVICE}'", {"event": "PostToolUse", "matcher": "Write", "priority": 50}),
    Skill(
        "report",
        f"grep -q '\"stop_hook_active\":true' || echo '{KEEP_ON}'",
        {"event": "Stop", "protocol": "native", "priority": 40},
    ),
)


def scenes(project: str) -> tuple[Scene, ...]:
    """In their order."""
    return (
        Scene("pushes by force", "Bash", _command("git push --force origin main"), "PreToolUse.Bash.json"),
        Scene("deletes a file", "Bash", _command("rm notes.txt"), "PreToolUse.Bash.json"),
        Scene("reads outside the project", "Read", {"file_path": "/etc/hostname"}, "PreToolUse.Read.json"),
        Scene(
            "writes a file",
            "Write",
            {"file_path": f"{project}/today.txt", "content": "all done\n"},
            "PreToolUse.Write.json",
        ),
    )


EXPECTED: Mapping[str, str] = {
    "deny": "a call that was denied",
    "rewrite": "a call that was rewritten",
    "advise": "advice for the model",
    "crash": "a hook that crashed and was named",
    "stop": "a stop that was put off",
}
"""What a whole session must have shown, and how to say that it did not."""


def shown(entry: JournalEntry) -> set[str]:
    """Which of the expected things one event was."""
    decision: Decision = entry.decision
    found = {str(decision.kind)} if decision.kind in (Kind.DENY, Kind.REWRITE) else set()
    if entry.event == "PostToolUse" and decision.context:
        found.add("advise")
    if any(step.fault for step in decision.trace):
        found.add("crash")
    if entry.event == "Stop" and decision.feedback:
        found.add("stop")
    return found


def _command(text: str) -> dict[str, object]:
    return {"command": text, "description": "step"}
