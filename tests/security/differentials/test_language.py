"""Constructions of bash, dash and zsh around a command that destroys"""

import asyncio
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.engine.check import Checker, summarize_decision
from synaptic.model.home import Home

HERE = Path(__file__).parent
KNOWN_HOLES = {
    "f() { git reset --hard }; functions[g]=$functions[f]; g": "a zsh function that is copied through a table",
    "zmodload zsh/files; zf_mv ~/victim x": "moving a folder of the home into the project is allowed",
    'a=(git reset --hard); i=0; until [ $i -ge 3 ]; do c="$c ${a[$i]}"; i=$((i+1)); done; $c': (
        "a command that a loop puts together, whose rounds a test counts"
    ),
    "install /dev/stdin e <<< 'git reset --hard'; ./e": "a script that `install` writes from its input",
    "sed -n 'w e' <<< 'git reset --hard'; sh e": "a script that `sed` writes",
    "awk '{print > \"e\"}' <<< 'git reset --hard'; sh e": "a script that `awk` writes",
}


def iter_rows() -> Iterator[object]:
    """One attempt per row, named by its text."""
    for name in ("language", "zsh"):
        for row in tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))["command"]:
            text = row["text"]
            hole = KNOWN_HOLES.get(text)
            yield pytest.param(text, id=text[:80], marks=pytest.mark.known_hole(hole) if hole else ())


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home") / "app"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture(scope="module")
def checker(project: Path) -> Checker:
    return Checker(Home(project.parent / "engine"))


@pytest.mark.parametrize("text", list(iter_rows()))
def test_a_person_is_asked(checker: Checker, project: Path, text: str) -> None:
    question = {"tool_name": "Bash", "tool_input": {"command": text}, "cwd": str(project)}
    answer = summarize_decision(asyncio.run(checker.decide(question)))
    assert answer["decision"] in ("ask", "deny")
