"""A skill that starts: its effort, its window, and what the model is told, as the agent's own events bring it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.work.beginnings import StartEffort
from synaptic.work.command import Caller, CommandContext
from tests.daemon.fleet import Fleet
from tests.daemon.setting import Setting, specific

SKILL = """---
name: implement
---
```json
{"phases": ["0: Plan", "1: Build"], "logTemplate": "LOG.md", "directives": ["TESTING"], "nextSkills": ["test"]}
```
"""


@pytest.fixture
def fleet(setting: Setting) -> Iterator[Fleet]:
    made = Fleet(setting)
    yield made
    made.store.close()


def describe(fleet: Fleet, name: str = "implement", text: str = SKILL, template: str = "## [time] What\n") -> Path:
    folder = Path(fleet.root, ".claude/skills", name)
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text)
    (folder / "LOG.md").write_text(template)
    return folder


def types(fleet: Fleet, command: str, args: str = "", **fields: object) -> str:
    """A person types a command; what the model is told beside it."""
    sent = {"expansion_type": "slash_command", "command_name": command, "command_args": args}
    answer = fleet.event("UserPromptExpansion", **{**sent, "prompt": f"/{command} {args}", **fields})
    return specific(answer).get("additionalContext", "")


def calls(fleet: Fleet, skill: str, **fields: object) -> str:
    """The agent uses its skill tool."""
    sent = {"tool_name": "Skill", "tool_input": {"skill": skill}, "tool_response": {}, "tool_use_id": "t1"}
    return specific(fleet.event("PostToolUse", **{**sent, **fields})).get("additionalContext", "")


def rows(fleet: Fleet) -> list[tuple]:
    sql = "SELECT e.skill, e.task_id, s.host_session FROM efforts e JOIN sessions s ON s.effort_id = e.id ORDER BY s.id"
    return fleet.store.read(lambda connection: connection.execute(sql).fetchall())


def test_a_typed_command_opens_the_effort_and_heartbeat_context_and_hand_over_act(fleet: Fleet) -> None:
    """S3-001, S3-012, S3-110, S3-122, S3-132, S3-205"""
    describe(fleet)
    fleet.event("SessionStart", source="startup")
    told = types(fleet, "implement", "A shopping cart")
    assert rows(fleet) == [("implement", f"{fleet.root}/.tasks/a-shopping-cart", "h1")]
    assert "Phases: 0: Plan; 1: Build" in told
    assert "Directives: TESTING" in told
    assert "[Preloaded: " in told
    assert "## [time] What" in told
    assert fleet.call("preToolUse")["heartbeatCount"] == 1
    assert "Skill: implement" in fleet.call("userPrompt")["sessionContext"]
    assert fleet.one("SELECT title FROM tasks") == "A shopping cart"
    assert (fleet.status(), fleet.one("SELECT effort_id FROM agents")) == ("working", 1)


def test_the_same_command_again_goes_on_and_says_nothing_twice(fleet: Fleet) -> None:
    """S3-003, S3-006: in the same window, and in the next one"""
    describe(fleet)
    assert types(fleet, "implement", "cart")
    assert types(fleet, "implement", "cart") == ""
    assert "Phases" not in specific(fleet.event("UserPromptSubmit", prompt="/implement cart")).get(
        "additionalContext", ""
    )
    fleet.event("SessionEnd", reason="other")
    started = fleet.call("sessionStart", session_id="h2")
    assert "Phases: 0: Plan; 1: Build" in started["hookSpecificOutput"]["additionalContext"]
    assert types(fleet, "implement", "more", session_id="h2") == ""
    assert fleet.count("efforts") == 1
    assert [host for _, _, host in rows(fleet)] == ["h1", "h2"]


@pytest.mark.parametrize("prompt", ["/implement the cart", "/implement\nthe cart", "/implement\tthe\n\ncart"])
def test_a_prompt_is_enough_where_no_expansion_is_told(fleet: Fleet, prompt: str) -> None:
    describe(fleet)
    answer = fleet.event("UserPromptSubmit", prompt=prompt)
    assert "Phases: 0: Plan; 1: Build" in specific(answer)["additionalContext"]
    assert rows(fleet) == [("implement", f"{fleet.root}/.tasks/the-cart", "h1")]


def test_another_skill_of_the_task_is_another_effort_and_closing_the_window_ends_both(fleet: Fleet) -> None:
    """S3-001, S3-108, S3-200: one task, two efforts"""
    describe(fleet)
    describe(fleet, "test", SKILL.replace("implement", "test"))
    types(fleet, "implement", "cart")
    assert "Phases" in calls(fleet, "test", tool_input={"skill": "test", "args": "all of it"})
    assert fleet.one("SELECT title FROM tasks") == "cart"
    task = f"{fleet.root}/.tasks/cart"
    assert rows(fleet) == [("implement", task, "h1"), ("test", task, "h1")]
    assert fleet.one("SELECT group_concat(ordinal) FROM efforts") == "1,2"
    fleet.event("SessionEnd", reason="other")
    assert fleet.one("SELECT count(*) FROM sessions WHERE ended_at IS NULL") == 0


@pytest.mark.parametrize("text", ["# Reads PDF\n", "---\ntier: utility\n---\n```json\n{}\n```\n"])
def test_a_tool_among_skills_does_not_take_the_window_away(fleet: Fleet, text: str) -> None:
    describe(fleet)
    describe(fleet, "pdf", text)
    types(fleet, "implement", "cart")
    assert calls(fleet, "pdf") == ""
    assert fleet.count("efforts") == 1


@pytest.mark.parametrize("name", ["hi", "../../etc", "", "effort", "x:synaptic"])
def test_what_is_no_skill_starts_nothing(fleet: Fleet, name: str) -> None:
    assert types(fleet, name, "Bob") == ""
    assert fleet.count("efforts") == 0


def test_a_sub_agents_skill_and_a_stranger_start_nothing(fleet: Fleet) -> None:
    """S3-011"""
    describe(fleet)
    assert calls(fleet, "implement", agent_id="s1") == ""
    assert fleet.count("efforts") == 0


def test_a_skill_file_that_cannot_be_read_starts_an_effort_all_the_same(fleet: Fleet) -> None:
    describe(fleet, text="```json\n{broken\n```\n")
    assert "implement" in types(fleet, "implement", "cart")
    assert rows(fleet) == [("implement", f"{fleet.root}/.tasks/cart", "h1")]


def test_a_window_that_runs_hears_once_of_the_skill_that_a_person_starts(fleet: Fleet) -> None:
    """S3-116, S3-132"""
    describe(fleet)
    fleet.event("SessionStart", source="startup")
    context = CommandContext(fleet.store, Caller(root=fleet.root, cwd=fleet.root))
    StartEffort(task="cart", skill="implement").run(context)
    fleet.call("preToolUse")
    first, second = fleet.call("postToolUse"), fleet.call("postToolUse")
    told = first["hookSpecificOutput"]["additionalContext"]
    assert "Phases: 0: Plan; 1: Build" in told
    assert "Templates:" in told
    assert second["pendingInjections"] == []
    assert "pendingInjections" not in json.loads(fleet.one("SELECT metadata FROM efforts"))


def test_a_new_window_is_told_of_the_skill_at_its_start_alone(fleet: Fleet) -> None:
    """S3-132"""
    describe(fleet)
    context = CommandContext(fleet.store, Caller(root=fleet.root, cwd=fleet.root))
    StartEffort(task="cart", skill="implement").run(context)
    started = fleet.call("sessionStart")
    assert "Phases: 0: Plan; 1: Build" in started["hookSpecificOutput"]["additionalContext"]
    assert fleet.call("postToolUse")["pendingInjections"] == []


def test_only_the_directives_that_a_skill_declares_are_looked_for(fleet: Fleet) -> None:
    """S3-161: the core ones always"""
    describe(fleet)
    for name in ("AGENTS.md", "TESTING.md", "PITFALLS.md"):
        Path(fleet.root, name).write_text("x")
    types(fleet, "implement", "cart")
    found = fleet.call("postToolUse", tool_input={"file_path": f"{fleet.root}/a.py"})["discoveredDirectives"]
    assert [Path(path).name for path in found] == ["AGENTS.md", "TESTING.md"]
