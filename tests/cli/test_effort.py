"""`synaptic effort` as people and agents type it."""

import io
import json
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.daemon.client import call_rpc
from tests.cli.agents_shell import shell_variables
from tests.cli.conftest import Shown, User
from tests.store.efforts_kit import TABLES

PAYLOAD = json.dumps({"summary": "s", "lastAction": "l", "nextSteps": ["n"]})
SKILL = '---\ndescription: Builds\n---\n```json\n{"phases": ["0: Setup", "1: Build", "2: Check"]}\n```\n'


class Worker:
    """A user whose project has a skill."""

    def __init__(self, user: User, patch: pytest.MonkeyPatch) -> None:
        self.user = user
        self._patch = patch
        user.writes(".claude/skills/build/SKILL.md", SKILL)

    def types(self, *words: str, stdin: str | bytes = "") -> Shown:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        return self.user.types("effort", *words)

    def gets(self, *words: str, stdin: str | bytes = ""):
        shown = self.types(*words, "--json", stdin=stdin)
        assert shown.code == 0, shown
        return shown.json

    def fails(self, *words: str, stdin: str | bytes = "") -> str:
        """The code of the error; nothing may have been written."""
        before = self.rows()
        shown = self.types(*words, "--json", stdin=stdin)
        assert shown.code == 1, shown
        assert self.rows() == before
        assert shown.json["error"]["message"]
        return shown.json["error"]["code"]

    def becomes(self, window: str, agent: str = "") -> None:
        """From now on it is the agent's shell."""
        self._patch.setenv("CLAUDECODE", "1")
        self._patch.setenv("CLAUDE_CODE_SESSION_ID", window)
        self._patch.setenv("AGENT_ID", agent)

    def rows(self) -> dict[str, list]:
        if not self.user.home.database.exists():
            return {}
        with sqlite3.connect(self.user.home.database) as other:
            return {name: other.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES}

    def sql(self, sql: str) -> None:
        with sqlite3.connect(self.user.home.database) as other:
            other.execute(sql)

    def beats(self, session: int) -> int:
        with sqlite3.connect(self.user.home.database) as other:
            return other.execute("SELECT heartbeat_counter FROM sessions WHERE id = ?", (session,)).fetchone()[0]


@pytest.fixture
def worker(user: User, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    for name in (*shell_variables(), "AGENT_ID"):
        monkeypatch.delenv(name, raising=False)
    yield Worker(user, monkeypatch)


def test_an_effort_from_start_to_end(worker: Worker):
    """S3-012, S3-195, S3-196, S3-201, S3-203, S3-205, S3-D09"""
    shown = worker.types("start", "Login Page", "--skill", "build", "--title", "A login page", "--keyword", "k")
    assert shown.code == 0
    log = worker.user.project / ".tasks/login-page/1_BUILD_LOG.md"
    assert f"Log: {log}" in shown.out
    assert "next '0: Setup' (0: Setup; 1: Build; 2: Check)" in shown.out
    assert 'synaptic config set presets \'["essentials","fleet"]\'' in shown.out
    assert worker.types("phase", "0: Setup").out == "Effort 1: phase 0: Setup, next '1: Build'\n"
    assert worker.fails("phase", "2: Check") == "PHASE_NOT_SEQUENTIAL"
    assert worker.fails("phase", "7: No") == "UNKNOWN_PHASE"
    assert worker.gets("phase", "2: Check", "--reason", "r", "--proof", '{"a": 1}')["previousPhase"] == "0: Setup"
    assert worker.types("log", "## One\n## Two").out == f"logged: {log}\n"
    assert worker.gets("log", stdin="more\n")["logPath"] == str(log)
    first, second = log.read_text().split("\n\n")
    assert first.startswith("## [20")
    assert first.endswith("] One\n## Two")
    assert second == "more\n"
    told = worker.types("show").out
    assert "2: Check (r)" in told
    assert f"- {log}" in told
    finished = worker.types("finish", "--keyword", "x", "--keyword", "y")
    assert finished.out.startswith("Effort 1 finished: build of")
    assert "1_BUILD.md" in finished.out
    assert worker.user.types("task", "show", "login-page", "--json").json["keywords"] == ["x", "y"]
    assert worker.fails("finish", "--effort", "1") == "ALREADY_FINISHED"
    assert worker.fails("finish") == "NO_ACTIVE_EFFORT"


def test_the_next_effort_is_shown_the_debriefs_that_exist(worker: Worker):
    """S3-012, S3-195"""
    worker.types("start", "t", "--skill", "brainstorm")
    worker.types("finish")
    assert "Prior debriefs: (none)" in worker.types("start", "t", "--skill", "build").out
    debrief = worker.user.writes(".tasks/t/1_BRAINSTORM.md", "x")
    again = worker.gets("start", "t", "--skill", "build")
    assert again["priorDebriefs"] == [str(debrief)]
    assert (again["resumed"], again["ordinal"]) == (True, 2)
    assert again["logPath"].endswith("/2_BUILD_LOG.md")


def test_nothing_is_said_about_a_preset_that_is_on(worker: Worker):
    worker.user.configures('presets = ["essentials", "fleet"]\n')
    assert "preset" not in worker.types("start", "t", "--skill", "build").out
    worker.user.configures('presets = ["essentials"]\n')
    shown = worker.types("start", "t", "--skill", "build", "--json")
    assert shown.json["ok"] is True
    assert "config set presets" in shown.err


def test_an_agent_that_starts_an_effort_has_a_session_of_its_window(worker: Worker):
    """S3-205, S3-007"""
    worker.becomes("w1", "main:A")
    begun = worker.gets("start", "t", "--skill", "build", "--block-after", "3")
    session = worker.user.types("session", "show", str(begun["sessionId"]), "--json").json
    assert (session["hostSession"], session["agentId"]) == ("w1", "main:A")
    agent = worker.user.types("agent", "show", "main:A", "--json").json
    assert (agent["status"], agent["kind"], agent["effortId"]) == ("working", "claude", begun["effortId"])
    again = worker.gets("start", "t", "--skill", "build")
    assert (again["sessionId"], again["newSession"]) == (begun["sessionId"], False)
    worker.becomes("w2", "main:A")
    other = worker.gets("start", "t", "--skill", "build")
    assert (other["prevSessionId"], other["newSession"]) == (begun["sessionId"], True)


def test_a_log_from_an_agents_shell_leaves_the_heartbeat_to_its_event(worker: Worker):
    """S3-145: from a shell a sub-agent looks like its parent"""
    session = worker.gets("start", "t", "--skill", "build")["sessionId"]
    worker.sql("UPDATE sessions SET heartbeat_counter = 5")
    worker.becomes("w1")
    worker.gets("log", "x")
    assert worker.beats(session) == 5
    worker.gets("phase", "0")
    assert worker.beats(session) == 0


def test_a_log_by_hand_sets_the_heartbeat_back(worker: Worker):
    """S3-143, S3-D09"""
    session = worker.gets("start", "t", "--skill", "build")["sessionId"]
    worker.sql("UPDATE sessions SET heartbeat_counter = 5")
    worker.gets("log", "x")
    assert worker.beats(session) == 0


def test_a_log_takes_its_text_from_a_file_that_an_agent_may_read(worker: Worker):
    worker.types("start", "t", "--skill", "build")
    note = worker.user.writes("note.md", "## Noted")
    path = worker.gets("log", "--file", "note.md")["logPath"]
    assert Path(path).read_text().endswith("] Noted\n")
    key = worker.user.folder / ".ssh" / "id_rsa"
    key.parent.mkdir()
    key.write_text("secret key")
    assert worker.fails("log", "--file", str(key)) == "VALIDATION_ERROR"
    assert "secret key" not in Path(path).read_text()
    note.unlink()
    assert "No such file" in worker.types("log", "--file", "note.md").err


def test_a_hand_over_ends_the_window_and_is_told_once(worker: Worker):
    """S3-190, S3-191, S3-192, S3-206"""
    first = worker.gets("start", "t", "--skill", "build")["sessionId"]
    files = [f"f{number}" for number in range(10)]
    given = json.dumps({**json.loads(PAYLOAD), "requiredFiles": files})
    shown = worker.types("dehydrate", stdin=given)
    assert shown.code == 0
    assert "only 8 of 10 required files are kept" in shown.err
    assert "Session 1 of effort 1 has ended" in shown.out
    session = worker.user.types("session", "show", "1", "--json").json
    assert session["dehydrationPayload"]["requiredFiles"] == files[:8]
    assert worker.fails("dehydrate", stdin=PAYLOAD) == "ALREADY_ENDED"
    resumed = worker.types("resume")
    assert "### Summary\ns" in resumed.out
    assert "Required files:\n- f0" in resumed.out
    again = worker.gets("resume", "--task", "t")
    assert (again["dehydration"], again["prevSessionId"]) == (None, first + 1)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("", "VALIDATION_ERROR"),
        ("{", "PARSE_ERROR"),
        ('{"summary": "s"}', "VALIDATION_ERROR"),
        ("x" * ((1 << 20) + 1), "PAYLOAD_TOO_LARGE"),
        (b"\xff", "PARSE_ERROR"),
    ],
)
def test_a_hand_over_that_cannot_be_is_refused_and_nothing_ends(worker: Worker, given: str | bytes, code: str):
    """S3-192"""
    worker.types("start", "t", "--skill", "build")
    assert worker.fails("dehydrate", stdin=given) == code


def test_an_agent_finds_its_effort_after_its_window_has_ended(worker: Worker):
    """S3-206, S3-D11"""
    worker.becomes("w1", "A")
    begun = worker.gets("start", "t", "--skill", "build")
    worker.gets("dehydrate", stdin=PAYLOAD)
    worker.becomes("w2", "")
    resumed = worker.gets("resume", "--agent", "A")
    assert (resumed["effortId"], resumed["dehydration"]) == (begun["effortId"], json.loads(PAYLOAD))
    assert worker.fails("resume", "--agent", "ghost") == "NOT_FOUND"
    assert worker.fails("resume", "--task", "nowhere") == "TASK_NOT_FOUND"
    assert worker.types("resume", "--task", "t", "--agent", "A").code == 2


def test_bad_input_says_what_it_is_and_writes_nothing(worker: Worker):
    worker.user.types("effort", "list")
    for words in (("phase", "1"), ("log", "x"), ("finish",), ("show",), ("resume",)):
        assert worker.fails(*words) == "NO_ACTIVE_EFFORT"
    assert worker.fails("dehydrate", stdin=PAYLOAD) == "NO_ACTIVE_EFFORT"
    assert worker.fails("show", "9") == "NOT_FOUND"
    assert worker.fails("start", "t", "--skill", "a/b") == "VALIDATION_ERROR"
    assert worker.fails("start", "/etc", "--skill", "build") == "VALIDATION_ERROR"
    assert worker.fails("start", "...", "--skill", "build") == "VALIDATION_ERROR"
    assert worker.types("start", "t").code == 2
    worker.types("start", "t", "--skill", "build")
    assert worker.fails("log", stdin=" \n") == "VALIDATION_ERROR"
    assert worker.fails("phase", "0", "--proof", "{") == "PARSE_ERROR"
    assert worker.fails("phase", "") == "VALIDATION_ERROR"
    worker.user.writes(".claude/skills/broken/SKILL.md", "```json\n{\n```\n")
    assert worker.fails("start", "u", "--skill", "broken") == "PARSE_ERROR"
    worker.sql("UPDATE efforts SET metadata = 'not-json{{{'")
    assert worker.fails("start", "t", "--skill", "build", "--block-after", "2") == "PARSE_ERROR"
    assert worker.gets("show")["metadata"] == {}
    assert worker.gets("phase", "0")["phase"] == "0: Setup"


def test_the_home_folder_is_no_project(worker: Worker, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(worker.user.folder)
    shown = worker.types("start", "t", "--skill", "build")
    assert shown.code == 1
    assert "the home folder is no project" in shown.err


def test_from_a_folder_below_it_is_the_same_effort(worker: Worker, monkeypatch: pytest.MonkeyPatch):
    """S3-075"""
    worker.types("start", "t", "--skill", "build")
    (worker.user.project / "src/.git").mkdir(parents=True)
    monkeypatch.chdir(worker.user.project / "src")
    assert worker.gets("show")["effortId"] == 1
    assert worker.gets("log", "x")["logPath"].startswith(f"{worker.user.project}/.tasks/t/")


def test_efforts_are_listed(worker: Worker):
    assert worker.types("list").out == "no effort is active here\n"
    assert worker.types("list", "--all").out == "there are no efforts here\n"
    worker.types("start", "t", "--skill", "build")
    worker.types("finish")
    worker.types("start", "u", "--skill", "build")
    assert [one["effortId"] for one in worker.gets("list")["efforts"]] == [2]
    assert [one["effortId"] for one in worker.gets("list", "--all")["efforts"]] == [2, 1]
    assert "finished" in worker.types("list", "--all").out


def test_what_is_written_here_is_what_the_hooks_read(worker: Worker):
    """S3-D08: one database, and the agent of the caller"""
    worker.becomes("w1", "A")
    begun = worker.gets("start", "t", "--skill", "build")
    worker.user.types("daemon", "start")
    asked = {"session_id": "w1", "cwd": str(worker.user.project), "prompt": "go"}
    told = call_rpc(worker.user.home, "hooks.userPrompt", asked)
    assert (told["effortId"], told["sessionId"]) == (begun["effortId"], begun["sessionId"])
    worker.gets("phase", "0: Setup")
    assert call_rpc(worker.user.home, "hooks.userPrompt", asked)["phase"] == "0: Setup"
    worker.gets("finish")
    assert call_rpc(worker.user.home, "hooks.userPrompt", asked)["effortId"] is None


def test_no_state_file_appears_beside_the_artifacts(worker: Worker):
    """S3-013"""
    worker.types("start", "t", "--skill", "build")
    worker.types("log", "x")
    worker.types("dehydrate", stdin=PAYLOAD)
    names = {file.name for file in worker.user.project.rglob("*") if file.is_file()}
    assert names == {"SKILL.md", "1_BUILD_LOG.md"}


COMMANDS = (
    "synaptic effort start t --skill build",
    'synaptic effort phase "1: Build" --reason "rm -rf was not needed"',
    "synaptic effort log <<'EOF'\n## Did\ngit push --force; rm -rf /\nsynaptic down; cat /etc/hosts\nEOF",
    "cat <<'EOF' | synaptic effort log\n## Did\nEOF",
    "cd src && synaptic effort log 'done'",
    "synaptic effort dehydrate <<'EOF'\n" + PAYLOAD + "\nEOF",
    "synaptic effort finish --keyword x",
    "synaptic effort resume",
    "synaptic effort show",
    "synaptic task list",
    "synaptic session show 1",
    "synaptic agent status A done",
    "synaptic messages --limit 3",
)
REFUSED = ("synaptic down", "synaptic config set presets '[]'", "synaptic effort log x && synaptic policy disable a.b")


@pytest.mark.parametrize("preset", ["essentials", "strict"])
def test_the_guard_lets_an_agent_work_with_efforts_and_with_nothing_else_of_the_engine(user: User, preset: str):
    """Neither refused nor taken for an edit, however untested and unresearched the project is"""
    user.configures(f'presets = ["{preset}"]\n')
    calls = [{"tool_name": "Bash", "tool_input": {"command": text}} for text in (*COMMANDS, *REFUSED)]
    shown = user.runs("check", "--jsonl", stdin="\n".join(map(json.dumps, calls)))
    said = [json.loads(line)["decision"] for line in shown.out.splitlines()]
    assert said == ["allow"] * len(COMMANDS) + ["deny"] * len(REFUSED)
