"""What a shell offers beside what `completion` finds in the state layers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from synaptic.cli import suggestions
from synaptic.store.sections import STORED_NAMES
from tests.cli.conftest import User
from tests.cli.shop import publish


@pytest.fixture
def busy(user: User) -> User:
    user.types("bootstrap")
    user.sends()
    return user


def press_tab(user: User, typed: str) -> list[str]:
    shown = user.runs(_SYNAPTIC_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=str(typed.count(" ")))
    return shown.out.splitlines()


def test_projects_that_are_known_are_offered_and_any_other_folder(busy: User):
    for line in ("trust ", "check --cwd "):
        offered = press_tab(busy, f"synaptic {line}")
        assert "dir," in offered, line
        assert f"plain,{busy.project}" in offered, line


def test_a_project_that_is_gone_is_not_offered(busy: User):
    (busy.project / ".git").rmdir()
    os.chdir(busy.folder)
    busy.project.rename(busy.folder / "elsewhere")
    assert press_tab(busy, "synaptic trust ") == ["dir,"]


def test_a_real_shell_completes_a_folder(busy: User):
    (busy.project / "some-folder").mkdir()
    script = """
    eval "$(synaptic completion bash)"
    COMP_WORDS=(synaptic trust "$1"); COMP_CWORD=2
    compopt() { echo "asked for: ${*}"; }
    _synaptic_completion synaptic
    echo "offered: ${COMPREPLY[*]}"
    """
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script, "bash", str(busy.project)[:-2]],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
        check=True,
    )
    assert "dirnames" in done.stdout
    assert f"offered: {busy.project}" in done.stdout


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("explain ", "plain,1"),
        ("hook test git.cl", "plain,git.clean"),
        ("hook test git.clean --recorded ", "plain,1"),
        ("try PreT", "plain,PreToolUse"),
        ("try PreToolUse --agent co", "plain,codex"),
        ("try PreToolUse --payload ", "file,"),
        ("self-test git.fo", "plain,git.force-push"),
        ("config set ret", "plain,retention_days"),
        ("state get circ", "plain,circuit_breaker"),
        ("usage --by po", "plain,policy"),
        ("install --channel b", "plain,beta"),
        ("agent status A wo", "plain,working"),
        ("emit PreAb", "plain,PreAbilityCall"),
    ],
)
def test_a_shell_is_answered(busy: User, line: str, offered: str):
    assert offered in press_tab(busy, f"synaptic {line}")


def test_packages_of_a_registry_on_this_machine_are_offered(user: User):
    assert suggestions.complete_packages("") == []
    publish(user, "alpha")
    assert press_tab(user, "synaptic install al") == ["plain,alpha"]
    assert press_tab(user, "synaptic package publish al") == ["plain,alpha"]


def test_a_registry_elsewhere_is_not_asked(user: User, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SYNAPTIC_REGISTRY", "http://127.0.0.1:9/none")
    assert suggestions.complete_packages("") == []


def test_where_nothing_is_set_up_nothing_is_made(user: User):
    assert press_tab(user, "synaptic trust ") == ["dir,"]
    assert not any(press_tab(user, "synaptic explain "))
    assert not user.home.root.exists()


def test_sections_have_the_names_that_are_typed():
    assert {name for name, _ in suggestions.complete_sections("")} == set(STORED_NAMES)
