"""`synaptic agent`."""

from tests.cli.conftest import User


def test_agents_are_registered_shown_and_listed(user: User):
    """S3-208"""
    assert user.types("agent", "list").out == "nobody is known yet\n"
    assert (
        user.types("agent", "register", "A", "--label", "Worker", "--parent", "P").out
        == "A: done, Worker, works for P\n"
    )
    assert (
        user.types("agent", "status", "A", "checked", "--note", "seen").out == "A: checked, Worker, works for P, seen\n"
    )
    user.types("effort", "start", "t", "--skill", "a")
    made = user.types("agent", "register", "A", "--effort", "1", "--json").json
    assert (made["effortId"], made["label"], made["status"]) == (1, None, "done")
    assert "Effort 1: a of" in user.types("agent", "show", "A").out
    assert user.types("agent", "show", "A", "--json").json["effort"]["skill"] == "a"
    assert "A   " in user.types("agent", "list").out
    assert [one["agentId"] for one in user.types("agent", "list", "--json").json["agents"]] == ["A"]


def test_what_cannot_be_has_a_code(user: User):
    """S3-208"""
    user.types("agent", "register", "A")
    for words, code in (
        (("show", "ghost"), "NOT_FOUND"),
        (("status", "ghost", "done"), "NOT_FOUND"),
        (("status", "A", "sleepy"), "VALIDATION_ERROR"),
        (("register", "default"), "VALIDATION_ERROR"),
        (("register", "B", "--effort", "9"), "NOT_FOUND"),
    ):
        shown = user.types("agent", *words, "--json")
        assert (shown.code, shown.json["error"]["code"]) == (1, code)
    assert [one["agentId"] for one in user.types("agent", "list", "--json").json["agents"]] == ["A"]
