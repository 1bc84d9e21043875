"""Commands that throw work away, judged by what the repository really holds at that moment."""

import asyncio
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from synaptic.engine.check import Checker, summarize_decision
from synaptic.facts import ask_git
from synaptic.model.home import Home

LINES: list[dict[str, str]] = tomllib.loads(Path(__file__).with_name("lost_work.toml").read_text("utf-8"))["line"]
START = """
git init -q -b main . && git config user.name u && git config user.email u@h.example
seq 10 > a.py; seq 10 > b.py; echo all: > Makefile; mkdir docs; echo x > docs/x.md
printf '*.log\\nnode_modules/\\n' > .gitignore
git add . && git commit -qm one && echo more >> docs/x.md && git commit -qam two
git init -q --bare -b main ../origin.git && git remote add origin ../origin.git && git push -q -u origin main
"""


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    return Checker(Home(tmp_path_factory.mktemp("home")))


@pytest.fixture(autouse=True)
def patient_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no reason for another answer."""
    monkeypatch.setattr(ask_git, "GIT_TIMEOUT", 60.0)


def run_setup(project: Path, text: str) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(project.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["bash", "-ec", text], cwd=project, env=env, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr


def judge(checker: Checker, project: Path, command: str) -> dict[str, object]:
    question = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(project)}
    return summarize_decision(asyncio.run(checker.decide({**question, "claude-project-root": str(project)})))


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['cmd']} | {line.get('setup', 'clean')}"[:120])
def test_what_would_be_lost_decides(checker: Checker, tmp_path: Path, line: dict[str, str]) -> None:
    """S4-057: a refusal names what would be lost; where nothing would be, the command passes."""
    project = tmp_path / "project"
    project.mkdir()
    run_setup(project, START)
    run_setup(project, line.get("setup", ""))
    held = sorted(path.name for path in project.iterdir())
    answer = judge(checker, project, line["cmd"])
    assert sorted(path.name for path in project.iterdir()) == held
    assert answer["decision"] == line["want"], answer
    assert line.get("says", "") in str(answer["reason"])


def test_a_fact_is_looked_up_afresh_for_every_call(checker: Checker, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    run_setup(project, START)
    assert judge(checker, project, "git reset --hard")["decision"] == "allow"
    (project / "a.py").write_text("changed\n")
    assert judge(checker, project, "git reset --hard")["decision"] == "deny"
    run_setup(project, "git checkout -q -- a.py")
    assert judge(checker, project, "git reset --hard")["decision"] == "allow"


def test_there_are_as_many_near_misses_as_refusals() -> None:
    free = sum(line["want"] == "allow" for line in LINES)
    assert free * 2 >= len(LINES)
