"""Secrets of events in everything that is written down."""

import asyncio
import base64
import contextlib
import json
import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from synaptic.engine.walk import Engine, open_engine
from synaptic.model.call import Request
from synaptic.model.event import EVENTS, Event
from synaptic.model.layers import Effort
from synaptic.store import agents, deliveries, tasks
from synaptic.store.record import Delivery
from synaptic.store.redacted_log import RedactedFormatter
from synaptic.work import task_files
from tests.daemon.setting import Setting

CANARY = "c4naryW0rdThatN0bodyKeeps5e1f9a2b7d"
SAID = f"mysql -p{CANARY} && curl -u me:{CANARY} https://me:{CANARY}@h && export DB_PASSWORD={CANARY} ghp_{CANARY}"
NAMES = frozenset({
    "hook_event_name", "session_id", "transcript_path", "cwd", "prompt_id", "permission_mode", "agent_id", "agent_type",
    "tool_name", "tool_use_id", "source", "trigger", "directory", "old_cwd", "new_cwd", "worktree_path", "task_id",
    "ability_id", "repository_root", "teammate_name", "team_name", "file_path", "status", "stage", "timestamp",
    "operation_key", "agent_transcript_path", "turn_id", "message_id", "elicitation_id", "mcp_server_name",
})  # fmt: skip
"""Fields that name something: who puts a secret there has named something after it."""
ECHO = """
said=$(cat)
printf '%s' "$said" | python3 -c '
import json, sys
text = sys.stdin.read()
print(json.dumps({"action": "approve", "reason": text, "message": text, "additionalContext": text, "context": text,
                  "systemMessage": text, "logs": [text]}))
print(text, file=sys.stderr)'
"""
FAIL = "cat >&2; exit 1"
ADVICE = "cat"


def build_payload(kind: type[Event], project: Path) -> dict[str, object]:
    """An event in which every text holds the secret."""
    payload: dict[str, object] = {}
    for field in msgspec.structs.fields(kind):
        if field.name in NAMES:
            continue
        if field.type is str or field.type == (str | None) or field.type is object:
            payload[field.name] = SAID
    more = {
        "tool_name": "Bash",
        "tool_input": {"command": SAID, "description": SAID},
        "tool_response": {"stdout": SAID},
    }
    if "tool_name" in kind.__struct_fields__:
        payload |= more
    return {**payload, "hook_event_name": kind.__name__, "session_id": "s1", "cwd": str(project), "unknown": SAID}


def find_kept(place: Setting) -> list[str]:
    """The files that hold the secret, as it is or in base64; what a hook that still runs has printed is its own."""
    folder = place.project.parent
    files = [path for path in folder.rglob("*") if path.is_file() and "spool" not in path.parts]
    kept = [str(path.relative_to(folder)) for path in files if holds_secret(path.read_bytes())]
    return kept + find_kept_rows(place) if kept else []


def find_kept_rows(place: Setting) -> list[str]:
    """Where in the database it is, with what stands before it: none where only freed space has it."""
    found: list[str] = []
    with contextlib.closing(sqlite3.connect(place.home.database)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                texts = (value if isinstance(value, bytes) else str(value).encode() for value in row)
                found += [f"{table}: {text[:2000]!r}" for text in texts if holds_secret(text)]
    return found


def holds_secret(content: bytes) -> bool:
    return any(form in content for form in (CANARY.encode(), base64.b64encode(CANARY.encode())[:20]))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setting]:
    made = Setting(tmp_path_factory.mktemp("kept"))
    made.config('trust = "all"\npresets = ["strict"]\njournal = "full"\n')
    (made.project / ".claude").mkdir()
    (made.project / "MASTER_PLAN.md").write_text("# Plan\n")
    for event in ("PreToolUse", "UserPromptSubmit"):
        made.register(f"echo-{event.lower()}", ECHO, event=event, matcher="")
        made.register(f"later-{event.lower()}", ADVICE, event=event, matcher="", blocking=False)
    for event in ("PostToolUse", "Stop"):
        made.register(f"fail-{event.lower()}", FAIL, event=event, matcher="")
    yield made
    made.close()


def send(place: Setting, *requests: Request) -> None:
    async def work() -> None:
        engine: Engine = open_engine(place.home)
        try:
            for request in requests:
                await engine.answer(request)
        finally:
            await engine.close()

    asyncio.run(work())


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_leaves_no_secret(place: Setting, name: str) -> None:
    payload = build_payload(EVENTS[name], place.project)
    send(place, place.raw(name, json.dumps(payload).encode()))
    assert b"[redacted:" in b"".join(path.read_bytes() for path in place.home.root.glob("synaptic.db*"))
    assert find_kept(place) == []


TOOLS = {
    "Write": {"file_path": "a.py", "content": SAID},
    "Edit": {"file_path": "a.py", "old_string": SAID, "new_string": SAID},
    "WebFetch": {"url": f"https://me:{CANARY}@h", "prompt": SAID},
    "AskUserQuestion": {"questions": [{"question": SAID, "header": SAID}]},
    "Agent": {"prompt": SAID, "description": SAID},
    "mcp__x__exec": {"command": SAID},
    "TodoWrite": {"todos": [{"content": SAID, "status": "pending"}]},
}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_a_tool_call_leaves_no_secret(place: Setting, event: str, tool: str) -> None:
    fields = {"tool_name": tool, "tool_input": TOOLS[tool], "tool_response": SAID, "error": SAID}
    send(place, place.request(event, **fields))
    assert find_kept(place) == []


@pytest.mark.parametrize(
    "agent", ["claude", "codex", "gemini", "qwen", "droid", "copilot", "cursor", "opencode", "synaptic"]
)
def test_an_agent_leaves_no_secret(place: Setting, agent: str) -> None:
    payload = place.payload("PreToolUse", tool_input={"command": SAID}, prompt=SAID)
    send(place, place.raw("PreToolUse", json.dumps(payload).encode(), agent=agent))
    assert find_kept(place) == []


def test_a_process_without_daemon_leaves_no_secret(place: Setting) -> None:
    place.fallback(place.request("PreToolUse", tool_input={"command": SAID}))
    assert find_kept(place) == []


def test_a_broken_payload_leaves_no_secret(place: Setting) -> None:
    place.fallback(place.raw("PreToolUse", f'{{"tool_input": {{"command": "{SAID}'.encode()))
    assert find_kept(place) == []


def test_what_is_told_to_the_store_leaves_no_secret(place: Setting) -> None:
    send(place, place.request("SessionStart", source="startup"))
    engine = open_engine(place.home)
    store = engine.means.store
    given = agents.AgentRegistration(id="me", label=SAID, note=SAID, claims=(SAID,))
    agents.register_agent(store, given, 1.0)
    agents.set_agent_status(store, "me", "working", SAID, 2.0)
    deliveries.add_delivery(store, Delivery(call="c", hook="h", session="s", text=SAID, at=1.0))
    store.write(lambda connection: tasks.upsert_task(
        connection,
        tasks.upsert_project(connection, str(place.project), 1.0),
        tasks.TaskDescription(folder="t", title=SAID, description=SAID, keywords=(SAID,)),
        1.0,
    ))  # fmt: skip
    asyncio.run(engine.close())
    assert find_kept(place) == []


def test_the_log_of_an_effort_keeps_no_secret(place: Setting) -> None:
    effort = Effort(id=1, task=str(place.project / ".tasks" / "t"), skill="x", project=1, ordinal=1)
    task_files.append_log_entry(str(place.project), effort, f"## Done\n{SAID}")
    assert find_kept(place) == []


def test_the_log_of_the_daemon_keeps_no_secret() -> None:
    try:
        raise ValueError(SAID)
    except ValueError as error:
        info = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "f", 1, "call %s failed", (SAID,), info)
    assert CANARY not in RedactedFormatter().format(record)
