"""No rule file loosens any decision, whatever is in it; and what a rule rewrites is judged as if it was written so."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from synaptic.engine.check import Checker
from synaptic.model.decision import Decision
from synaptic.model.home import Home
from tests.engine.calls import sample_calls
from tests.hooks.rules.made import rule_files

SLOWLY = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Judge:
    """The built-in policies of one preset, and one file of rules."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.home = Home(folder / "user" / ".synaptic")
        self.home.root.mkdir(parents=True)
        self.rules = self.project / ".synaptic" / "rules.toml"
        self.rules.parent.mkdir(parents=True)
        self.env = {"HOME": str(folder / "user")}

    def decide_all(self, calls: list[Mapping[str, object]], text: str, by_user: bool = False) -> list[Decision]:
        self.home.config.write_text('presets = ["essentials"]\n' + (text if by_user else ""))
        self.rules.write_text("" if by_user else text)
        return asyncio.run(self._decide_all(calls))

    async def _decide_all(self, calls: list[Mapping[str, object]]) -> list[Decision]:
        checker = Checker(self.home, env=self.env)
        try:
            return [await checker.decide({**call, "cwd": str(self.project)}) for call in calls]
        finally:
            await checker.close()


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("rules"))


@pytest.fixture(scope="module")
def calls(judge: Judge) -> list[Mapping[str, object]]:
    found = sample_calls(str(judge.project), 61)
    return [{"tool_name": tool, "tool_input": given} for tool, given in found]


@pytest.fixture(scope="module")
def plain(judge: Judge, calls: list[Mapping[str, object]]) -> list[Decision]:
    return judge.decide_all(calls, "")


@SLOWLY
@given(text=rule_files())
def test_no_rules_of_a_project_loosen_a_decision(judge: Judge, calls, plain, text: str) -> None:
    for call, before, after in zip(calls, plain, judge.decide_all(calls, text), strict=True):
        assert after.kind.rank >= before.kind.rank, (text, call, before.kind, after.kind, after.reason)
        assert not after.allowed or before.allowed


@SLOWLY
@given(text=rule_files())
def test_no_rules_of_the_user_loosen_one_and_a_rewritten_call_is_judged_as_such(
    judge: Judge, calls, plain, text: str
) -> None:
    decided = judge.decide_all(calls, text, by_user=True)
    rewritten = []
    for call, before, after in zip(calls, plain, decided, strict=True):
        assert after.kind.rank >= before.kind.rank, (text, call, before.kind, after.kind, after.reason)
        if after.input is not None:
            rewritten.append(({**call, "tool_input": after.input}, after))
    again = judge.decide_all([call for call, _ in rewritten], text, by_user=True)
    for (call, first), direct in zip(rewritten, again, strict=True):
        assert first.kind.rank >= direct.kind.rank, (text, call, first.kind, direct.kind, direct.reason)
