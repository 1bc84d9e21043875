"""Users get what they need and no more; whoever works on it gets the rest."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")


def plan(target: str) -> str:
    """What make would run for a target in a fresh clone."""
    done = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "VENV=/nonexistent", target],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("target", ["up", "down", "registry"])
def test_what_users_type_installs_no_tools_of_developers(target: str) -> None:
    assert "--editable ." in plan(target)
    assert "--group dev" not in plan(target)


@pytest.mark.parametrize("target", ["test", "check", "bench", "accuracy", "agents", "disarm", "faults", "gen", "demo"])
def test_what_developers_type_installs_them(target: str) -> None:
    assert "--group dev" in plan(target)


def test_the_first_thing_that_happens_is_a_line_that_says_what_will() -> None:
    assert plan("up").startswith('echo "Synaptic: ')


def test_pip_says_nothing_but_errors() -> None:
    installs = [line for line in plan("check").splitlines() if "pip install" in line]
    assert installs
    assert all(" -qq " in line for line in installs)
