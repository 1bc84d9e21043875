"""The three layers as the fifteen hooks see them: what each may touch, and what none of them ever does."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from synaptic.daemon.hook_methods import HOOK_METHODS
from synaptic.model.layers import EndSession, SetStatus
from synaptic.store import lease
from tests.daemon.fleet import HOOKS, Fleet
from tests.daemon.one_engine import one_engine
from tests.daemon.setting import Setting, output
from tests.store.efforts_kit import TABLES

INJECTION = {"pendingInjections": [{"ruleId": "style", "content": "Tabs."}], "ticket": "SHOP-7"}
ASKED = {
    "tool_name": "AskUserQuestion",
    "tool_input": {"questions": [{"question": "Which?", "options": [{"label": "A"}]}]},
    "tool_response": {"answers": {"Which?": "A"}},
}
FIELDS: Mapping[str, Mapping[str, Any]] = {
    "postToolUse": ASKED,
    "configChange": {"source": "skills", "file_path": "/s/fix/SKILL.md"},
}
"""What makes a hook do all that it can."""
TOUCHED: Mapping[str, set[str]] = {
    "sessionStart": {"sessions"},
    "sessionEnd": {"sessions", "agents", "efforts"},
    "preCompact": {"sessions", "agents", "efforts"},
    "preToolUse": {"sessions"},
    "postToolUse": {"efforts", "messages"},
    "postToolUseFailure": {"agents", "messages"},
    "stop": {"agents"},
    "userPrompt": {"agents"},
    "notification": {"agents"},
    "permissionRequest": {"agents"},
    "teammateIdle": {"agents", "messages"},
    "taskCompleted": {"messages"},
    "subagentStart": {"sessions"},
    "subagentStop": {"sessions", "efforts"},
    "configChange": {"skills"},
}
"""The layers that each hook writes to. Tasks and projects own nothing that changes, and a phase is moved by command.
Where a window ends, the effort keeps the names of the files that its sub-agents have read."""
STAGES = ("an unknown folder", "a project alone", "a finished effort", "an effort alone", "an ended window")


@pytest.fixture
def fleet(setting: Setting) -> Iterator[Fleet]:
    made = Fleet(setting)
    yield made
    made.store.close()


def read_tables(fleet: Fleet) -> dict[str, list[tuple]]:
    return fleet.store.read(lambda c: {name: c.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES})


def at_work(fleet: Fleet) -> int:
    """Agent A with a window, a sub-agent that has read a file, a teammate, and a skill that is known."""
    effort = fleet.effort(metadata=json.dumps(INJECTION))
    fleet.bind("A", effort)
    fleet.do(SetStatus(agent="A", status="working", named=True, host="h1"))
    fleet.do(SetStatus(agent="shop:w2", status="working", label="W2", named=True))
    session = fleet.open(effort, host="h1", agent="A")
    own = fleet.open(effort, host="h1", agent="A", subagent="sub1")
    fleet.write("UPDATE sessions SET loaded_files = '[\"/home/dev/read.py\"]' WHERE id = ?", own)
    fleet.write("INSERT INTO skills (project_id, name, path, updated_at) VALUES (1, 'fix', '/s/fix/SKILL.md', 0)")
    return session


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_writes_to_its_own_layers_and_to_no_other(fleet: Fleet, name: str) -> None:
    """S3-001, S3-005, S3-023, S3-122, S3-127: exactly these tables, and a task's row never."""
    at_work(fleet)
    fields = {"agent_id": "sub2"} if name == "subagentStart" else FIELDS.get(name, {})
    before = read_tables(fleet)
    held = lease.take_lease(fleet.setting.home.root, "A")
    assert held is not None
    try:
        with one_engine(fleet) as engine:
            engine.call(name, "A", **fields)
    finally:
        os.close(held)
    after = read_tables(fleet)
    assert {table for table in TABLES if after[table] != before[table]} == TOUCHED[name]


def test_no_hook_brings_a_window_back_that_has_ended(fleet: Fleet) -> None:
    """S3-002, S3-103: its row stays as it was, byte for byte, whatever its process still says."""
    session = at_work(fleet)
    fleet.do(EndSession(session=session))
    row = "SELECT * FROM sessions WHERE id = ?"

    def ended() -> tuple:
        return fleet.store.read(lambda connection: connection.execute(row, (session,)).fetchone())

    before = ended()
    with one_engine(fleet) as engine:
        for name in sorted(HOOKS, key=lambda name: name == "sessionStart"):
            engine.call(name, "A", **FIELDS.get(name, {}))
            assert ended() == before, name
            engine.event(name, "A", **FIELDS.get(name, {}))
            assert ended() == before, name
    assert fleet.one("SELECT count(*) FROM sessions WHERE prev_session_id = ?", session) == 1


@pytest.mark.parametrize("stage", STAGES)
def test_whatever_link_is_missing_no_hook_refuses_or_fails(fleet: Fleet, stage: str) -> None:
    """S3-009, S3-070, S3-111: by name, and as the agent's own event."""
    effort = fleet.effort() if stage not in STAGES[:2] else 0
    if stage == "a finished effort":
        fleet.finish(effort)
    if stage == "an ended window":
        fleet.do(EndSession(session=fleet.open(effort, host="h1")))
    where = {"cwd": "/nonexistent"} if stage == STAGES[0] else {}
    with one_engine(fleet) as engine:
        for name in sorted(HOOKS, key=lambda name: name == "sessionStart"):
            answer = engine.call(name, **where)
            assert answer.get("allow", True) is True, name
            assert not {"decision", "reason", "continue"} & answer.keys(), (name, answer)
            told = engine.event(name, **where)
            assert (told.exit, told.stderr) == (0, b""), name
            assert not {"decision", "continue"} & output(told).keys(), name
            assert b"permissionDecision" not in told.stdout, name


def test_a_database_that_is_damaged_holds_nothing_against_an_agent(fleet: Fleet) -> None:
    """S3-009, S3-070: the layers cannot be read, in the middle of an effort whose limit is reached."""
    fleet.open(fleet.effort(metadata='{"blockAfter": 0}'), host="h1")
    with one_engine(fleet) as engine:
        assert engine.call("preToolUse")["allow"] is False
        fleet.write("ALTER TABLE efforts RENAME COLUMN current_phase TO lost")
        for name in HOOKS:
            answer = engine.call(name)
            assert answer.get("allow", True) is True, name
            assert answer.get("decision") is None, name
            told = engine.event(name)
            assert told.exit == 0, name
            assert b"permissionDecision" not in told.stdout, name


@pytest.mark.parametrize("name", HOOKS)
def test_numbers_of_ours_that_a_caller_gives_are_not_taken(fleet: Fleet, name: str) -> None:
    """S3-064, S3-074: in either spelling, and as the agent's id of its session; nothing of another effort moves."""
    at_work(fleet)
    other = fleet.effort(task="other")
    theirs = fleet.open(other, host="theirs")
    mine = fleet.open(1, host=str(theirs), agent="A", follows=1)
    assert mine != theirs
    rows = (
        "SELECT json_array(e.metadata, e.loaded_files, s.ended_at, s.heartbeat_counter, s.host_session, s.loaded_files)"
    )
    where = "FROM efforts e JOIN sessions s ON s.effort_id = e.id WHERE e.id = ?"
    before = fleet.one(f"{rows} {where}", other)
    numbers = {"effort_id": other, "effortId": other, "engine_session_id": theirs, "engineSessionId": theirs}
    with one_engine(fleet) as engine:
        for door in (engine.call, engine.event):
            door(name, "A", session_id=str(theirs), project_id=1, task_id="x", **numbers)
    assert fleet.one(f"{rows} {where}", other) == before
    assert fleet.one("SELECT count(*) FROM sessions WHERE effort_id = ?", other) == 1


def test_no_hook_starts_a_program_or_leaves_a_file(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3-013, S3-014, S3-132: one process for an event, and no tmux, although the agent runs in a pane of one."""
    at_work(fleet)
    folder = Path(fleet.setting.user, "bin")
    folder.mkdir()
    (folder / "tmux").write_text(f"#!/bin/sh\n: > '{fleet.root}/tmux-was-run'\n")
    (folder / "tmux").chmod(0o755)

    started: list[object] = []

    def refuse(*given: object, **more: object) -> None:
        started.append(given)
        raise OSError("no programs here")

    for module, name in ((subprocess, "_fork_exec"), (os, "posix_spawn"), (os, "posix_spawnp"), (os, "fork")):
        monkeypatch.setattr(module, name, refuse)
    before = set(Path(fleet.root).rglob("*"))
    env = {"TMUX": f"{folder}/socket,1,0", "TMUX_PANE": "%1", "PATH": f"{folder}:{os.environ['PATH']}"}
    with one_engine(fleet) as engine:
        for name in sorted(HOOKS, key=lambda name: name in ("sessionEnd", "preCompact")):
            answer = engine.event(name, "A", env, **FIELDS.get(name, {}))
            assert (answer.exit, answer.stderr) == (0, b""), name
    assert started == []
    assert set(Path(fleet.root).rglob("*")) == before
    assert fleet.count("messages") > 0
    assert {served.event for served in HOOK_METHODS.values()} == {entry.event for entry in fleet.setting.entries()}
