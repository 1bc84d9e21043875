"""Git commands that are rewritten, each run in bash before and after, in repositories of their own."""

import asyncio
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from synaptic.engine.check import Checker, summarize_decision
from synaptic.facts import ask_git
from synaptic.model.home import Home

LINES: list[dict[str, str]] = tomllib.loads(Path(__file__).with_name("rewritten_git_lines.toml").read_text("utf-8"))[
    "line"
]
START = """
git init -q -b main main && cd main && mkdir sub && echo a > a.txt && echo b > sub/b.txt
printf '.worktrees/\\n' > .gitignore && git add . && git commit -qm one
git init -q --bare -b main ../origin.git && git remote add origin ../origin.git && git push -qu origin main
git worktree add -q ../one && git worktree add -q ../two && git worktree add -q .worktrees/three
cd ../one && echo changed > a.txt
"""
LEFT = """
git -C main worktree list | sed 's/ [0-9a-f]* / /'; git -C main log --all --oneline --format='%D %s' | sort
git -C origin.git log --all --oneline --format='%D %s'
find . -type f | grep -v '/.git/\\|origin.git/' | sort
"""


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    return Checker(Home(tmp_path_factory.mktemp("home")))


@pytest.fixture(autouse=True)
def patient_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no reason for another answer."""
    monkeypatch.setattr(ask_git, "GIT_TIMEOUT", 60.0)


class World:
    """A repository with worktrees and a remote, as a command finds and leaves them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.run(".", START)

    def run(self, at: str, text: str) -> tuple[int, str]:
        """Exit code and output of a command in bash."""
        names = {f"GIT_{who}_{what}": "u@h.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        dates = {"GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000"}
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1", **names, **dates}
        done = subprocess.run(
            ["bash", "-c", text], cwd=self.folder / at, env=env, capture_output=True, text=True, timeout=90
        )
        return done.returncode, done.stdout.replace(str(self.folder), "")

    def list_left(self) -> str:
        return self.run(".", LEFT)[1]


def rewrite(checker: Checker, world: World, line: dict[str, str]) -> str:
    at = str(world.folder / line["at"])
    question = {"tool_name": "Bash", "tool_input": {"command": line["cmd"]}, "cwd": at}
    answer = summarize_decision(asyncio.run(checker.decide(question)))
    assert answer["decision"] == ("allow" if line.get("alone") else "rewrite"), answer
    updated = answer["updated_input"]
    return str(updated["command"]) if isinstance(updated, dict) else line["cmd"]


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['at']}: {line['cmd']}"[:100])
def test_a_rewritten_line_does_what_the_line_did(checker: Checker, tmp_path: Path, line: dict[str, str]) -> None:
    """S4-055, S4-058, S4-063: and everything else in it keeps its folder and its effect."""
    before, after = World(tmp_path / "before"), World(tmp_path / "after")
    for world in (before, after):
        world.run(line["at"], line.get("setup", "true"))
    new = rewrite(checker, after, line)
    assert after.run(line["at"], new) == before.run(line["at"], line["cmd"])
    assert after.list_left() == before.list_left()


@pytest.mark.parametrize("line", [line for line in LINES if line.get("moves")], ids=lambda line: line["cmd"])
def test_the_shell_does_not_stay_in_a_folder_that_is_gone(
    checker: Checker, tmp_path: Path, line: dict[str, str]
) -> None:
    """S4-058"""
    world = World(tmp_path / "world")
    world.run("one", "git checkout -q -- a.txt")
    new = rewrite(checker, world, line)
    assert world.run(line["at"], f"{new} && pwd") == (0, "/main\n")
