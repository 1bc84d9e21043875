"""Commands that destroyed something in a real shell through programs, languages and git: none is allowed."""

import asyncio
import tomllib
from pathlib import Path

import pytest

from synaptic.engine.check import Checker, summarize_decision
from synaptic.model.home import Home

ROWS = tomllib.loads(Path(__file__).with_name("programs.toml").read_text(encoding="utf-8"))["command"]
CWD = "/home/dev/project"


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    return Checker(Home(tmp_path_factory.mktemp("home")))


@pytest.mark.parametrize("text", [row["text"] for row in ROWS])
def test_what_destroyed_something_is_not_allowed(checker: Checker, text: str) -> None:
    question = {"tool_name": "Bash", "tool_input": {"command": text}, "cwd": CWD}
    assert summarize_decision(asyncio.run(checker.decide(question)))["decision"] in ("deny", "ask")
