"""The event that every measurement sends: a Bash call as Claude Code 2.1.325 tells it, with its environment."""

import json
from collections.abc import Mapping
from pathlib import Path

SESSION = "f30108f7-e218-4a52-8f8a-0c2ed89ce2b0"
COMMANDS = (
    "git status --short && git diff --stat HEAD~1",
    "python -m pytest tests/test_parser.py -q 2>&1 | tail -20",
    "rg -n 'def main' src | head -50",
    "git add -A && git commit -m 'Read the config once' && git log --oneline -3",
    "find . -name '*.pyc' -not -path './.venv/*' | wc -l",
    'for f in src/*.py; do echo "$f"; sed -n \'1,5p\' "$f"; done',
    "cat > notes.md <<'END'\n# Notes\n- one\n- two\nEND\nwc -l notes.md",
    "curl -s http://localhost:8000/health | jq .status",
)


def event(project: Path, command: str = COMMANDS[0], tool: str = "Bash") -> dict[str, object]:
    """One PreToolUse, about to run a command in a project."""
    return {
        "session_id": SESSION,
        "transcript_path": f"{project}/.claude/projects/{SESSION}.jsonl",
        "cwd": str(project),
        "prompt_id": "f0abe083-3223-4116-8839-abf531bc9edc",
        "permission_mode": "default",
        "effort": {"level": "medium"},
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": {"command": command, "description": "One step of the work at hand"},
        "tool_use_id": "toolu_01A09q90qw90lq917835lq9",
    }


def outside_write(project: Path) -> dict[str, object]:
    """A call that `paths.outside-project` denies; nothing is ever written.

    Nobody could be asked in this mode: the same refused call again stays refused.
    """
    written = {"file_path": "/opt/elsewhere/file.txt", "content": "x"}
    return {**event(project, tool="Write"), "permission_mode": "bypassPermissions", "tool_input": written}


def line(payload: Mapping[str, object]) -> bytes:
    """As the agent writes it: one compact line."""
    return json.dumps(payload, separators=(",", ":")).encode() + b"\n"


def environment(home: Path, project: Path) -> dict[str, str]:
    """What an agent hands to a hook, on top of a small shell environment."""
    return {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": str(home),
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "PWD": str(project),
        "CLAUDECODE": "1",
        "CLAUDE_CODE_CHILD_SESSION": "1",
        "CLAUDE_CODE_SESSION_ID": SESSION,
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "CLAUDE_PROJECT_DIR": str(project),
        "CLAUDE_PID": "4242",
        "CLAUDE_EFFORT": "medium",
        "AI_AGENT": "claude-code_2-1-325_harness",
    }
