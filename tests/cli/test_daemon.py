"""The daemon at the keyboard."""

from synaptic.daemon import lifecycle
from tests.cli.conftest import User


def test_start_twice_refuses_the_second_time(user: User):
    """S3-052"""
    first = user.types("daemon", "start")
    assert first.code == 0, first.err
    second = user.types("daemon", "start")
    assert second.code == 1
    assert "already runs" in second.err


def test_status_is_exit_code_1_when_stopped(user: User):
    """S3-052"""
    stopped = user.types("daemon", "status")
    assert (stopped.code, stopped.out.startswith("stopped")) == (1, True)
    user.types("daemon", "start")
    running = user.types("daemon", "status", "--json")
    assert running.code == 0
    assert running.json["state"] == "running"
    assert running.json["pid"] == lifecycle.read_status(user.home).pid
    assert "answered" in running.json


def test_stop_ends_it_and_stopping_nothing_is_fine(user: User):
    """S3-052"""
    user.types("daemon", "start")
    assert user.types("daemon", "stop").code == 0
    assert lifecycle.read_status(user.home).state == "stopped"
    assert "was not running" in user.types("daemon", "stop").out


def test_restart_gives_another_process(user: User):
    user.types("daemon", "start")
    before = lifecycle.read_status(user.home).pid
    assert user.types("daemon", "restart").code == 0
    assert lifecycle.read_status(user.home).pid not in (0, before)


def test_run_in_the_foreground_refuses_beside_another(user: User):
    user.types("daemon", "start")
    shown = user.runs("daemon", "run")
    assert shown.code == 1
    assert "another daemon runs here" in shown.err


def test_a_daemon_with_other_code_is_told_of_by_every_door_and_replaced_by_up(user: User, monkeypatch):
    user.types("up")
    pid = lifecycle.read_status(user.home).pid
    assert "fail  daemon" not in user.types("doctor").out
    monkeypatch.setattr("synaptic.daemon.checks.read_installed_stamp", lambda home: "another")
    found = user.types("doctor")
    assert (found.code, f"process {pid}" in found.out, "other code" in found.out) == (1, True, True)
    assert "other code" in user.types("daemon", "status").err
    assert "other code" in user.types("rpc", "daemon.status").err
    assert lifecycle.read_status(user.home).pid == pid
