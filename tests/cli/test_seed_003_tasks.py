"""One folder is one task, whoever names it and however; its efforts come and go."""

from pathlib import Path

import pytest

from tests.cli.agents_shell import shell_variables
from tests.cli.conftest import User


@pytest.fixture(autouse=True)
def a_person_types(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*shell_variables(), "AGENT_ID"):
        monkeypatch.delenv(name, raising=False)


def start(user: User, task: str, skill: str) -> dict:
    shown = user.types("effort", "start", task, "--skill", skill, "--json")
    assert shown.code == 0, shown
    return shown.json


def test_a_folder_is_one_task_by_whatever_name(user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3-001, S3-004, S3-022: by name, by path, from a folder below and through a link; logs are numbered in it."""
    first = start(user, "Cart", "brainstorm")
    below = user.project / "src"
    below.mkdir()
    monkeypatch.chdir(below)
    second = start(user, "../.tasks/cart/", "implement")
    link = tmp_path / "link"
    link.symlink_to(user.project)
    monkeypatch.chdir(link)
    third = start(user, "cart", "fix")
    assert {one["taskDir"] for one in (first, second, third)} == {f"{user.project}/.tasks/cart"}
    names = ["1_BRAINSTORM_LOG.md", "2_IMPLEMENT_LOG.md", "3_FIX_LOG.md"]
    assert [Path(one["logPath"]).name for one in (first, second, third)] == names
    (task,) = user.types("task", "list", "--json").json["tasks"]
    assert (task["taskDir"], task["efforts"]) == (first["taskDir"], 3)
    seen = []
    for one in (first, second, third):
        assert user.types("effort", "finish", "--effort", str(one["effortId"])).code == 0
        seen.append(user.types("task", "show", "cart", "--json").json["active"])
    assert seen == [True, True, False]
