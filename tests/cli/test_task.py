"""`synaptic task`."""

from tests.cli.conftest import User


def test_a_task_is_active_while_an_effort_is(user: User):
    """S3-004, S3-022"""
    assert "there are no tasks" in user.types("task", "list").out
    user.types("effort", "start", "t", "--skill", "a", "--title", "The T", "--keyword", "k")
    (found,) = user.types("task", "list", "--json").json["tasks"]
    assert (found["active"], found["title"], found["efforts"]) == (True, "The T", 1)
    user.types("effort", "log", "x")
    user.types("effort", "finish")
    user.types("effort", "start", "./.tasks/t", "--skill", "b")
    user.types("effort", "finish")
    assert "dormant" in user.types("task", "list").out
    shown = user.types("task", "show", "T").out
    assert shown.startswith("The T: dormant\n")
    assert "Keywords: k" in shown
    assert "1. a (effort 1): finished" in shown
    assert "2. b (effort 2): finished" in shown
    assert "1_A_LOG.md" in shown
    whole = user.types("task", "show", ".tasks/t", "--json").json
    assert [one["ordinal"] for one in whole["effortList"]] == [1, 2]


def test_an_unknown_task_is_said_to_be(user: User):
    shown = user.types("task", "show", "nowhere", "--json")
    assert (shown.code, shown.json["error"]["code"]) == (1, "TASK_NOT_FOUND")


def test_other_projects_only_on_request(user: User, tmp_path, monkeypatch):
    user.types("effort", "start", "t", "--skill", "a")
    (tmp_path / "other/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "other")
    assert user.types("task", "list", "--json").json["tasks"] == []
    assert len(user.types("task", "list", "--all", "--json").json["tasks"]) == 1
