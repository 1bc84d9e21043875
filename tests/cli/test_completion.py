"""What a shell offers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from synaptic.cli import completion
from synaptic.model.event import EVENTS
from synaptic.model.presets import PRESETS
from synaptic.policies.base import load_policies
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


def test_every_policy_preset_and_event_is_offered():
    """Policies are offered by the names of their files: this holds that none is missing, and nothing else is there."""
    assert [name for name, _ in completion.complete_policies("")] == list(load_policies())
    assert [name for name, _ in completion.complete_presets("")] == list(PRESETS)
    assert [name for name, _ in completion.complete_events("")] == list(EVENTS)
    assert completion.complete_policies_and_presets("@st") == [("@strict", "preset")]
    assert ("git.force-push", "") in completion.complete_policies_and_presets("git.")


def test_trouble_offers_nothing(user: User):
    user.home.root.mkdir()
    user.home.database.write_bytes(b"no database")
    assert completion.complete_phases("") == []
    user.writes(".synaptic/packages.lock.toml", "[")
    assert completion.complete_installed_packages("") == []


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("effort phase ", "0: Setup"),
        ("effort start x --skill ", "build"),
        ("policy show git.force", "git.force-push"),
        ("policy list --preset pr", "practice"),
        ("list --event PreT", "PreToolUse"),
        ("stat", "status"),
    ],
)
def test_a_shell_is_answered(user: User, words: str, offered: str):
    user.writes(".claude/skills/build/SKILL.md", SKILL)
    user.types("effort", "start", "t", "--skill", "build")
    typed = f"synaptic {words}"
    place = typed.count(" ")
    shown = user.runs(_SYNAPTIC_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=str(place))
    assert offered in [line.partition(",")[2] for line in shown.out.splitlines()]


BASH = """
eval "$(synaptic completion bash --name {name})"
COMP_WORDS=({name} policy show git.force-p)
COMP_CWORD=3
COMP_LINE="{name} policy show git.force-p"
_{name}_completion {name}
echo "offered: ${{COMPREPLY[*]}}"
"""
ZSH = """
autoload -Uz compinit && compinit -u
eval "$(synaptic completion zsh)"
whence -w _synaptic_completion
"""
FISH = """
synaptic completion fish | source
complete -C 'synaptic policy show git.force-p'
"""
SHELLS = {
    "bash": (BASH.format(name="synaptic"), "offered: git.force-push"),
    "bash, the short name": (BASH.format(name="syn"), "offered: git.force-push"),
    "zsh": (ZSH, "_synaptic_completion: function"),
    "fish": (FISH, "git.force-push"),
}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_lines_work_in_a_real_shell(user: User, shell: str):
    program, (script, wanted) = shell.partition(",")[0], SHELLS[shell]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [program, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
        timeout=120,
        check=False,
    )
    assert wanted in done.stdout, done.stderr


def test_a_shell_that_nobody_knows_is_said(user: User):
    assert user.types("completion", "tcsh").code == 2
