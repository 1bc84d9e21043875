"""What a shell offers."""

import pytest

from synaptic.cli import completion
from tests.cli.conftest import User

SKILL = '---\ndescription: Builds\n---\n```json\n{"phases": ["0: Setup", "1: Build"]}\n```\n'


def test_ids_names_and_phases_that_exist(user: User):
    user.writes(".claude/skills/build/SKILL.md", SKILL)
    assert completion.complete_skill_names("bu") == [("build", "Builds")]
    assert completion.complete_effort_ids("") == completion.complete_phases("") == []
    user.types("effort", "start", "t", "--skill", "build", "--title", "The T")
    user.types("agent", "register", "A", "--label", "L")
    assert completion.complete_effort_ids("") == [("1", "build, t")]
    assert completion.complete_phases("1") == [("1: Build", "")]
    assert completion.complete_session_ids("") == [("1", "effort 1")]
    assert completion.complete_agent_ids("") == [("A", "L")]
    assert completion.complete_task_names("") == [("t", "The T")]
    assert completion.complete_agent_ids("x") == []


def test_trouble_offers_nothing(user: User):
    user.home.root.mkdir()
    user.home.database.write_bytes(b"no database")
    assert completion.complete_phases("") == []


@pytest.mark.parametrize("words", ["effort phase ", "effort start x --skill "])
def test_a_real_shell_is_answered(user: User, words: str):
    user.writes(".claude/skills/build/SKILL.md", SKILL)
    user.types("effort", "start", "t", "--skill", "build")
    typed = f"synaptic {words}"
    env = {"_SYNAPTIC_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    shown = user.runs(**env)
    # The program's name decides the variable: a module run by hand has another one.
    assert "0: Setup" in shown.out or "build" in shown.out
