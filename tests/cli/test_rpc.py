"""One call on the socket."""

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
    assert user.types("rpc", "no.such.method", "--json").json["ok"] is False


def test_without_a_daemon_it_says_what_to_type(user: User):
    shown = user.types("rpc", "daemon.status")
    assert shown.code == 1
    assert "synaptic daemon start" in shown.err


def test_arguments_that_are_no_object(user: User):
    assert "no JSON object" in user.types("rpc", "x", "[1]").err
