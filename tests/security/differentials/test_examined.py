"""Commands of an examiner who had seen neither the reader nor its cases"""

import asyncio
import tomllib
from pathlib import Path

import pytest

from synaptic.engine.check import Checker, summarize_decision
from synaptic.model.home import Home

ROWS = tomllib.loads(Path(__file__).with_name("examined.toml").read_text(encoding="utf-8"))["command"]
HOLE = (
    "a loss that is not taken for one yet: a single file outside the project, work that git puts back, a rarer program"
)
USER = "/home/dev"


@pytest.fixture(scope="module")
def checker() -> Checker:
    return Checker(Home(Path(USER, ".synaptic")))


def mark_hole(row: dict[str, str]) -> object:
    return pytest.param(row["text"], id=row["text"][:80], marks=pytest.mark.known_hole(HOLE) if "hole" in row else ())


@pytest.mark.parametrize("text", list(map(mark_hole, ROWS)))
def test_what_did_damage_is_not_allowed(checker: Checker, text: str) -> None:
    question = {"tool_name": "Bash", "tool_input": {"command": text}, "cwd": f"{USER}/app"}
    assert summarize_decision(asyncio.run(checker.decide(question)))["decision"] in ("deny", "ask")
