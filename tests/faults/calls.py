"""Calls as an agent makes them: the real dispatcher, a payload with a token of its own, and what was told."""

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 60.0
"""Seconds after which a call is ended by us, as an agent would."""
LONG_SECONDS = 20.0
LOOK_SECONDS = 15.0
"""After so long it is looked at where everybody is: a call that hangs is told apart from one that had no time."""
CROWD = 3.0
"""Processes that want a processor, for each there is."""
UNCHECKED = b"NOT checked"
UNHEARD = b"could not be checked"
UNWRITTEN = b"not in the journal"
STOPPING_DECISIONS = ("deny", "ask")


@dataclass(frozen=True)
class Shape:
    """One sort of call: what it asks, and whether it must be stopped."""

    name: str
    event: str = "PreToolUse"
    tool: str = ""
    must_stop: bool = False
    project: str = "main"
    counts: str = ""
    """Which counter of the state it moves."""


SHAPES = {
    shape.name: shape
    for shape in (
        Shape("echo", tool="Bash"),
        Shape("reset", tool="Bash", must_stop=True),
        Shape("write", tool="Write", must_stop=True, project="tripped"),
        Shape("failure", event="PostToolUseFailure", tool="Bash", project="tripped", counts="failures"),
        Shape("glob", tool="Glob"),
        Shape("grep", tool="Grep"),
        Shape("guarded", tool="mcp__vault__open", must_stop=True),
        Shape("fetch", tool="WebFetch", must_stop=True),
        Shape("start", event="SessionStart"),
    )
}
COMMON_SHAPES = ("echo", "reset", "write", "failure", "glob", "guarded")


@dataclass
class Call:
    """A call on its way, and what came of it."""

    token: str
    step: int
    shape: Shape
    session: str
    allowed: frozenset[str] = frozenset()
    """What the fault excuses while this call is made: see `kinds`."""
    is_counted: bool = True
    """Whether it was made in a project of the world; of others neither sentinel nor audit file is looked at."""
    exit: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    seconds: float = 0.0
    is_cut: bool = False
    """It was ended from outside: nobody knows what it would have been told."""
    was_crowded: bool = False
    """It took as long as the dispatcher has, on a machine busy with other things: no engine came up in time."""
    places: str = ""
    """Where the processes of the home were when it had taken long."""
    process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)
    started: float = 0.0

    @property
    def is_stopped(self) -> bool:
        return self.exit == 2 or _reads_as_stop(self.stdout)

    @property
    def is_unchecked(self) -> bool:
        return self.exit == 0 and UNCHECKED in self.stderr

    @property
    def is_unheard(self) -> bool:
        return UNHEARD in self.stderr or UNHEARD in self.stdout

    @property
    def is_unwritten(self) -> bool:
        return UNWRITTEN in self.stderr or UNWRITTEN in self.stdout


def build_payload(call: Call, project: Path, extra: Mapping[str, object]) -> bytes:
    """The event as the agent sends it. Nothing in it is ever executed."""
    shape = call.shape
    inputs: dict[str, object] = {
        "echo": {"command": f"echo {call.token}"},
        "reset": {"command": "git reset --hard HEAD~1"},
        "write": {"file_path": str(project / "notes.txt"), "content": "text"},
        "failure": {"command": "make all"},
        "glob": {"pattern": f"**/{call.token}"},
        "grep": {"pattern": call.token},
        "guarded": {"drawer": "1"},
        "fetch": {"url": "http://127.0.0.1/", "prompt": "read it"},
    }
    payload: dict[str, object] = {"session_id": call.session, "cwd": str(project), "hook_event_name": shape.event}
    payload["reference"] = call.token
    if shape.tool:
        payload |= {"tool_name": shape.tool, "tool_input": inputs[shape.name], "tool_use_id": call.token}
    if shape.event == "PostToolUseFailure":
        payload["error"] = "Exit code 3"
    if shape.event == "SessionStart":
        payload["source"] = "startup"
    return json.dumps({**payload, **extra}).encode()


def start_call(call: Call, program: Path, home: Path, payload: bytes) -> Call:
    """Run the dispatcher; its input is a file in memory, so that nobody waits for us to write it."""
    handle = os.memfd_create("payload")
    try:
        os.write(handle, payload)
        os.lseek(handle, 0, os.SEEK_SET)
        call.started = time.monotonic()
        call.process = subprocess.Popen(
            [program, "claude", call.shape.event],
            stdin=handle,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"HOME": str(home), "PATH": os.environ["PATH"]},
        )
    finally:
        os.close(handle)
    return call


def finish_call(call: Call, look: Callable[[], str] = str) -> Call:
    """Wait for what is told; a call that takes longer than any agent waits is ended and has no exit code."""
    assert call.process is not None
    try:
        call.stdout, call.stderr = _communicate(call, call.process, look)
        call.exit = call.process.returncode
    except subprocess.TimeoutExpired:
        call.process.kill()
        call.stdout, call.stderr = call.process.communicate()
    call.seconds = time.monotonic() - call.started
    call.was_crowded = call.seconds > LONG_SECONDS and os.getloadavg()[0] > CROWD * (os.cpu_count() or 1)
    if call.exit is not None and call.exit < 0:
        call.is_cut = True
    call.process = None
    return call


def _communicate(call: Call, process: "subprocess.Popen[bytes]", look: Callable[[], str]) -> tuple[bytes, bytes]:
    with contextlib.suppress(subprocess.TimeoutExpired):
        return process.communicate(timeout=LOOK_SECONDS)
    call.places = look()
    return process.communicate(timeout=PATIENCE - LOOK_SECONDS)


def _reads_as_stop(stdout: bytes) -> bool:
    try:
        told = json.loads(stdout) if stdout.strip() else {}
    except ValueError:
        return False
    if not isinstance(told, dict):
        return False
    specific = told.get("hookSpecificOutput")
    decision = specific.get("permissionDecision") if isinstance(specific, dict) else None
    return decision in STOPPING_DECISIONS or told.get("decision") == "block" or told.get("continue") is False
