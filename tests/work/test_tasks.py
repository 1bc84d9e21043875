"""Tasks, found by name and by folder."""

from pathlib import Path

import pytest

from synaptic.work.tasks import ListTasks, ShowTask, find_task
from tests.work.desk import Desk, code


def test_a_task_is_found_by_its_name_and_by_every_way_to_write_its_folder(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    desk.start("Login Page")
    folder = f"{desk.root}/.tasks/login-page"
    monkeypatch.setenv("HOME", str(desk.root))
    for named in (
        "login page",
        "LOGIN-PAGE",
        "./.tasks/login-page/",
        folder,
        f"{folder}/../login-page",
        "~/.tasks/login-page",
    ):
        assert find_task(desk.context(), named).folder == folder


def test_a_task_is_found_by_a_path_through_a_link(desk: Desk, tmp_path: Path):
    desk.start("Login Page")
    (tmp_path / "link").symlink_to(desk.root)
    assert find_task(desk.context(), f"{tmp_path}/link/.tasks/login-page").folder == f"{desk.root}/.tasks/login-page"
    assert code(lambda: find_task(desk.context(), f"{tmp_path}/link/.tasks/other")) == "TASK_NOT_FOUND"


def test_another_projects_task_is_found_by_its_folder_only(desk: Desk, tmp_path: Path):
    desk.start()
    elsewhere = desk.context(tmp_path / "other")
    assert find_task(elsewhere, f"{desk.root}/.tasks/t").project == str(desk.root)
    assert code(lambda: find_task(elsewhere, "t")) == "TASK_NOT_FOUND"
    assert ListTasks().run(elsewhere) == []
    assert len(ListTasks(all=True).run(elsewhere)) == 1


def test_a_task_is_shown_with_its_efforts_and_files(desk: Desk):
    path = desk.log(desk.start().effort, "x")
    desk.start(skill="other")
    found = ShowTask(dir_path="t").run(desk.context())
    assert [one.skill for one in found.efforts] == ["build", "other"]
    assert found.artifacts == (path,)
    assert code(lambda: ShowTask(dir_path="~nobody-of-this-name").run(desk.context())) == "TASK_NOT_FOUND"
