"""Several windows and calls of one project at the same time: nothing is told twice, lost, or held against another."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from synaptic.engine import walk
from synaptic.engine.walk import Engine, open_engine
from synaptic.model.call import Answer
from synaptic.model.errors import LayerError
from synaptic.model.layers import Beat, EndSession, SetStatus, Signal
from synaptic.store import efforts, lease, supervision
from synaptic.store.supervision import SupervisedAgent
from synaptic.store.windows import WorkerIdentity
from synaptic.work.command import Caller, CommandContext
from synaptic.work.handover import Dehydrate
from tests.daemon.fleet import HOOKS, Fleet
from tests.daemon.setting import Setting
from tests.daemon.test_layers_under_load import broken
from tests.policies.fleet.test_transcript import line

PAYLOAD = {"summary": "half of it", "lastAction": "tests", "nextSteps": ["go on"]}
METHODS = {
    "SessionStart": "sessionStart",
    "SessionEnd": "sessionEnd",
    "PreToolUse": "preToolUse",
    "PostToolUse": "postToolUse",
}


@pytest.fixture
def fleet(setting: Setting) -> Iterator[Fleet]:
    made = Fleet(setting)
    yield made
    made.store.close()


def at_once(fleet: Fleet, *events: tuple[str, str, dict[str, Any]]) -> list[Answer]:
    """Events (name, AGENT_ID, fields) that reach one engine in the same moment."""
    return asyncio.run(_at_once(fleet, events))


async def _at_once(fleet: Fleet, events: tuple[tuple[str, str, dict[str, Any]], ...]) -> list[Answer]:
    engine = open_engine(fleet.setting.home)
    try:
        return list(await asyncio.gather(*(_one(fleet, engine, *event) for event in events)))
    finally:
        await engine.close()


def in_turn(fleet: Fleet, *events: tuple[str, str, dict[str, Any]]) -> list[Answer]:
    """The same one after another, by an engine that remembers what it has read."""

    async def work() -> list[Answer]:
        engine = open_engine(fleet.setting.home)
        try:
            return [await _one(fleet, engine, *event) for event in events]
        finally:
            await engine.close()

    return asyncio.run(work())


async def _one(fleet: Fleet, engine: Engine, name: str, agent: str, fields: dict[str, Any]) -> Answer:
    payload = fleet.params(name, **{**HOOKS[METHODS[name]], **fields})
    request = fleet.setting.raw(name, json.dumps(payload).encode())
    if agent:
        request.env["AGENT_ID"] = agent  # type: ignore[index] - a plain dict
    return await engine.answer(request)


def told(answers: list[Answer], text: str) -> int:
    return sum(text.encode() in answer.stdout for answer in answers)


def payload(fleet: Fleet, session: int, summary: str) -> None:
    left = json.dumps({"summary": summary, "lastAction": "tests", "nextSteps": ["go on"]})
    fleet.write("UPDATE sessions SET dehydration_payload = ? WHERE id = ?", left, session)
    fleet.do(EndSession(session=session))


def test_what_waits_for_the_model_is_told_once_by_calls_that_end_together(fleet: Fleet) -> None:
    """S3-116"""
    waiting = [{"ruleId": "one", "content": "first word"}, {"ruleId": "two", "content": "second word"}]
    effort = fleet.effort(metadata=json.dumps({"pendingInjections": waiting, "other": 1}))
    fleet.open(effort, host="h1")
    answers = at_once(fleet, *[("PostToolUse", "", {"tool_use_id": f"t{n}"}) for n in range(4)])
    assert (told(answers, "first word"), told(answers, "second word")) == (1, 1)
    assert json.loads(fleet.one("SELECT metadata FROM efforts")) == {"other": 1}


def test_files_to_read_are_named_once_by_calls_that_begin_together(fleet: Fleet) -> None:
    """S3-110"""
    effort = fleet.effort(metadata=json.dumps({"pendingPreloads": ["/docs/rules.md"]}))
    session = fleet.open(effort, host="h1")
    answers = at_once(fleet, *[("PreToolUse", "", {"tool_use_id": f"t{n}"}) for n in range(4)])
    assert told(answers, "/docs/rules.md") == 1
    assert fleet.heartbeat(session) == 4


def test_two_windows_that_open_in_the_same_moment_do_not_both_get_the_hand_over(fleet: Fleet) -> None:
    """S3-104, S3-107"""
    payload(fleet, fleet.open(fleet.effort(), host="h0"), "only for one")
    answers = at_once(fleet, *[("SessionStart", "", {"session_id": f"w{n}"}) for n in range(3)])
    assert told(answers, "only for one") == 1
    assert fleet.one("SELECT count(*) FROM sessions WHERE ended_at IS NULL") == 3


def test_two_windows_without_a_name_count_end_and_hand_over_for_themselves(fleet: Fleet) -> None:
    """S3-001, S3-108, S3-140, S3-146, S3-190: a session is one process of the agent, known by its id."""
    fleet.effort()
    first = fleet.call("sessionStart", session_id="w1")["sessionId"]
    for _ in range(9):
        assert fleet.call("preToolUse", session_id="w1")["allow"] is True
    second = fleet.call("sessionStart", session_id="w2")["sessionId"]
    assert fleet.call("preToolUse", session_id="w2")["heartbeatCount"] == 1
    stopped = fleet.call("preToolUse", session_id="w1")
    assert (stopped["allow"], stopped["heartbeatCount"]) == (False, 10)
    assert fleet.call("sessionEnd", session_id="w2")["sessionEnded"] is True
    assert (fleet.ended(first), fleet.ended(second)) == (False, True)
    assert fleet.call("userPrompt", session_id="w1")["sessionId"] == first
    assert (
        fleet.call("preToolUse", session_id="w1", tool_name="Bash", tool_input={"command": "synaptic effort log x"})[
            "heartbeatCount"
        ]
        == 0
    )
    caller = Caller(root=fleet.root, cwd=fleet.root, who=WorkerIdentity(host="w1", kind="claude"))
    left = asyncio.run(Dehydrate(payload=PAYLOAD).run(CommandContext(fleet.store, caller)))
    assert left.session.id == first
    third = fleet.call("sessionStart", session_id="w3")
    assert third["dehydratedContext"]["summary"] == "half of it"
    assert broken(fleet.store) == []


def test_a_window_that_hands_over_does_not_end_the_one_beside_it(fleet: Fleet) -> None:
    """S3-190"""
    fleet.effort()
    first = fleet.call("sessionStart", session_id="w1")["sessionId"]
    fleet.call("sessionStart", session_id="w2")
    caller = Caller(root=fleet.root, cwd=fleet.root, who=WorkerIdentity(host="w3", kind="claude"))
    with pytest.raises(LayerError, match="this window has no session"):
        asyncio.run(Dehydrate(payload=PAYLOAD).run(CommandContext(fleet.store, caller)))
    payload(fleet, first, "half of it")
    assert fleet.call("stop", session_id="w1")["agentUpdated"] is True
    assert fleet.status("w1") == "attention"
    assert fleet.call("preToolUse", session_id="w2")["heartbeatCount"] == 1


def test_a_nested_agent_below_another_one_moves_nothing_of_it(fleet: Fleet) -> None:
    """S3-011, S3-071: `claude -p` in a tool call has the name of the agent around it, and an id of its own."""
    fleet.bind("A", fleet.effort())
    outer = fleet.call("sessionStart", agent="A", session_id="w1")["sessionId"]
    for name, fields in (
        ("SessionStart", {"source": "startup"}),
        ("PreToolUse", {}),
        ("PostToolUse", {}),
        ("SessionEnd", {"reason": "other"}),
    ):
        sent = fleet.params(name, **{**HOOKS[METHODS[name]], **fields, "session_id": "w2"})
        request = fleet.setting.raw(name, json.dumps(sent).encode())
        request.env["AGENT_ID"] = "A"  # type: ignore[index] - a plain dict
        fleet.setting.answer(msgspec.structs.replace(request, stranger="process 7 above it is claude"))
    assert not fleet.ended(outer)
    assert (fleet.heartbeat(outer), fleet.one("SELECT count(*) FROM sessions")) == (0, 1)
    assert fleet.one("SELECT host_session FROM agents WHERE id = 'A'") == "w1"
    assert fleet.call("preToolUse", agent="A", session_id="w1")["heartbeatCount"] == 1


def test_a_window_without_a_name_does_not_come_between_an_agent_and_its_hand_over(fleet: Fleet) -> None:
    """S3-071, S3-104, S3-191: the newest session of the effort is somebody else's."""
    effort = fleet.effort()
    fleet.bind("A", effort)
    mine = fleet.open(effort, host="a1", agent="A")
    theirs = fleet.call("sessionStart", session_id="u1")["sessionId"]
    payload(fleet, mine, "what A left")
    started = fleet.call("sessionStart", agent="A", session_id="a2")
    assert started["dehydratedContext"]["summary"] == "what A left"
    assert fleet.one("SELECT prev_session_id FROM sessions WHERE id = ?", started["sessionId"]) == mine
    assert not fleet.ended(theirs)


def test_the_late_end_of_an_old_window_says_nothing_about_the_agent_in_its_new_one(fleet: Fleet) -> None:
    """S3-108"""
    fleet.bind("A", fleet.effort())
    fleet.event("SessionStart", agent="A", session_id="w1", source="startup")
    fleet.event("SessionStart", agent="A", session_id="w2", source="clear")
    fleet.event("UserPromptSubmit", agent="A", session_id="w2", prompt="go")
    answer = fleet.call("sessionEnd", agent="A", session_id="w1", reason="clear")
    assert (answer["sessionEnded"], answer["agentUpdated"]) == (False, False)
    assert (fleet.status("A"), fleet.one("SELECT host_session FROM agents")) == ("working", "w2")
    assert fleet.call("sessionEnd", agent="A", session_id="w2")["agentUpdated"] is True
    assert fleet.status("A") == "done"


def test_a_window_that_has_claimed_a_session_is_not_ended_by_another_that_saw_it_free(fleet: Fleet) -> None:
    """S3-108: a person has started the effort, two windows were open already."""
    session = fleet.open(fleet.effort())
    in_turn(
        fleet,
        ("PostToolUse", "", {"session_id": "w2", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ("PreToolUse", "", {"session_id": "w1"}),
        ("SessionEnd", "", {"session_id": "w2"}),
    )
    assert fleet.one("SELECT host_session FROM sessions") == "w1"
    assert not fleet.ended(session)


def test_a_call_by_name_claims_a_free_session_as_the_agents_own_event_does(fleet: Fleet) -> None:
    """S3-008: one code path."""
    fleet.open(fleet.effort())
    fleet.call("preToolUse", session_id="w1")
    assert fleet.one("SELECT host_session FROM sessions") == "w1"


def test_a_window_that_ends_takes_the_sessions_of_its_sub_agents_with_it(fleet: Fleet) -> None:
    """S3-108, S3-130: a sub-agent that was interrupted with its window tells nobody that it has ended."""
    effort = fleet.effort()
    main = fleet.call("sessionStart")["sessionId"]
    sub = fleet.call("subagentStart", agent_id="s1")["sessionId"]
    other = fleet.open(effort, host="h9", subagent="s9")
    fleet.call("postToolUse", agent_id="s1", tool_input={"file_path": "/home/dev/read.py"})
    assert fleet.call("sessionEnd")["sessionEnded"] is True
    assert (fleet.ended(main), fleet.ended(sub), fleet.ended(other)) == (True, True, False)
    assert fleet.one("SELECT loaded_files FROM efforts") == '["/home/dev/read.py"]'


def test_the_transcript_of_another_window_says_nothing_about_this_one(fleet: Fleet, tmp_path: Path) -> None:
    """S3-146, S3-147"""
    full, empty = tmp_path / "full.jsonl", tmp_path / "empty.jsonl"
    full.write_bytes(line(184_000))
    empty.write_bytes(line(20_000))
    fleet.effort()
    fleet.call("sessionStart", session_id="w1", transcript_path=str(full))
    session = fleet.call("sessionStart", session_id="w2", transcript_path=str(empty))["sessionId"]
    answer = fleet.call("preToolUse", session_id="w1", transcript_path=str(full))
    assert (answer["contextUsage"], answer["overflowWarning"], answer["heartbeatCount"]) == (0.92, True, 1)
    assert fleet.one("SELECT context_usage FROM sessions WHERE id = ?", session) is None
    mine = fleet.call("preToolUse", session_id="w2", transcript_path=str(empty))
    assert (mine["contextUsage"], mine["overflowWarning"]) == (0.1, False)


def test_a_call_that_could_not_be_judged_is_not_counted_for_ever(fleet: Fleet, monkeypatch) -> None:
    """S3-140: what is in flight counts only while it is."""
    session = fleet.open(fleet.effort(), host="h1")

    async def work() -> int:
        engine = open_engine(fleet.setting.home)
        try:
            with monkeypatch.context() as broken:
                broken.setattr(walk, "amend_decision", _fails)
                assert b'"permissionDecision":"ask"' in (await _one(fleet, engine, "PreToolUse", "", {})).stdout
            return len(engine.means.reservations)
        finally:
            await engine.close()

    assert asyncio.run(work()) == 0
    assert fleet.heartbeat(session) == 0


def _fails(*given: object) -> None:
    raise RuntimeError("a bug")


def test_who_goes_on_after_the_end_of_a_turn_is_working(fleet: Fleet) -> None:
    """S3-231: a hook may keep an agent from stopping; what it does then is work."""
    fleet.bind("A", fleet.effort())
    fleet.call("sessionStart", agent="A")
    fleet.call("stop", agent="A")
    assert fleet.status("A") == "done"
    fleet.call("postToolUse", agent="A")
    assert fleet.status("A") == "working"
    fleet.call("sessionEnd", agent="A")
    fleet.call("postToolUse", agent="A")
    assert fleet.status("A") == "done", "a late word of a window that has ended"


def test_a_heartbeat_of_the_past_does_not_come_back(fleet: Fleet) -> None:
    """S3-140: a session that has ended is not counted on."""
    session = fleet.open(fleet.effort(), host="h1")
    fleet.do(EndSession(session=session), Beat(session=session))
    assert fleet.heartbeat(session) == 0


def test_who_has_handed_over_is_started_again_when_its_turn_ends(fleet: Fleet) -> None:
    """S3-190, S3-191, S3-240: the effort goes on without somebody who notices; and it does so once."""
    effort = fleet.effort()
    fleet.bind("A", effort)
    session = fleet.call("sessionStart", agent="A", session_id="w1")["sessionId"]
    held = lease.take_lease(fleet.setting.home.root, "A")
    assert held is not None
    assert fleet.call("stop", agent="A", session_id="w1")["restartRequested"] is False
    payload(fleet, session, "half of it")
    assert fleet.call("stop", agent="A", session_id="w0")["restartRequested"] is False, "not its own"
    assert fleet.call("stop", agent="A", session_id="w1")["restartRequested"] is True
    assert fleet.one("SELECT restart_prompt FROM agents WHERE id = 'A'").startswith("Go on with the effort")
    assert fleet.call("sessionStart", agent="A", session_id="w2")["dehydratedContext"]["summary"] == "half of it"
    assert fleet.call("stop", agent="A", session_id="w2")["restartRequested"] is False
    os.close(held)


def test_who_has_handed_over_without_a_supervisor_waits_for_somebody(fleet: Fleet) -> None:
    """S3-190"""
    fleet.effort()
    payload(fleet, fleet.call("sessionStart")["sessionId"], "half of it")
    assert fleet.call("stop")["restartRequested"] is False
    assert fleet.status() == "attention"
    assert "clear its context" in fleet.one("SELECT note FROM agents")


@pytest.mark.parametrize("other", ["B", ""])
def test_who_has_no_window_of_an_agents_effort_does_not_move_that_agents_heartbeat(fleet: Fleet, other: str) -> None:
    """S3-072, S3-111: B's effort is finished, or a window was open before; A's is the newest, and A's alone."""
    theirs, mine = fleet.effort(task="other"), fleet.effort()
    fleet.bind("B", theirs)
    fleet.bind("A", mine)
    session = fleet.call("sessionStart", agent="A", session_id="a1")["sessionId"]
    fleet.finish(theirs)
    answers = [fleet.call("preToolUse", agent=other, session_id="b1") for _ in range(12)]
    assert all(answer["allow"] for answer in answers)
    assert fleet.call("userPrompt", agent=other, session_id="b1")["effortId"] == mine
    assert fleet.heartbeat(session) == 0
    assert fleet.call("preToolUse", agent="A", session_id="a1")["heartbeatCount"] == 1


@pytest.mark.parametrize("successor", ["claude-2", ""])
def test_what_an_agent_with_a_made_up_name_left_is_for_whoever_comes_next(fleet: Fleet, successor: str) -> None:
    """S3-072, S3-104: `synaptic run` gives it another name the next time."""
    effort = fleet.effort()
    charge = SupervisedAgent(agent="claude-1", pid=1, chosen=False)
    supervision.begin_supervision(fleet.store, charge, "working", 1.0)
    fleet.bind("claude-1", effort)
    first = fleet.call("sessionStart", agent="claude-1", session_id="w1")["sessionId"]
    payload(fleet, first, "half of it")
    while_it_lives = fleet.call("sessionStart", agent="claude-9", session_id="w9")
    assert while_it_lives["dehydratedContext"] is None
    fleet.call("sessionEnd", agent="claude-9", session_id="w9")
    supervision.end_supervision(fleet.store, charge, "done", "", 2.0)
    fleet.write("DELETE FROM agents WHERE id = 'claude-9'")
    fleet.write("DELETE FROM sessions WHERE fleet_agent = 'claude-9'")
    started = fleet.call("sessionStart", agent=successor, session_id="w2")
    assert started["dehydratedContext"]["summary"] == "half of it"
    assert fleet.one("SELECT prev_session_id FROM sessions WHERE id = ?", started["sessionId"]) == first
    assert fleet.call("sessionStart", agent=successor, session_id="w3")["dehydratedContext"] is None


@pytest.mark.parametrize(("host", "ended"), [("h2", True), ("h1", False)])
def test_a_new_window_ends_the_sub_agents_of_the_one_before_it(fleet: Fleet, host: str, ended: bool) -> None:
    """S3-103, S3-130: also of one that has handed over; the same window, compacted, keeps those that still run."""
    fleet.effort()
    main = fleet.call("sessionStart")["sessionId"]
    sub = fleet.call("subagentStart", agent_id="s1")["sessionId"]
    payload(fleet, main, "half of it")
    fleet.write("UPDATE sessions SET ended_at = NULL WHERE id = ?", sub)
    fleet.call("sessionStart", session_id=host, source="compact")
    assert fleet.ended(sub) is ended


def test_an_effort_that_ends_inside_of_another_leaves_the_others_sub_agents_alone(fleet: Fleet) -> None:
    """S3-130"""
    outer = fleet.effort(task="outer")
    fleet.call("sessionStart")
    sub = fleet.call("subagentStart", agent_id="s1")["sessionId"]
    inner = fleet.open(fleet.effort(task="inner"), host="h1")
    fleet.do(EndSession(session=inner))
    assert (fleet.ended(inner), fleet.ended(sub)) == (True, False)
    assert fleet.one("SELECT effort_id FROM sessions WHERE id = ?", sub) == outer


def test_what_a_coordinator_should_hear_follows_it_into_its_next_window(fleet: Fleet) -> None:
    """S3-126, S3-235: told once, in the window that it has by then."""
    fleet.event("SessionStart", agent="boss", session_id="b1", source="startup")
    fleet.do(Signal(agent="boss", text="W2 of the team shop is idle."))
    fleet.event("SessionStart", agent="boss", session_id="b2", source="startup")
    answers = [fleet.event("UserPromptSubmit", agent="boss", session_id="b2", prompt="go") for _ in range(2)]
    assert [b"W2 of the team" in answer.stdout for answer in answers] == [True, False]


def test_nobody_stays_on_an_effort_that_is_finished(fleet: Fleet) -> None:
    """S3-003: neither by its end, nor by a word that was on its way then."""
    effort = fleet.effort()
    fleet.bind("A", effort)
    session = fleet.call("sessionStart", agent="A")["sessionId"]
    efforts.finish_effort(fleet.store, effort, None, 1e10)
    fleet.do(SetStatus(agent="A", status="working", named=True, effort=effort))
    assert fleet.ended(session)
    assert broken(fleet.store) == []
    assert fleet.one("SELECT effort_id FROM agents WHERE id = 'A'") is None
    assert fleet.call("preToolUse", agent="A")["allow"] is True
