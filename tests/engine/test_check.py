import asyncio
from pathlib import Path

import pytest

from synaptic.engine.check import Checker, summarize_decision
from synaptic.model.errors import PayloadError
from synaptic.model.home import Home


@pytest.fixture
def checker(tmp_path: Path) -> Checker:
    home = Home(tmp_path / ".synaptic")
    home.root.mkdir()
    home.config.write_text('presets = ["strict"]\n')
    return Checker(home)


def ask(checker: Checker, **question: object) -> dict[str, object]:
    return summarize_decision(asyncio.run(checker.decide(question)))


def test_a_call_is_judged_by_the_policies_alone(checker: Checker, tmp_path: Path) -> None:
    (tmp_path / "p" / ".git").mkdir(parents=True)
    cwd = str(tmp_path / "p")
    inside = ask(checker, tool_name="Read", tool_input={"file_path": f"{cwd}/a"}, cwd=cwd)
    assert inside == {"decision": "allow", "policy": None, "reason": None, "updated_input": None}
    outside = ask(checker, tool_name="Read", tool_input={"file_path": "/etc/shadow"}, cwd=cwd)
    assert (outside["decision"], outside["policy"]) == ("deny", "paths.outside-project")


def test_nothing_is_written(checker: Checker, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    ask(checker, tool_name="Bash", tool_input={"command": "ls"}, cwd=str(tmp_path))
    assert sorted(tmp_path.rglob("*")) == before


def test_an_unknown_agent_is_an_error(checker: Checker) -> None:
    with pytest.raises(PayloadError, match="nobody"):
        ask(checker, agent="nobody", tool_name="Bash", tool_input={})
