"""The state layers through the real daemon: methods on the socket, events through `dispatch`, one code for both."""

import json
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from synaptic.daemon import client
from synaptic.store import lease
from tests.daemon.fleet import HOOKS, Fleet, line
from tests.daemon.setting import Setting, output, specific

LOG = {"tool_name": "Bash", "tool_input": {"command": "printf 'done' | synaptic effort log"}, "tool_use_id": "t"}


@pytest.fixture
def fleet(setting: Setting) -> Iterator[Fleet]:
    made = Fleet(setting)
    yield made
    made.store.close()


@pytest.fixture
def served(fleet: Fleet) -> Fleet:
    """The same with a daemon."""
    fleet.setting.install()
    fleet.setting.start()
    return fleet


def dispatched(fleet: Fleet, event: str, agent: str = "", **fields: object) -> dict:
    """Through the installed program, with the environment of the agent."""
    env = {"HOME": str(fleet.setting.user), "PATH": os.environ["PATH"]}
    env |= {"AGENT_ID": agent} if agent else {}
    payload = json.dumps({**fleet.params(event), **_tool(event), **fields}).encode()
    command = [fleet.setting.home.dispatch, "claude", event]
    done = subprocess.run(command, input=payload, capture_output=True, env=env, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout) if done.stdout else {}


def _tool(event: str) -> dict:
    return {"tool_name": "Read", "tool_input": {"file_path": "/x"}, "tool_use_id": "t"} if "Tool" in event else {}


def test_all_fifteen_answer_on_the_socket_one_line_each(served: Fleet) -> None:
    """S3-008, S3-009, S3-040, S3-041, S3-100, S3-D03"""
    requests = [{"cmd": f"hooks.{name}", "args": {**served.params(name), "cwd": "/nonexistent"}} for name in HOOKS]
    with line(served.setting) as ask:
        answers = ask(*requests)
        assert [answer["ok"] for answer in answers] == [True] * 15
        assert "deny" not in json.dumps(answers)
        [unknown, missing] = ask({"cmd": "hooks.userPromptSubmit"}, {"cmd": "hooks.sessionStart", "args": {"cwd": "/"}})
        assert (unknown["error"], missing["error"]) == ("UNKNOWN_COMMAND", "VALIDATION_ERROR")
        assert "source: is required" in missing["details"]["issues"]


def test_requests_that_interleave_never_see_each_others_environment(served: Fleet) -> None:
    """S3-046, S3-D07"""
    efforts = {name: served.effort(task=name) for name in ("a", "b", "c", "d")}
    for name, effort in efforts.items():
        served.bind(name, effort)
    request = {"cmd": "hooks.userPrompt", "args": served.params("userPrompt")}

    def many(name: str) -> set[int]:
        with line(served.setting) as ask:
            wanted = [{**request, "env": {"AGENT_ID": name, "PATH": "/x"}} for _ in range(25)]
            return {answer["data"]["effortId"] for answer in ask(*wanted)}

    with ThreadPoolExecutor(4) as pool:
        found = dict(zip(efforts, pool.map(many, efforts), strict=True))
    assert found == {name: {effort} for name, effort in efforts.items()}
    with line(served.setting) as ask:
        mixed = [{"AGENT_ID": "a"}, {"AGENT_ID": 7}, "nonsense", {"AGENT_ID": "b"}, None, {"AGENT_ID": "default"}]
        answers = ask(*({**request, "env": env} for env in mixed))
    latest = efforts["d"]
    wanted = [efforts["a"], latest, latest, efforts["b"], latest, latest]
    assert [answer["data"]["effortId"] for answer in answers] == wanted


def test_json_rpc_documents_are_lines_too(served: Fleet) -> None:
    """S3-040, S3-046"""
    effort = served.effort()
    served.effort(task="newer")
    served.bind("a", effort)
    document = {"jsonrpc": "2.0", "id": 7, "method": "hooks.userPrompt", "params": served.params("userPrompt")}
    with line(served.setting) as ask:
        [answer] = ask({**document, "env": {"AGENT_ID": "a"}})
    assert (answer["id"], answer["result"]["effortId"]) == (7, effort)


def test_the_daemon_reads_the_transcript_that_a_request_names(served: Fleet, tmp_path: Path) -> None:
    """S3-146, S3-D02, S3-D07"""
    session = served.open(served.effort(), host="h1")
    transcript = tmp_path / "t.jsonl"
    request = {"cmd": "hooks.preToolUse", "args": served.params("preToolUse", transcript_path=str(transcript))}
    seen = []
    with line(served.setting) as ask:
        for tokens in (100_000, 179_000, 180_000):
            usage = {"input_tokens": tokens, "output_tokens": 0}
            message = {"type": "assistant", "message": {"model": "claude-sonnet-4-5", "usage": usage}}
            with transcript.open("a") as file:
                file.write(json.dumps(message) + "\n")
            [answer] = ask(request)
            seen.append((answer["data"]["contextUsage"], answer["data"]["overflowWarning"]))
    assert seen == [(0.5, False), (0.895, False), (0.9, True)]
    assert served.one("SELECT context_usage FROM sessions WHERE id = ?", session) == 0.9


def test_the_command_line_says_who_asks(served: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3-046, S3-D08"""
    effort = served.effort()
    served.effort(task="newer")
    served.bind("a", effort)
    monkeypatch.setenv("AGENT_ID", "a")
    monkeypatch.chdir(served.root)
    answer = client.call_rpc(served.setting.home, "hooks.userPrompt", served.params("userPrompt"))
    assert isinstance(answer, dict)
    assert answer["effortId"] == effort


def test_events_and_methods_are_one(served: Fleet) -> None:
    """S3-008, S3-140, S3-141, S3-D08: what a method counts, an event of the agent goes on with."""
    session = served.open(served.effort(), host="h1")
    request = {"cmd": "hooks.preToolUse", "args": served.params("preToolUse")}
    with line(served.setting) as ask:
        assert [answer["data"]["heartbeatCount"] for answer in ask(*[request] * 5)] == [1, 2, 3, 4, 5]
        assert [dispatched(served, "PreToolUse") for _ in range(4)] == [{}] * 4
        stopped = dispatched(served, "PreToolUse")["hookSpecificOutput"]
        assert stopped["permissionDecision"] == "deny"
        assert stopped["permissionDecisionReason"].startswith("heartbeat-block: 10/10")
        [blocked] = ask(request)
        assert (blocked["data"]["allow"], blocked["data"]["heartbeatCount"]) == (False, 11)
        assert dispatched(served, "PreToolUse", **LOG) == {}
        assert served.heartbeat(session) == 0
        [free] = ask(request)
        assert (free["data"]["allow"], free["data"]["heartbeatCount"]) == (True, 1)


def test_the_agents_own_events_open_tell_and_end(served: Fleet) -> None:
    """S3-006, S3-046, S3-071, S3-103, S3-108, S3-122, S3-231, S3-D08: AGENT_ID comes with the event."""
    first, second = served.effort(), served.effort(task="other")
    served.bind("A", first)
    served.bind("B", second)
    told = dispatched(served, "SessionStart", "A", source="startup")["hookSpecificOutput"]["additionalContext"]
    assert f"Session: {served.root}/.tasks/cart |" in told
    told = dispatched(served, "SessionStart", "B", source="startup", session_id="h2")
    assert f"Session: {served.root}/.tasks/other |" in told["hookSpecificOutput"]["additionalContext"]
    prompted = dispatched(served, "UserPromptSubmit", "A", prompt="go on")["hookSpecificOutput"]["additionalContext"]
    assert "Heartbeat: 0/10" in prompted
    dispatched(served, "Notification", "B", session_id="h2", message="waits", notification_type="idle_prompt")
    assert (served.status("A"), served.status("B")) == ("working", "attention")
    dispatched(served, "SessionEnd", "A", reason="other")
    assert (served.status("A"), served.status("B")) == ("done", "attention")
    sql = "SELECT group_concat(effort_id || ':' || (ended_at IS NOT NULL)) FROM (SELECT * FROM sessions ORDER BY id)"
    assert served.one(sql) == f"{first}:1,{second}:0"


def test_a_sub_agents_events_do_not_move_its_parents_heartbeat(served: Fleet) -> None:
    """S3-011, S3-145, S3-D04"""
    parent = served.open(served.effort(), host="h1")
    told = dispatched(served, "SubagentStart", agent_id="sub1", agent_type="Explore")
    assert "2_" not in told["hookSpecificOutput"]["additionalContext"]
    assert "1_IMPLEMENT_LOG.md" in told["hookSpecificOutput"]["additionalContext"]
    for _ in range(9):
        assert dispatched(served, "PreToolUse", agent_id="sub1") == {}
    assert dispatched(served, "PreToolUse", agent_id="sub1")["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert dispatched(served, "PreToolUse") == {}
    assert served.heartbeat(parent) == 1
    dispatched(served, "SubagentStop", agent_id="sub1", agent_type="Explore")
    assert not served.ended(parent)
    assert served.count("sessions WHERE ended_at IS NULL") == 1


def test_many_calls_at_once_are_all_counted(served: Fleet) -> None:
    """S3-140"""
    session = served.open(served.effort(metadata='{"blockAfter": 1000}'), host="h1")
    request = {"cmd": "hooks.preToolUse", "args": served.params("preToolUse")}

    def ten(number: int) -> None:
        if number % 2:
            with line(served.setting) as ask:
                assert all(answer["ok"] for answer in ask(*[request] * 10))
        else:
            assert [dispatched(served, "PreToolUse") for _ in range(10)] == [{}] * 10

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(ten, range(6)))
    assert served.heartbeat(session) == 60


def test_a_call_that_is_stopped_again_and_again_stays_stopped(fleet: Fleet) -> None:
    """S3-140: the same call after ten more of them is no insistence on something forbidden."""
    fleet.open(fleet.effort(metadata='{"blockAfter": 1}'), host="h1")
    for count in range(1, 6):
        told = specific(fleet.event("PreToolUse", **_tool("PreToolUse")))
        assert told["permissionDecision"] == "deny"
        assert told["permissionDecisionReason"].startswith(f"heartbeat-block: {count}/1")
        assert "refused" not in told["permissionDecisionReason"]


def test_a_compaction_has_one_master(fleet: Fleet, tmp_path: Path) -> None:
    """S3-010, S3-109: without a supervisor the practice preserves; with one the session ends, and nothing else."""
    fleet.setting.config('presets = ["fleet", "practice"]\n')
    effort = fleet.effort()
    fleet.bind("A", effort)
    session = fleet.open(effort, host="h1", agent="A")
    preserved = Path(fleet.root, ".claude", ".preserved-context")
    kept = fleet.event("PreCompact", "A", trigger="auto")
    assert kept.stdout
    assert (preserved.exists(), fleet.ended(session)) == (True, False)
    preserved.unlink()
    held = lease.take_lease(fleet.setting.home.root, "A")
    assert held is not None
    assert output(fleet.event("PreCompact", "A", trigger="auto"))["decision"] == "block"
    assert (preserved.exists(), fleet.ended(session)) == (False, True)
    os.close(held)


def test_a_rehearsal_counts_nothing(fleet: Fleet) -> None:
    """S3-140"""
    session = fleet.open(fleet.effort(), host="h1")
    request = fleet.setting.raw("PreToolUse", json.dumps({**fleet.params("PreToolUse"), **_tool("Tool")}).encode())
    fleet.setting.rehearse(request)
    assert fleet.heartbeat(session) == 0


def test_no_event_of_a_project_without_an_effort_leaves_anything(fleet: Fleet) -> None:
    """S3-009, S3-013, S3-014"""
    for event, fields in (("SessionStart", {"source": "startup"}), ("PreToolUse", _tool("Tool")), ("Stop", {})):
        assert fleet.event(event, cwd="/nonexistent", **fields).exit == 0
    assert (fleet.count("sessions"), fleet.count("agents"), fleet.count("messages")) == (0, 0, 0)
