"""What is suggested can be typed: it is about the same project, and covers what it is evidence of."""

import asyncio
from pathlib import Path

import pytest

from synaptic.engine.walk import open_engine
from synaptic.store import grants, refused
from synaptic.store.db import Store
from synaptic.work.replay import ReplayScope
from synaptic.work.suggest import Suggestion, find_suggestions
from tests.daemon.setting import Setting
from tests.lib.grants import grant_for


def allow_again_and_again(setting: Setting, project: Path, commands: list[str]) -> None:
    """Each call is refused and allowed once."""
    (project / ".synaptic").mkdir(parents=True, exist_ok=True)

    async def work() -> None:
        engine = open_engine(setting.home)
        try:
            for command in commands:
                request = setting.request(cwd=str(project), tool_input={"command": command})
                await engine.answer(request)
                made = next(one for one in refused.list_refused(engine.store) if one.call == request.id)
                known = [grant_for(act, root=made.subject.root, shown=command) for act in made.subject.acts]
                grants.add_grants(engine.store, known)
        finally:
            await engine.close()

    asyncio.run(work())


def suggest(setting: Setting, root: Path) -> list[Suggestion]:
    store = Store.open(setting.home)
    try:
        found = find_suggestions(store, ReplayScope(since=0.0, until=1e12, root=str(root)))
    finally:
        store.close()
    return [one for one in found if one.kind == "exception"]


def find_codes(setting: Setting, root: Path) -> set[str]:
    store = Store.open(setting.home)
    try:
        return {one.code for one in refused.list_refused(store) if one.subject.root == str(root)}
    finally:
        store.close()


def test_an_exception_is_suggested_by_a_code_of_the_same_project(setting: Setting, tmp_path: Path):
    """It would count in the project of the refusal that is named."""
    here, there = tmp_path / "here", tmp_path / "there"
    for project in (here, there):
        allow_again_and_again(
            setting, project, [f"git push --force origin {one}" for one in ("main", "main:main", "master")]
        )
    for project in (here, there):
        (one,) = suggest(setting, project)
        assert one.type.split()[2] in find_codes(setting, project)


@pytest.mark.parametrize(
    ("commands", "pattern"),
    [
        (
            ["git push --force origin main", "git push --force upstream main", "git push --force fork main"],
            "git push --force * main",
        ),
        (["git push --force origin main", "git push -f origin main:main x", "git push -f origin master"], ""),
        ([f"git push --force origin main {'x' * 150}{one} y" for one in "abc"], ""),
    ],
)
def test_a_pattern_is_suggested_only_where_it_covers_what_was_allowed(
    setting: Setting, commands: list[str], pattern: str
):
    allow_again_and_again(setting, setting.project, commands)
    (one,) = suggest(setting, setting.project)
    assert ("--like" in one.type) == bool(pattern)
    assert one.type.endswith(f"--like '{pattern}'") if pattern else one.type.startswith("synaptic explain ")
