"""`synaptic session`."""

import io
import sys

import pytest

from tests.cli.conftest import User

PAYLOAD = b'{"summary": "what was done", "lastAction": "l", "nextSteps": []}'


def test_sessions_are_listed_and_shown(user: User, monkeypatch: pytest.MonkeyPatch):
    """S3-002, S3-190"""
    assert user.types("session", "list").out == "no session is open\n"
    monkeypatch.setenv("AGENT_ID", "A")
    user.types("effort", "start", "t", "--skill", "a")
    assert [one["agentId"] for one in user.types("session", "list", "--json").json["sessions"]] == ["A"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PAYLOAD)))
    user.types("effort", "dehydrate")
    user.types("effort", "resume")
    assert [one["sessionId"] for one in user.types("session", "list", "--json").json["sessions"]] == [2]
    ended = user.types("session", "list", "--all", "--effort", "1").out
    assert ended.splitlines()[2].startswith("1 ")
    shown = user.types("session", "show", "1").out
    assert "It left (told):" in shown
    assert "what was done" in shown
    assert "It follows session 1." in user.types("session", "show", "2").out
    assert user.types("session", "show", "2", "--json").json["prevSessionId"] == 1


def test_what_is_not_there_has_a_code(user: User):
    for words in (("show", "9"), ("list", "--effort", "9")):
        shown = user.types("session", *words, "--json")
        assert (shown.code, shown.json["error"]["code"]) == (1, "NOT_FOUND")
