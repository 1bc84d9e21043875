"""With any bundle and any config of the user, no decision on a call is looser than without the bundle."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from synaptic.engine.check import Checker
from synaptic.model.decision import Decision
from synaptic.model.home import Home
from tests.engine.calls import sample_calls
from tests.hooks.bundles import bundle_texts, remove_bundle, seal_into, settings_texts

SLOWLY = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Judge:
    """One home, one project, and the same calls again and again."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.home = Home(folder / "user" / ".synaptic")
        self.home.root.mkdir(parents=True)
        (self.project / ".synaptic").mkdir(parents=True)
        self.env = {"HOME": str(folder / "user")}
        found = sample_calls(str(self.project), 61)
        self.calls: list[Mapping[str, object]] = [{"tool_name": tool, "tool_input": given} for tool, given in found]

    def decide_all(self, user: str, project: str, bundle: str = "", *, is_managed: bool = False) -> list[Decision]:
        self.home.config.write_text(user)
        (self.project / ".synaptic" / "config.toml").write_text(project)
        remove_bundle(self.home)
        if bundle:
            seal_into(self.home, bundle, is_managed=is_managed)
        return asyncio.run(self._decide_all())

    async def _decide_all(self) -> list[Decision]:
        checker = Checker(self.home, env=self.env)
        try:
            return [await checker.decide({**call, "cwd": str(self.project)}) for call in self.calls]
        finally:
            await checker.close()


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("bundles"))


@SLOWLY
@given(user=settings_texts(), bundle=bundle_texts(), project=settings_texts())
def test_no_bundle_loosens_a_decision(judge: Judge, user: str, bundle: str, project: str) -> None:
    plain = judge.decide_all(user, project)
    for is_managed in (False, True):
        decided = judge.decide_all(user, project, bundle, is_managed=is_managed)
        for call, before, after in zip(judge.calls, plain, decided, strict=True):
            assert after.kind.rank >= before.kind.rank, (user, bundle, call, before.kind, after.kind, after.reason)
            assert not after.allowed or before.allowed


def test_a_bundle_does_say_something(judge: Judge) -> None:
    rule = '[[rule]]\nid = "acme.npm"\nthen = "deny"\nrun = "npm"\nsay = "not here"\n'
    decided = judge.decide_all("", "", f'name = "acme"\nversion = 1\n{rule}')
    plain = judge.decide_all("", "")
    assert [one.by for one in decided].count("acme.npm") > 0
    assert sum(one.kind is not other.kind for one, other in zip(decided, plain, strict=True)) > 0


def test_a_bundle_changes_no_command_and_refuses_with_the_corrected_one(judge: Judge) -> None:
    rule = (
        '[[rule]]\nid = "acme.kubectl"\nthen = "rewrite"\nrun = "kubectl"\nremove = ["--dry-run"]\nsay = "for real"\n'
    )
    judge.calls.append({"tool_name": "Bash", "tool_input": {"command": "kubectl apply --dry-run -f x.yml"}})
    try:
        decided = judge.decide_all("", "", f'name = "acme"\nversion = 1\n{rule}')[-1]
    finally:
        judge.calls.pop()
    assert (decided.kind, decided.by, decided.input) == ("deny", "acme.kubectl", None)
    assert "Use instead: kubectl apply  -f x.yml" in decided.reason
