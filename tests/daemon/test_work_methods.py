"""Efforts and the rest over a real socket."""

import json
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.setting import Setting
from tests.store.efforts_kit import TABLES

PAYLOAD = {"summary": "s", "lastAction": "l", "nextSteps": ["n"]}
SKILL = '```json\n{"phases": ["0: Setup", "1: Build", "2: Check"], "nextSkills": ["test"]}\n```\n'


class Line:
    """A program on the daemon's socket, in its project."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.root = setting.project
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(20)
        self.socket.connect(str(setting.home.socket))
        self.file = self.socket.makefile("rb")

    def ask(self, cmd: str, env: object = None, **args: object) -> dict:
        request = {"cmd": cmd, "args": args, "env": {"CWD": str(self.root), **(env or {})}}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(self.file.readline())

    def get(self, cmd: str, env: object = None, **args: object):
        answer = self.ask(cmd, env, **args)
        assert answer["ok"], answer
        return answer["data"]

    def code(self, cmd: str, env: object = None, **args: object) -> str:
        answer = self.ask(cmd, env, **args)
        assert not answer["ok"]
        assert answer["message"]
        return answer["error"]

    def rows(self) -> dict[str, list]:
        with sqlite3.connect(self.setting.home.database) as other:
            return {name: other.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES}


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setting]:
    """One daemon for all of them; every test has a project of its own."""
    patch = pytest.MonkeyPatch()
    setting = Setting(tmp_path_factory.mktemp("d"))
    patch.setenv("HOME", str(setting.user))
    setting.config('presets = ["essentials", "fleet"]\n')
    setting.start()
    yield setting
    setting.close()
    patch.undo()


@pytest.fixture
def line(started: Setting, tmp_path: Path) -> Iterator[Line]:
    file = tmp_path / "project/.claude/skills/build/SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(SKILL)
    made = Line(started)
    made.root = tmp_path / "project"
    yield made
    made.file.close()
    made.socket.close()


def start(line: Line, **args: object) -> dict:
    return line.get("effort.start", **{"task": "t", "skill": "build", **args})


def test_every_method_is_there(line: Line):
    """S3-049"""
    wanted = """effort.start effort.phase effort.log effort.finish effort.resume effort.show effort.dehydrate
        effort.updateMetadata effort.list session.finish session.list session.show task.list task.show agents.register
        agents.updateStatus agents.list agents.findByEffort messages.list skills.list skills.cache"""
    assert set(wanted.split()) <= set(line.get("rpc.methods"))


def test_an_effort_from_start_to_end(line: Line):
    """S3-195, S3-200, S3-203, S3-205, S3-D06, S3-D09: a compound command is one transaction over the socket"""
    begun = start(line, keywords=["k"], title="T", blockAfter=4)
    number = begun["effortId"]
    assert begun["taskDir"] == f"{line.root}/.tasks/t"
    assert (begun["resumed"], begun["ordinal"], begun["blockAfter"]) == (False, 1, 4)
    assert begun["logPath"] in begun["text"]
    again = start(line)
    assert (again["effortId"], again["resumed"]) == (number, True)
    assert line.get("effort.phase", phase="0: Setup")["phase"] == "0: Setup"
    assert line.code("effort.phase", phase="2: Check") == "PHASE_NOT_SEQUENTIAL"
    moved = line.get("effort.phase", phase="2: Check", reason="r", proof={"a": 1})
    assert (moved["phase"], moved["previousPhase"]) == ("2: Check", "0: Setup")
    assert line.get("effort.log", text="## Did")["logPath"] == begun["logPath"]
    assert Path(begun["logPath"]).read_text().startswith("## [")
    changed = line.get("effort.updateMetadata", set={"a": 1}, remove=["blockAfter"])
    assert (changed["metadata"]["a"], changed["blockAfter"]) == (1, 10)
    shown = line.get("effort.show")
    assert [one["phase"] for one in shown["history"]] == ["0: Setup", "2: Check"]
    assert shown["history"][1]["proof"] == {"a": 1}
    assert shown["artifacts"] == [begun["logPath"]]
    assert [one["effortId"] for one in line.get("effort.list")] == [number]
    assert line.get("effort.finish", keywords=["x", "y"])["lifecycle"] == "finished"
    assert line.get("effort.list") == []
    assert [one["effortId"] for one in line.get("effort.list", all=True)] == [number]
    assert line.code("effort.finish", effortId=number) == "ALREADY_FINISHED"
    assert line.code("effort.phase", effortId=number, phase="2.A: X") == "EFFORT_FINISHED"
    assert line.code("effort.log", effortId=number, text="x") == "EFFORT_FINISHED"
    (task,) = line.get("task.list")
    assert (task["keywords"], task["active"], task["title"]) == (["x", "y"], False, "T")


def test_a_log_sets_the_heartbeat_of_the_hooks_back(line: Line):
    """S3-143, S3-D09"""
    start(line)
    call = {"session_id": "w1", "cwd": str(line.root), "tool_name": "Read", "tool_input": {"file_path": "a"}}
    for _ in range(3):
        line.get("hooks.preToolUse", **call)
    assert line.get("session.list")[0]["heartbeat"] == 3
    line.get("effort.log", text="x")
    assert line.get("session.list")[0]["heartbeat"] == 0
    line.get("hooks.preToolUse", **call)
    line.get("effort.phase", phase="0")
    assert line.get("hooks.preToolUse", **call)["heartbeatCount"] == 1


@pytest.mark.parametrize("name", ["dehydration_payload", "dehydrationPayload"])
def test_a_session_is_finished_with_the_payload_by_its_documented_name(line: Line, name: str):
    """S3-190"""
    session = start(line)["sessionId"]
    assert line.code("session.finish", sessionId=session, payloads=PAYLOAD) == "VALIDATION_ERROR"
    assert line.get("session.show", sessionId=session)["endedAt"] is None
    ended = line.get("session.finish", session_id=session, **{name: PAYLOAD})
    assert (ended["dehydrationPayload"], ended["endedAt"] is None) == (PAYLOAD, False)


def test_an_effort_is_found_through_a_link_to_its_project(line: Line, tmp_path: Path):
    """S3-070, S3-075: whichever of the two names it was begun with"""
    link = tmp_path / "link"
    link.symlink_to(line.root)
    begun = line.get("effort.start", {"CWD": str(link)}, task="t", skill="build")
    assert begun["taskDir"] == f"{line.root}/.tasks/t"
    assert line.get("effort.show", cwd=f"{link}/.claude")["effortId"] == begun["effortId"]
    call = {"session_id": "w1", "tool_name": "Read", "tool_input": {"file_path": "a"}}
    assert line.get("hooks.preToolUse", cwd=str(link), **call)["heartbeatCount"] == 1
    assert line.get("hooks.preToolUse", cwd=str(line.root), **call)["heartbeatCount"] == 2


def test_a_hand_over_reaches_the_next_window(line: Line):
    """S3-190, S3-194, S3-206"""
    begun = start(line)
    session = begun["sessionId"]
    assert line.code("effort.dehydrate", payload={"summary": "s"}) == "VALIDATION_ERROR"
    assert line.code("session.finish", sessionId=session, payload="text") == "VALIDATION_ERROR"
    assert line.get("session.show", sessionId=session)["endedAt"] is None
    left = line.get("effort.dehydrate", payload={**PAYLOAD, "requiredFiles": ["/home/u/.ssh/id_rsa"]})
    assert (left["sessionId"], left["dehydrationPayload"]) == (session, PAYLOAD)
    assert "id_rsa left out" in left["warnings"][0]
    assert line.code("session.finish", sessionId=session) == "ALREADY_ENDED"
    assert line.code("session.finish", sessionId=10**6) == "NOT_FOUND"
    told = line.get("hooks.sessionStart", session_id="w2", cwd=str(line.root), source="startup")
    assert told["dehydratedContext"] == PAYLOAD
    assert told["sessionId"] != session
    resumed = line.get("effort.resume", dirPath=f"{line.root}/.tasks/t")
    assert (resumed["dehydration"], resumed["prevSessionId"]) == (None, told["sessionId"])
    finished = line.get("session.finish", sessionId=resumed["sessionId"], payload=PAYLOAD)
    assert finished["dehydrationPayload"] == PAYLOAD
    assert line.get("effort.resume", dirPath=f"{line.root}/.tasks/t")["dehydration"] == PAYLOAD


def test_an_agent_finds_its_effort_again_after_its_window_has_ended(line: Line):
    """S3-206, S3-D11"""
    env = {"AGENT_ID": f"agent-of-{line.root}"}
    begun = line.get("effort.start", env, task="t", skill="build")
    line.get("session.finish", sessionId=begun["sessionId"], payload=PAYLOAD)
    resumed = line.get("effort.resume", agentId=env["AGENT_ID"])
    assert (resumed["effortId"], resumed["resumed"]) == (begun["effortId"], True)
    assert resumed["dehydration"] == PAYLOAD
    assert resumed["nextSkills"] == ["test"]
    assert line.get("session.show", sessionId=resumed["sessionId"])["agentId"] == env["AGENT_ID"]
    assert line.code("effort.resume") == "VALIDATION_ERROR"
    assert line.code("effort.resume", agentId="ghost") == "NOT_FOUND"
    assert line.code("effort.resume", dirPath="/nowhere") == "TASK_NOT_FOUND"
    line.get("effort.finish", effortId=begun["effortId"])
    assert line.code("effort.resume", agentId=env["AGENT_ID"]) == "NO_ACTIVE_EFFORT"


def test_the_agent_of_a_request_is_its_own(line: Line):
    """S3-046, S3-071"""
    a, b = ({"AGENT_ID": f"{name}-{line.root}"} for name in "ab")
    one = line.get("effort.start", a, task="one", skill="build")["effortId"]
    two = line.get("effort.start", b, task="two", skill="build")["effortId"]
    assert line.get("effort.show", a)["effortId"] == one
    assert line.get("effort.show", b)["effortId"] == two
    assert line.get("effort.show")["effortId"] == two
    assert line.get("effort.show", {"AGENT_ID": "default"})["effortId"] == two
    assert line.get("agents.findByEffort", effortId=one)["agentId"] == a["AGENT_ID"]


def test_agents_are_registered_and_say_what_they_do(line: Line):
    """S3-208, S3-D10"""
    name = f"agent-{line.root}"
    made = line.get("agents.register", id=name, label="L", targetedClaims=["src"], status="working")
    assert (made["label"], made["status"]) == ("L", "working")
    assert '["src"]' in next(row for row in line.rows()["agents"] if row[0] == name), "an argument must not get lost"
    assert line.get("agents.updateStatus", agentId=name, status="checked")["status"] == "checked"
    assert line.code("agents.updateStatus", agentId=name, status="sleepy") == "VALIDATION_ERROR"
    assert line.code("agents.updateStatus", agentId="ghost", status="done") == "NOT_FOUND"
    assert name in [one["agentId"] for one in line.get("agents.list")]
    begun = start(line)
    assert line.get("agents.findByEffort", effortId=begun["effortId"]) is None


def test_messages_of_a_session(line: Line):
    """S3-181"""
    session = start(line)["sessionId"]
    for tool in ("Bash", "Read", "Write"):
        line.get(
            "hooks.postToolUseFailure",
            session_id="w1",
            cwd=str(line.root),
            tool_name=tool,
            tool_input={},
            error="broke",
        )
    found = line.get("messages.list", sessionId=session, limit=2)
    assert [one["toolName"] for one in found] == ["Bash", "Read"]
    assert line.code("messages.list", sessionId=10**6) == "NOT_FOUND"
    assert line.code("messages.list", sessionId=session, limit=-1) == "VALIDATION_ERROR"


def test_tasks_and_sessions_are_listed(line: Line):
    """S3-004"""
    assert line.get("task.list") == line.get("session.list") == line.get("effort.list") == []
    begun = start(line)
    (task,) = line.get("task.list", cwd=f"{line.root}/.claude")
    assert task["active"] is True
    assert line.get("task.show", dirPath=task["taskDir"])["effortList"][0]["effortId"] == begun["effortId"]
    assert line.code("task.show", dirPath="/nowhere") == "TASK_NOT_FOUND"
    assert [one["sessionId"] for one in line.get("session.list")] == [begun["sessionId"]]
    line.get("session.finish", sessionId=begun["sessionId"])
    assert line.get("session.list", effortId=begun["effortId"]) == []
    assert len(line.get("session.list", effortId=begun["effortId"], all=True)) == 1
    assert len(line.get("task.list", all=True)) >= 1


def test_skills_are_kept_and_what_is_missing_is_counted(line: Line):
    """S3-210"""
    found = line.get("skills.list")
    assert [one["name"] for one in found["skills"]] == ["build"]
    good = f"{line.root}/.claude/skills/build/SKILL.md"
    kept = line.get("skills.cache", paths=[good, f"{line.root}/missing/SKILL.md"])
    assert (kept["cached"], len(kept["errors"])) == (1, 1)
    assert line.get("skills.cache")["cached"] == 1


def test_bad_input_is_answered_with_its_code_and_writes_nothing(line: Line):
    before = line.rows()
    for cmd, args, word in (
        ("effort.start", {"skill": "build"}, "VALIDATION_ERROR"),
        ("effort.start", {"task": "t", "skill": "../x"}, "VALIDATION_ERROR"),
        ("effort.start", {"task": "/etc", "skill": "build"}, "VALIDATION_ERROR"),
        ("effort.start", {"task": "t", "skill": "build", "cwd": "relative"}, "VALIDATION_ERROR"),
        ("effort.start", {"task": "t", "skill": "build", "blockAfter": "x"}, "VALIDATION_ERROR"),
        ("effort.phase", {"phase": "1"}, "NO_ACTIVE_EFFORT"),
        ("effort.log", {"text": "x"}, "NO_ACTIVE_EFFORT"),
        ("effort.show", {}, "NO_ACTIVE_EFFORT"),
        ("effort.finish", {"effortId": 10**6}, "NOT_FOUND"),
        ("effort.dehydrate", {"payload": PAYLOAD}, "NO_ACTIVE_EFFORT"),
        ("effort.dehydrate", {"payload": {**PAYLOAD, "summary": "x" * (1 << 20)}}, "PAYLOAD_TOO_LARGE"),
        ("effort.updateMetadata", {"effortId": 10**6, "set": {"a": 1}}, "NOT_FOUND"),
        ("session.list", {"effortId": 10**6}, "NOT_FOUND"),
    ):
        assert line.code(cmd, **args) == word, cmd
    assert line.rows() == before


def test_an_effort_is_bound_to_the_project_of_its_folder(line: Line, started: Setting):
    assert line.code("effort.start", task="t", skill="x", cwd=str(started.user)) == "VALIDATION_ERROR"
    (line.root / "src/deep").mkdir(parents=True)
    assert start(line, cwd=f"{line.root}/src/deep")["taskDir"] == f"{line.root}/.tasks/t"
