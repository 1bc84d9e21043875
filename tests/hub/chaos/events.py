"""What hosts write: events that follow from a seed, hostile texts among them."""

import json
import random

from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.store.record import EventRecord

COMMANDS = (
    "git status --short && git diff --stat HEAD~1",
    "python -m pytest tests/test_parser.py -q 2>&1 | tail -20",
    "rg -n 'def main' src | head -50",
    "printf 'a\\tb\\\\c\\n' > out.txt",
    "echo '\x1b[2J\x1b]0;title\x07' # \u202ereversed",
    "cat <<'END'\nfirst\tsecond\r\nthird\\.\nEND",
    "psql -c \"COPY t FROM STDIN\" <<< '\\.'",
    "echo 'naïve 漢字 \U0001f600'",
)
HOSTILE_SESSIONS = ("s\t1", "s\\N", "s'; DROP TABLE events; --", "s\x00nul", "s\udc80half", "\u202es")
TOOLS = ("Bash", "Read", "Edit", "Write", "Grep", "mcp__server__tool")
HOOKS = ("git.force-push", "paths.outside-project", "secrets.files", "shell.pipe-to-shell", "sane.refuse")
KINDS = (Kind.NONE,) * 12 + (Kind.ALLOW,) * 4 + (Kind.DENY,) * 2 + (Kind.ASK, Kind.REWRITE)
FIRST_DAYS = 3.0
"""What is there before a campaign begins is so old at most: events of several days travel in one batch."""


def name_call(host: int, number: int) -> str:
    """Each has one of its own; a campaign knows without the journals which must be there."""
    return f"{host:06x}{number:010x}"


def make_record(seed: int, host: int, number: int, at: float) -> EventRecord:
    """The same for the same seed."""
    source = random.Random(f"{seed} {host} {number}")
    kind = source.choice(KINDS)
    hook = source.choice(HOOKS)
    tool = source.choice(TOOLS)
    trace = tuple(
        TraceStep(hook=source.choice(HOOKS), kind=kind, reason="not like this", micros=source.randrange(9000))
        for _ in range(source.randrange(3))
    )
    return EventRecord(
        call=name_call(host, number),
        at=at,
        agent=source.choice(("claude", "codex", "gemini")),
        event=source.choice(("PreToolUse", "PostToolUse")),
        session=source.choice(HOSTILE_SESSIONS) if source.random() < 0.02 else f"session-{host}-{number // 200}",
        tool=tool,
        root=f"/home/u{host}/work/app-{source.randrange(5)}",
        payload=make_payload(source, tool, number),
        decision=Decision(kind=kind, by=hook if kind is not Kind.NONE else "", reason="not like this", trace=trace),
        micros=source.randrange(200, 20_000),
    )


def make_payload(source: random.Random, tool: str, number: int) -> str:
    command = source.choice(COMMANDS) + (" # " + "x" * source.randrange(4000) if source.random() < 0.02 else "")
    given = {"command": command} if tool == "Bash" else {"file_path": f"/srv/data/{source.randrange(1000)}.txt"}
    text = json.dumps({"tool_name": tool, "tool_use_id": f"toolu_{number}", "tool_input": given})
    # Half a character of a pair, as some agents cut texts.
    return text[:-2] + ', "description": "cut \\ud83d"}}' if source.random() < 0.05 else text
