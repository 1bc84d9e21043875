"""One call on the socket."""

import pytest

from synaptic.cli import daemon
from synaptic.daemon import lifecycle
from tests.cli.conftest import User


def test_a_method_is_called_and_answers_json(user: User):
    user.types("daemon", "start")
    assert "daemon.status" in user.types("rpc", "rpc.methods").json
    assert user.types("rpc", "journal.last", '{"n": 3}').json == []


def test_an_error_of_the_daemon_is_told(user: User):
    user.types("daemon", "start")
    shown = user.types("rpc", "no.such.method")
    assert shown.code == 1
    assert "no.such.method" in shown.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("no.such.method",), "UNKNOWN_COMMAND"),
        (("session.show", '{"sessionId": 9}'), "NOT_FOUND"),
        (("session.show", '{"sessionId": "x"}'), "VALIDATION_ERROR"),
        (("session.show", '{"sessionId": 9, "more": 1}'), "VALIDATION_ERROR"),
    ],
)
def test_an_error_as_json_keeps_its_code(user: User, words: tuple[str, ...], code: str):
    """S3-044"""
    shown = user.types("rpc", *words, "--json")
    assert shown.code == 1
    assert shown.json["error"]["code"] == code
    assert shown.json["error"]["message"]


def test_a_hand_over_by_an_unknown_name_is_refused_with_the_names_that_are_known(user: User):
    """S3-190"""
    user.types("effort", "start", "t", "--skill", "a")
    shown = user.types("rpc", "session.finish", '{"sessionId": 1, "handover": {}}')
    assert shown.code == 1
    assert "`handover`" in shown.err
    assert "payload, sessionId" in shown.err
    assert user.types("session", "show", "1", "--json").json["endedAt"] is None


def test_without_a_daemon_one_is_started(user: User):
    """S3-051"""
    assert user.types("rpc", "daemon.status").code == 0
    assert user.types("daemon", "status").code == 0


def test_a_daemon_that_cannot_be_started_is_told(user: User, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(daemon, "READY_SECONDS", 0.1)
    monkeypatch.setattr(lifecycle, "start_daemon", lambda home: True)
    shown = user.types("rpc", "daemon.status", "--json")
    assert shown.code == 1
    assert "does not answer" in shown.json["error"]["message"]


def test_arguments_that_are_no_object(user: User):
    assert "no JSON object" in user.types("rpc", "x", "[1]").err
