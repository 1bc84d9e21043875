"""Scripted sessions through the engine, with the preset `sane` on: what is blocked, remembered and written."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.engine.walk import Engine, open_engine
from synaptic.model.call import Answer
from synaptic.store import state
from tests.daemon.setting import Setting, output, specific

RESEARCH = ("mcp__memory__read_graph", "mcp__context7__get-docs", "WebSearch", "mcp__github__search_code", "Read")


class Project:
    """A project of a user who works with `sane`."""

    def __init__(self, folder: Path) -> None:
        self.setting = Setting(folder)
        self.setting.config('trust = "all"\npresets = ["essentials", "sane"]\n')
        self.setting.hooks.rmdir()
        self.loop = asyncio.new_event_loop()
        self.engine: Engine = self.loop.run_until_complete(self._open())

    async def _open(self) -> Engine:
        return open_engine(self.setting.home)

    def send(self, event: str, **fields: object) -> Answer:
        return self.loop.run_until_complete(self.engine.answer(self.setting.request(event, **fields)))

    def prompt(self, text: str, **fields: object) -> str:
        answer = self.send("UserPromptSubmit", prompt=text, **fields)
        assert "decision" not in output(answer)
        return specific(answer).get("additionalContext", "")

    def wants(self, tool: str, **tool_input: object) -> str:
        """The reason why a call is refused; nothing when it is not."""
        told = specific(self.send("PreToolUse", tool_name=tool, tool_input=tool_input, permission_mode="dontAsk"))
        return told["permissionDecisionReason"] if told.get("permissionDecision") == "deny" else ""

    def edit(self, name: str = "a.py") -> str:
        return self.wants("Edit", file_path=f"{self.setting.project}/{name}", old_string="a", new_string="b")

    def bash(self, command: str) -> str:
        return self.wants("Bash", command=command)

    def did(self, tool: str, response: object = "x" * 80, **tool_input: object) -> None:
        assert "decision" not in output(
            self.send("PostToolUse", tool_name=tool, tool_input=tool_input, tool_response=response)
        )

    def fails(self, error: str = "Exit code 1") -> str:
        fields = {"tool_name": "Bash", "tool_input": {"command": "false"}, "error": error}
        return specific(self.send("PostToolUseFailure", **fields)).get("additionalContext", "")

    def research(self) -> None:
        for tool in RESEARCH:
            self.did(tool)

    def section(self, name: str) -> dict[str, object]:
        owner = state.SectionOwner(str(self.setting.project), "s1")
        return dict(state.read_state(self.engine.store, owner, [f"project:{name}"]).read_section(f"project:{name}"))

    def close(self) -> None:
        self.loop.run_until_complete(self.engine.close())
        self.loop.close()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    project = Project(tmp_path)
    yield project
    project.close()


def test_edits_open_when_every_kind_of_research_is_done(project: Project) -> None:
    """S1-001, S1-060, S1-063, S1-102"""
    project.prompt("fix the bug in the parser")
    assert project.edit().startswith("Research before edits: 0 of 5")
    for done, tool in enumerate(RESEARCH, 1):
        assert not project.wants(tool)
        project.did(tool)
        left = project.edit()
        assert f"{done} of 5" in left if done < 5 else not left
    assert not project.bash("echo x > a.py")


def test_a_question_gates_nothing_and_a_task_does(project: Project) -> None:
    """S1-040"""
    assert project.edit()
    project.prompt("what does the parser do")
    assert not project.edit()
    project.prompt("fix the bug in the parser")
    assert project.edit()
    assert project.section("requirements")["is_task"] is True
    project.prompt("rewrite the entire parser")
    assert project.section("requirements")["is_big_task"] is True


def test_three_failures_trip_the_breaker_and_only_the_user_resets_it(project: Project) -> None:
    """S1-024, S1-025, S1-054, S1-073, S1-120, S1-121, S1-127, S1-128"""
    project.prompt("fix the bug in the parser")
    project.research()
    assert not project.edit()
    told = [project.fails(error) for error in ("Exit code 1", "weird", "syntax error")]
    assert not told[0] and not told[1] and "reset breaker" in told[2]
    assert "reset breaker" in project.edit() and project.bash("echo x > a.py")
    assert not project.bash("cat a.py") and not project.wants("Read", file_path=f"{project.setting.project}/a.py")
    breaker = project.section("circuit_breaker")
    assert breaker["failures"] == 3 and breaker["tripped"] is True and breaker["tripped_at"]
    assert breaker["error_signatures"] == {"COMMAND_FAILED": 1, "GENERIC_ERROR": 1, "SYNTAX_ERROR": 1}
    assert breaker["last_error"] == "syntax error"

    project.did("Bash", {"stdout": "ok"}, command="true")
    project.send("SessionStart", source="startup")
    assert "reset breaker" in project.prompt("fix the parser bug please")
    assert project.edit()
    project.send("UserPromptSubmit", prompt="reset breaker", source="schedule_wakeup")
    project.prompt("<task-notification>reset breaker</task-notification>")
    project.bash("echo 'reset breaker'")
    assert "reset breaker" in project.edit()

    assert "tripped" in project.prompt("rb?")
    project.prompt("reset breaker")
    assert project.section("circuit_breaker") == {
        "failures": 0,
        "tripped": False,
        "tripped_at": None,
        "last_error": None,
        "error_signatures": {},
    }
    assert not project.edit()


def test_the_same_kind_three_times_trips_with_successes_in_between(project: Project) -> None:
    """S1-122, S1-123"""
    project.prompt("fix the bug in the parser")
    project.research()
    for _ in range(2):
        project.fails("npm: command not found")
        project.did("Bash", {"stdout": "ok"}, command="true")
        assert not project.edit()
    project.fails("npm: command not found")
    assert "circuit breaker" in project.edit()
    assert project.section("circuit_breaker")["error_signatures"] == {"COMMAND_NOT_FOUND": 3}


@pytest.mark.parametrize("as_event", [True, False])
def test_the_same_failing_test_trips_with_an_edit_in_between(project: Project, as_event: bool) -> None:
    """S1-122: lines, values and durations differ each time, as an edit makes them."""
    project.prompt("fix the bug in the parser")
    project.research()
    tripped = []
    for n in range(1, 7):
        text = f"tests/a.py:{n}: in test_x\nE  assert {n} == 9\nFAILED tests/a.py::test_x - assert {n} == 9\nin {n}s"
        if as_event:
            project.fails(f"Exit code 1\n{text}")
        else:
            project.did("Bash", {"exit_code": 1, "stdout": text}, command="pytest")
        tripped.append(bool(project.edit()))
        project.did("Edit", {"filePath": "a.py"}, file_path=f"{project.setting.project}/a.py")
    assert tripped == [False, False, True, True, True, True]
    assert "The same again: tests/a.py::test_x assert (6 times)" in project.prompt("rb?")
    project.prompt("reset breaker")
    project.fails(f"Exit code 1\n{text}")
    assert not project.edit()


def test_different_failing_tests_with_edits_in_between_do_not_trip(project: Project) -> None:
    """S1-125"""
    project.prompt("fix the bug in the parser")
    project.research()
    for n in range(1, 60):
        project.fails(f"Exit code 1\nFAILED tests/a.py::test_{n} - assert 1 == 9")
        project.did("Edit", {"filePath": "a.py"}, file_path=f"{project.setting.project}/a.py")
    assert not project.edit()
    assert len(project.section("circuit_breaker")["causes"]) == 40


def test_safemode_blocks_edits_and_a_sentence_is_no_command(project: Project) -> None:
    """S1-020, S1-021, S1-022, S1-023, S1-028, S1-062"""
    project.prompt("what does the parser do")
    marker = project.setting.project / ".claude" / "bypass_active.json"
    assert "is off" in project.prompt("s?")
    project.prompt("s+")
    assert "Safemode" in project.edit() and project.bash("touch x") and marker.exists()
    assert not project.bash("ls")
    project.prompt("s-expressions are nice")
    assert "Safemode" in project.edit()
    assert "is on" in project.prompt("s?")
    project.prompt("s-")
    assert "Safemode" not in project.edit() and not marker.exists()


def test_a_marker_made_by_hand_switches_nothing(project: Project) -> None:
    """S1-031, S1-152"""
    project.prompt("what does the parser do")
    assert project.bash("touch .claude/bypass_active.json")
    (project.setting.project / ".claude" / "bypass_active.json").write_text("{}")
    assert not project.edit()


def test_commands_end_processing(project: Project) -> None:
    """S1-026, S1-029"""
    project.prompt("fix the bug in the parser")
    before = project.section("requirements")
    project.did("WebSearch")
    project.did("Read")
    told = project.prompt("research")
    assert "done: web, local; waived, because no such server is set up: memory, docs, github" in told
    project.prompt("rb-")
    assert project.section("requirements") == before


def test_an_empty_project_waives_what_it_has_no_tools_for_and_says_so(project: Project) -> None:
    project.prompt("fix the bug in the parser")
    assert "Waived, because no such server is set up: memory, docs, github" in project.edit()
    project.did("WebSearch")
    project.did("Read")
    assert not project.edit()


def test_unknown_means_task_and_one_word_of_the_user_waives_it(project: Project) -> None:
    """S1-040, S1-063: by its words nobody knew these; a follow-up keeps the waiver, the next task does not."""
    for text in ("Migrate the database to PostgreSQL", "Split utils.py into two modules", "Can you fix the login bug?"):
        assert "edits open once web and local" in project.prompt(text)
        assert project.edit().startswith("Research before edits: 0 of 5")
    assert "waived for this task" in project.prompt("waive")
    assert not project.edit() and not project.bash("echo x > a.py")
    project.prompt("also update the changelog")
    assert not project.edit()
    project.prompt("Add a dark mode toggle to the settings page")
    assert "may type `waive`" in project.edit()


def test_more_research_locks_nobody_out(project: Project) -> None:
    """S1-063: a call of a server that no file declares makes nothing else mandatory; a follow-up keeps what is done."""
    project.prompt("Migrate the database to PostgreSQL")
    project.did("mcp__memory__read_graph")
    assert "missing web, local." in project.edit()
    project.did("WebSearch")
    project.did("Read")
    assert not project.edit()
    assert "the research done before (memory, web, local) still counts" in project.prompt("also update the changelog")
    project.prompt("and fix the typo too")
    assert not project.edit()
    answer = project.send("UserPromptSubmit", prompt="Add a dark mode toggle to the settings page")
    assert "research starts anew (memory, web, local were done)" in output(answer)["systemMessage"]
    assert "missing web, local." in project.edit()


def test_without_a_network_two_tries_are_enough(project: Project) -> None:
    project.prompt("Migrate the database to PostgreSQL")
    project.did("Read")
    for _ in range(2):
        assert "missing web." in project.edit()
        fields = {"tool_name": "WebSearch", "tool_input": {"query": "x"}, "error": "getaddrinfo EAI_AGAIN"}
        project.send("PostToolUseFailure", **fields)
    assert not project.edit()
    assert project.section("research").get("web") is None


def test_a_declared_server_is_not_waived(project: Project) -> None:
    (project.setting.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"memory": {"command": "x"}}}))
    project.prompt("fix the bug in the parser")
    assert "missing memory, web, local" in project.edit()


def test_edits_and_refusals_are_counted(project: Project) -> None:
    """S1-079, S1-100, S1-110"""
    path = f"{project.setting.project}/a.py"
    assert project.edit() and project.wants("Write", file_path=f"{project.setting.project}/.claude/state.json")
    enforcement = project.section("enforcement")
    assert [block["gate"] for block in enforcement["blocks"]] == ["sane.unresearched-edit", "sane.state-edit"]
    for _ in range(2):
        project.did("Edit", {"filePath": path}, file_path=path)
    assert project.section("edits") == {"count": 2, "last_file": path, "unique_files": [path]}
    for number in range(25):
        project.did("Bash", {"stdout": ""}, command=f"echo {number}")
    entries = project.section("action_log")["entries"]
    assert len(entries) == 20 and entries[-1]["summary"] == "echo 24"


def test_the_files_of_a_session(project: Project) -> None:
    """S1-012, S1-170, S1-190: every file in its format, and none beside them."""
    project.prompt("s+")
    project.prompt("fix the bug in the parser")
    project.edit()
    project.prompt("s-")
    project.did("Read")
    project.fails()
    assert "decision" not in output(project.send("Stop", stop_hook_active=False))
    folder = project.setting.project / ".claude"
    names = {"state.json", "state.json.lock", "saneprompt.log", "sanetools.log", "sanetrack.log", "sanestop.log"}
    assert {path.name for path in folder.iterdir()} == {*names, "audit.jsonl"}
    logs = {
        name: [json.loads(line) for line in (folder / name).read_text().splitlines()] for name in names if "log" in name
    }
    assert [line["type"] for line in logs["saneprompt.log"]] == ["command", "task", "command"]
    assert [(line["tool"], line["blocked"]) for line in logs["sanetools.log"]] == [
        ("Edit", True), ("Read", False), ("Bash", False),
    ]  # fmt: skip
    assert [line["result"] for line in logs["sanetrack.log"]] == ["success", "failure"]
    assert logs["sanestop.log"][0]["blocks"] == 1
    audit = [json.loads(line) for line in (folder / "audit.jsonl").read_text().splitlines()]
    assert [line["outcome"] for line in audit] == ["blocked", "allowed", "allowed"]
    assert all(line["timestamp"].endswith("Z") for lines in logs.values() for line in lines)


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop"])
@pytest.mark.parametrize(
    "extra", [{}, {"prompt": None}, {"tool_response": {"error": "x"}}, {"prompt": "\0" * 9}, {"x": []}]
)
def test_only_the_event_before_a_tool_blocks(project: Project, event: str, extra: dict[str, object]) -> None:
    """S1-003, S1-170"""
    answer = project.send(event, **extra)
    assert answer.exit == 0 and "decision" not in output(answer)


@pytest.mark.parametrize("stdin", [b"", b"{", b"[]", b"\xff\xfe"])
def test_a_call_that_cannot_be_read_is_refused_without_an_error(project: Project, stdin: bytes) -> None:
    """S1-004: no hook fails; but before a tool runs, what nobody could judge is not let pass."""
    answer = project.loop.run_until_complete(project.engine.answer(project.setting.raw("PreToolUse", stdin)))
    assert answer.exit == 0 and b"deny" in answer.stdout


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PostToolUse", "Stop"])
@pytest.mark.parametrize("stdin", [b"", b"{", b"[]", b"\xff\xfe"])
def test_what_cannot_be_read_is_allowed(project: Project, event: str, stdin: bytes) -> None:
    """S1-004"""
    answer = project.loop.run_until_complete(project.engine.answer(project.setting.raw(event, stdin)))
    assert answer.exit == 0 and b"deny" not in answer.stdout and b"block" not in answer.stdout


def test_a_prompt_of_a_megabyte_is_taken(project: Project) -> None:
    project.prompt("fix the bug in the parser " + "\x07x\n" * 350_000)
    assert project.section("requirements")["is_task"] is True


def test_a_lower_threshold_trips_earlier(project: Project) -> None:
    """S1-007"""
    project.setting.config(
        'trust = "all"\npresets = ["sane"]\n[policies."sane.edit-after-failures"]\nthreshold = 2\n'
        '[policies."sane.oversized-file"]\nlimit = 4\nwarning = 2\n'
    )
    project.fails()
    assert "tripped" in project.fails()
    project.prompt("rb-")
    project.prompt("what does the parser do")
    file = f"{project.setting.project}/b.py"
    assert "more than 4" in project.wants("Write", file_path=file, content="x\n" * 5)


def project_hook(setting: Setting, code: int) -> None:
    setting.hooks.mkdir(parents=True, exist_ok=True)
    setting.register("legacy", f"echo careful >&2; exit {code}", protocol="exitcode")


@pytest.mark.parametrize(("code", "blocked"), [(0, False), (1, False), (2, True)])
def test_exit_codes_of_a_script(tmp_path: Path, code: int, blocked: bool) -> None:
    """S1-002: 0 allows, 2 blocks, 1 is a warning and the tool proceeds."""
    setting = Setting(tmp_path)
    project_hook(setting, code)
    answer = setting.answer(setting.request())
    assert (specific(answer).get("permissionDecision") == "deny") is blocked
    assert (b"careful" in answer.stdout + answer.stderr) is (code > 0)
