"""The flows of an effort from one end to the other: hand-over, the end of a turn, the status of a fleet."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from synaptic.fleet.follow import DatabaseFollower
from synaptic.fleet.roster import find_window_statuses, order_members
from synaptic.store.fleet import FleetMember
from tests.daemon.fleet import Fleet
from tests.daemon.one_engine import OneEngine, one_engine
from tests.daemon.setting import Setting, specific
from tests.daemon.test_skill_starts import SKILL, describe
from tests.policies.fleet.test_transcript import TOO_LONG, USER, line

LIMITED = b'{"type":"assistant","isApiErrorMessage":true,"error":{"type":"rate_limit_error"}}\n'
FOREMOST = ("error", "attention", "working", "checked", "done")
TOLD_COMMAND = re.compile(r"^synaptic effort dehydrate <<'EOF'\n.*?^EOF$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def fleet(setting: Setting) -> Iterator[Fleet]:
    made = Fleet(setting)
    yield made
    made.store.close()


@pytest.fixture
def engine(fleet: Fleet) -> Iterator[OneEngine]:
    with one_engine(fleet) as made:
        yield made


def run_in_agents_shell(fleet: Fleet, command: str) -> None:
    """A command as the agent's own shell runs it, with the agent's variables."""
    folder = fleet.setting.user / "bin"
    folder.mkdir()
    program = folder / "synaptic"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m synaptic.cli.main "$@"\n')
    program.chmod(0o755)
    env = {"HOME": str(fleet.setting.user), "PATH": f"{folder}:{os.environ['PATH']}"}
    env |= {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "h1"}
    done = subprocess.run(["sh", "-c", command], env=env, cwd=fleet.root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_what_a_full_window_is_told_to_type_hands_it_over(fleet: Fleet, engine: OneEngine, tmp_path: Path) -> None:
    """S3-006, S3-146, S3-190, S3-191: the very text, let through while other calls are stopped."""
    transcript = tmp_path / "t.jsonl"
    transcript.write_bytes(line(184_000))
    effort = fleet.effort(metadata='{"blockAfter": 2}')
    session = engine.call("sessionStart")["sessionId"]
    told = specific(engine.event("preToolUse", transcript_path=str(transcript)))["additionalContext"]
    found = TOLD_COMMAND.search(told)
    assert found is not None, told
    assert engine.call("preToolUse")["allow"] is False
    typed = {"tool_name": "Bash", "tool_input": {"command": found[0]}, "transcript_path": str(transcript)}
    assert specific(engine.event("preToolUse", **typed)).get("permissionDecision") is None
    run_in_agents_shell(fleet, found[0])
    assert fleet.ended(session)
    left = json.loads(fleet.one("SELECT dehydration_payload FROM sessions WHERE id = ?", session))
    assert (left["summary"], left["lastAction"], left["nextSteps"]) == ("...", "...", ["..."])
    assert engine.call("preToolUse")["allow"] is True, "the window has no session any more"
    after = engine.call("sessionStart", session_id="h2")
    assert (after["effortId"], after["dehydratedContext"]) == (effort, left)
    assert fleet.one("SELECT prev_session_id FROM sessions WHERE id = ?", after["sessionId"]) == session


@pytest.mark.parametrize(
    ("end", "status", "note"),
    [
        (line(9000), "done", ""),
        (USER + LIMITED, "attention", "rate limit"),
        (USER + TOO_LONG, "attention", "the context is exhausted"),
        (LIMITED + USER + line(9000), "done", ""),
    ],
    ids=["well", "a rate limit", "a full context", "a rate limit that is over"],
)
def test_the_end_of_a_turn_is_judged_by_its_transcript(
    fleet: Fleet, engine: OneEngine, tmp_path: Path, end: bytes, status: str, note: str
) -> None:
    """S3-120, S3-231: from the agent's own event; the agent was in error, and its session goes on."""
    session = fleet.open(fleet.effort(), host="h1")
    transcript = tmp_path / "t.jsonl"
    transcript.write_bytes(USER + end)
    engine.event("postToolUseFailure")
    assert fleet.status() == "error"
    engine.event("stop", transcript_path=str(transcript))
    assert (fleet.status(), fleet.ended(session)) == (status, False)
    assert fleet.one("SELECT note FROM agents").startswith(note)


def test_a_replay_of_all_transitions(fleet: Fleet, engine: OneEngine) -> None:
    """S3-124, S3-125, S3-126, S3-231: as the agent's own events, for each kind of notification."""
    fleet.effort()
    engine.event("sessionStart", "W2")
    fleet.write("UPDATE agents SET label = 'W2'")
    steps = [("userPrompt", {}, "working"), ("postToolUseFailure", {}, "error"), ("userPrompt", {}, "working")]
    for kind in ("permission_prompt", "idle_prompt", "elicitation_dialog"):
        steps += [("notification", {"notification_type": kind}, "attention"), ("userPrompt", {}, "working")]
    steps += [("permissionRequest", {}, "attention")] * 2
    steps += [("stop", {}, "done"), ("userPrompt", {}, "working"), ("teammateIdle", {}, "done")]
    steps += [("userPrompt", {}, "working"), ("sessionEnd", {}, "done")]
    seen = []
    for name, fields, _ in steps:
        engine.event(name, "W2", **fields)
        seen.append(fleet.status("W2"))
    assert seen == [status for _, _, status in steps]


@pytest.mark.parametrize("reason", ["clear", "logout", "prompt_input_exit", "other"])
def test_whoever_watches_the_fleet_hears_of_a_window_that_ends(fleet: Fleet, engine: OneEngine, reason: str) -> None:
    """S3-108, S3-230: the session has its end, the agent is done, and the display is woken and shows it."""
    fleet.bind("A", fleet.effort())
    session = engine.call("sessionStart", "A")["sessionId"]
    engine.event("userPrompt", "A")
    watcher = DatabaseFollower(fleet.setting.home)
    try:
        watcher.wait(0.0)
        assert [(one.status, one.session) for one in watcher.read_members()] == [("working", session)]
        engine.event("sessionEnd", "A", reason=reason)
        assert watcher.wait(30.0) is True
        assert [(one.status, one.session) for one in watcher.read_members()] == [("done", None)]
    finally:
        watcher.close()
    assert fleet.ended(session)


@pytest.mark.parametrize(("first", "second"), tuple(combinations(FOREMOST, 2)))
def test_of_two_agents_the_more_urgent_is_shown(first: str, second: str) -> None:
    """S3-230: error, attention, working, checked, done, in that order and whoever is named first."""
    for pair in ((first, second), (second, first)):
        assert find_window_statuses(("@1", status) for status in pair) == {"@1": first}  # type: ignore[misc]
        members = [FleetMember(agent=status, status=status, since=1.0, seen=1.0) for status in pair]  # type: ignore[arg-type]
        assert [one.status for one in order_members(members)] == [first, second]


def test_without_a_daemon_the_same_counts_and_hand_overs_are_kept(fleet: Fleet, engine: OneEngine) -> None:
    """S3-008, S3-103, S3-140: an event that no daemon answers goes on where the last one was."""
    session = fleet.open(fleet.effort(metadata='{"blockAfter": 2}'), host="h1")
    assert engine.call("preToolUse")["heartbeatCount"] == 1
    request = fleet.setting.raw("PreToolUse", json.dumps(fleet.params("preToolUse")).encode())
    stopped = specific(fleet.setting.fallback(request))
    assert stopped["permissionDecisionReason"].startswith("heartbeat-block: 2/2")
    assert fleet.heartbeat(session) == 2
    assert engine.call("preToolUse")["heartbeatCount"] == 3


def test_a_skill_a_full_window_and_another_skill_are_one_task(fleet: Fleet, engine: OneEngine) -> None:
    """S3-001, S3-006, S3-012: as an agent's own events bring them; every window is a session of its own."""
    for skill in ("brainstorm", "implement"):
        describe(fleet, skill, SKILL.replace("implement", skill))
    engine.event("sessionStart")
    engine.event("userPrompt", prompt="/brainstorm the cart")
    engine.event("sessionEnd")
    engine.event("sessionStart", session_id="h2")
    assert engine.call("userPrompt", session_id="h2")["skill"] == "brainstorm"
    engine.event("userPrompt", session_id="h2", prompt="/implement all of it")
    assert engine.call("userPrompt", session_id="h2")["skill"] == "implement"
    assert (fleet.count("tasks"), fleet.count("efforts"), fleet.count("sessions")) == (1, 2, 3)
    told = specific(engine.event("subagentStart", session_id="h2"))["additionalContext"]
    assert "/2_IMPLEMENT_LOG.md" in told
