"""The same session without a client: payloads that Claude Code once sent, through the real dispatcher."""

import json
import subprocess  # noqa: TID251  an agent starts the dispatcher, and here we are the agent
from collections.abc import Mapping
from pathlib import Path

from tests.clients.claude import Session

from demo.live import Live
from demo.scenes import Scene

PAYLOADS = Path(__file__).parents[1] / "tests" / "agents" / "claude"


def play(session: Session, live: Live, scenes: tuple[Scene, ...]) -> None:
    """Every event in the order in which the client sends them."""
    live.announce("The session starts, and the user asks for something.")
    _send(session, "SessionStart.startup.json")
    _send(session, "UserPromptSubmit.json")
    for scene in scenes:
        live.announce(f"The model {scene.about}.")
        allowed = _send(session, scene.payload, {"tool_name": scene.tool, "tool_input": dict(scene.input)})
        if scene.tool == "Write" and allowed:
            _send(session, "PostToolUse.Write.json", {"tool_input": dict(scene.input)})
    live.announce("The model wants to stop.")
    _send(session, "Stop.json")
    _send(session, "Stop.active.json")
    _send(session, "SessionEnd.other.json")


def _send(session: Session, name: str, changes: Mapping[str, object] | None = None) -> bool:
    """One event; whether the act may happen."""
    place = {"cwd": str(session.project), "session_id": "recorded"}
    payload = {**json.loads((PAYLOADS / name).read_text()), **place, **(changes or {})}
    done = subprocess.run(
        [str(session.synaptic_home.dispatch), str(payload["hook_event_name"])],
        input=json.dumps(payload),
        env={"HOME": str(session.home), "PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return '"deny"' not in done.stdout
