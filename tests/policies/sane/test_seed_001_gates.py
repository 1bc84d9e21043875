"""The gates of the sane process as an agent meets them: every tool, every category, every size, in one session each."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.setting import output, specific
from tests.policies.sane.test_session import Project

SERVERS = {"mcpServers": {name: {"command": name} for name in ("memory", "context7", "apple-docs", "github")}}
RESEARCH = {
    "memory": ("mcp__memory__read_graph", "mcp__memory__search_nodes"),
    "docs": ("mcp__context7__get-library-docs", "mcp__apple-docs__search"),
    "web": ("WebSearch", "WebFetch"),
    "github": ("mcp__github__search_code", "mcp__github__get_issue"),
    "local": ("Grep", "Glob", "Read"),
}
EDITS = {"Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Somebody who has a server for every category of research."""
    made = Project(tmp_path)
    (made.setting.project / ".mcp.json").write_text(json.dumps(SERVERS))
    yield made
    made.close()


def refusals(project: Project) -> dict[str, str]:
    """Why each tool that edits is refused."""
    file = f"{project.setting.project}/a.py"
    return {tool: project.wants(tool, **{key: file}, content="x", new_source="x") for tool, key in EDITS.items()}


def list_researched(project: Project) -> set[str]:
    return {name for name, entry in project.section("research").items() if entry}


def test_each_tool_of_research_marks_its_kind_and_no_other(project: Project) -> None:
    """S1-102: also the tools of other servers, commands and edits, which mark none."""
    for kind, tools in RESEARCH.items():
        for tool in tools:
            project.prompt("reset research")
            project.did(tool)
            assert list_researched(project) == {kind}, tool
    project.prompt("reset research")
    for tool in ("Bash", "Edit", "mcp__memoryx__read", "mcp__git__log", "WebSearchX", "Task"):
        project.did(tool, command="cat a.py", file_path=f"{project.setting.project}/a.py")
    assert list_researched(project) == set()


@pytest.mark.parametrize("missing", RESEARCH)
def test_four_of_five_are_not_enough_and_the_fifth_is_named(project: Project, missing: str) -> None:
    """S1-026, S1-063: to the agent in the refusal, to the user by `research`."""
    project.prompt("fix the bug in the parser")
    assert "missing memory, docs, web, github, local." in project.edit()
    done = [kind for kind in RESEARCH if kind != missing]
    for kind in done:
        project.did(RESEARCH[kind][0])
    for tool, reason in refusals(project).items():
        assert f"4 of 5 categories done, missing {missing}." in reason, tool
    assert f"4 of 5 done. done: {', '.join(done)}; missing: {missing}." in project.prompt("research")
    project.did(RESEARCH[missing][-1])
    assert set(refusals(project).values()) == {""}
    assert "5 of 5 done" in project.prompt("research")


def test_reading_is_free_under_every_gate_at_once_and_writing_is_not(project: Project) -> None:
    """S1-060, S1-062, S1-073: safemode, a tripped breaker, no research; a server's tool that writes is an edit."""
    project.prompt("fix the bug in the parser")
    project.prompt("s+")
    for error in ("Exit code 1", "weird", "syntax error"):
        project.fails(error)
    file = f"{project.setting.project}/a.py"
    for tool, given in (
        ("Read", {"file_path": file}), ("Glob", {"pattern": "**/*.py"}), ("Grep", {"pattern": "x", "path": file}),
        *((tool, {}) for tools in RESEARCH.values() for tool in tools if tool.startswith("mcp__")),
        ("mcp__filesystem__read_file", {"path": file}),
    ):  # fmt: skip
        assert not project.wants(tool, **given), tool
    assert all("Safemode" in reason for reason in refusals(project).values())
    assert project.wants("mcp__filesystem__write_file", path=file, content="x")
    project.prompt("s-")
    assert all("0 of 5" in reason for reason in refusals(project).values())
    project.prompt("waive")
    assert all("reset breaker" in reason for reason in refusals(project).values())
    project.prompt("reset breaker")
    assert set(refusals(project).values()) == {""}


@pytest.mark.parametrize(
    "path", ["/etc/hosts", "~/.ssh/config", "/usr/lib/x.py", "{user}/.ssh/id_rsa", "/etc/../etc/x"]
)
def test_system_paths_stay_shut_when_everything_else_is_open(project: Project, path: str) -> None:
    """S1-064"""
    project.prompt("fix the bug in the parser")
    for tools in RESEARCH.values():
        project.did(tools[0])
    assert not project.edit()
    place = path.replace("{user}", str(project.setting.user))
    for tool, key in EDITS.items():
        assert project.wants(tool, **{key: place}, content="x", new_source="x"), tool
    assert project.wants("Read", file_path=place) or path.startswith("/usr")


@pytest.mark.parametrize(("lines", "told"), [(500, ""), (501, "501 lines"), (800, "800 lines"), (801, "801 lines")])
def test_a_large_file_is_warned_about_and_a_larger_one_is_blocked(project: Project, lines: int, told: str) -> None:
    """S1-070: a file that is written, and one on the disk that an edit makes that long."""
    project.prompt("what does the parser do")
    file = project.setting.project / "a.py"
    file.write_text("x\n" * (lines - 1))
    calls = {
        "Write": {"file_path": str(file), "content": "x\n" * lines},
        "Edit": {"file_path": str(file), "old_string": "x\n", "new_string": "x\nx\n"},
    }
    for tool, given in calls.items():
        answer = project.send("PreToolUse", tool_name=tool, tool_input=given, permission_mode="default")
        said = specific(answer)
        blocked = said.get("permissionDecision") == "deny"
        assert (answer.exit, blocked) == (0, lines > 800)
        text = said.get("permissionDecisionReason" if blocked else "additionalContext", "")
        assert told in text and bool(text) is (lines > 500), tool


PROMPTS = [
    ("what does the parser do?", False, False),
    ("fix the bug in the parser", True, False),
    ("rename the variable in a.py", True, False),
    ("rewrite the entire parser", True, True),
]


@pytest.mark.parametrize(("text", "task", "big"), PROMPTS)
def test_the_class_of_a_prompt_is_in_the_state_and_decides_the_gate(
    project: Project, text: str, task: bool, big: bool
) -> None:
    """S1-029, S1-040: and no command that follows changes either."""
    project.prompt(text)
    before = project.section("requirements")
    assert (before["is_task"], before["is_big_task"]) == (task, big)
    assert bool(project.edit()) is task
    for command in ("s+", "s?", "s-", "rb-", "rb+", "reset breaker", "rb?", "breaker status", "research"):
        assert output(project.send("UserPromptSubmit", prompt=command))
        assert project.section("requirements") == before
    assert bool(project.edit()) is task
