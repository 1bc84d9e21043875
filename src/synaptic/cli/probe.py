"""A real, harmless event through the installed dispatcher: the proof that an agent's next call will be answered."""

import os
import secrets
import subprocess  # noqa: TID251  the dispatcher is run exactly as an agent runs it
import time
from pathlib import Path

import msgspec

from synaptic.model.errors import DaemonError

PATIENCE = 60.0
"""Seconds: without a daemon the first call starts the engine itself."""


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """What the dispatcher answered."""

    session: str
    exit: int
    stdout: str
    stderr: str
    milliseconds: float


def send(dispatch: Path, cwd: str) -> Sent:
    """Run the dispatcher with a PreToolUse about `echo`, as the agent would."""
    session = f"synaptic-probe-{secrets.token_hex(6)}"
    payload = {
        "session_id": session,
        "cwd": os.fsencode(cwd).decode("utf-8", "replace"),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "echo synaptic is up", "description": "A harmless event from `synaptic up`"},
    }
    started = time.perf_counter()
    done = _run(dispatch, msgspec.json.encode(payload), cwd)
    return Sent(
        session=session,
        exit=done.returncode,
        stdout=done.stdout.decode("utf-8", "replace").strip(),
        stderr=done.stderr.decode("utf-8", "replace").strip(),
        milliseconds=(time.perf_counter() - started) * 1000,
    )


def _run(dispatch: Path, stdin: bytes, cwd: str) -> "subprocess.CompletedProcess[bytes]":
    # The folder that counts is the one that was asked about, not the project of a session around us.
    env = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
    try:
        return subprocess.run(
            [dispatch, "PreToolUse"], input=stdin, capture_output=True, timeout=PATIENCE, check=False, cwd=cwd, env=env
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        hint = "type: synaptic bootstrap"
        raise DaemonError(f"the dispatcher cannot be run: {error}", where=str(dispatch), hint=hint) from error
