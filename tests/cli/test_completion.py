"""What a shell offers."""

import pytest

from synaptic.cli import completion
from tests.cli.conftest import User

SKILL = '---\ndescription: Builds\n---\n```json\n{"phases": ["0: Setup", "1: Build"]}\n```\n'


def test_ids_names_and_phases_that_exist(user: User):
    user.writes(".claude/skills/build/SKILL.md", SKILL)
    assert completion.skill_names("bu") == [("build", "Builds")]
    assert completion.effort_ids("") == completion.phases("") == []
    user.types("effort", "start", "t", "--skill", "build", "--title", "The T")
    user.types("agent", "register", "A", "--label", "L")
    assert completion.effort_ids("") == [("1", "build, t")]
    assert completion.phases("1") == [("1: Build", "")]
    assert completion.session_ids("") == [("1", "effort 1")]
    assert completion.agent_ids("") == [("A", "L")]
    assert completion.task_names("") == [("t", "The T")]
    assert completion.agent_ids("x") == []


def test_trouble_offers_nothing(user: User):
    user.home.root.mkdir()
    user.home.database.write_bytes(b"no database")
    assert completion.phases("") == []


@pytest.mark.parametrize("words", ["effort phase ", "effort start x --skill "])
def test_a_real_shell_is_answered(user: User, words: str):
    user.writes(".claude/skills/build/SKILL.md", SKILL)
    user.types("effort", "start", "t", "--skill", "build")
    typed = f"synaptic {words}"
    env = {"_SYNAPTIC_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    shown = user.runs(**env)
    # The program's name decides the variable: a module run by hand has another one.
    assert "0: Setup" in shown.out or "build" in shown.out
