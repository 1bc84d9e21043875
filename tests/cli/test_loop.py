"""A big task in counted steps, at the command line."""

import json

from synaptic.store import mirror
from synaptic.store.db import Store
from tests.cli.conftest import User

START = ("loop", "start", "move the API", "--promise", "all use v2", "--criterion", "tests pass", "--criterion", "docs")


def test_a_loop_from_start_to_end(user: User):
    """S1-160, S1-163, S1-164"""
    started = user.types(*START, "--json").json
    assert started["active"] is True
    assert started["task"] == "move the API"
    assert started["max_iterations"] == 20
    assert [one["text"] for one in started["acceptance_criteria"]] == ["tests pass", "docs"]
    assert user.types("loop", "log", "moved one client").code == 0
    assert user.types("loop", "status", "--json").json["iteration"] == 1
    refused = user.types("loop", "complete")
    assert refused.code == 1
    assert "1. tests pass; 2. docs" in refused.err
    assert "[x] 1. tests pass" in user.types("loop", "check", "1").out
    user.types("loop", "check", "2")
    assert "the last one: move the API (complete, 1 iterations)" in user.types("loop", "complete").out
    assert user.types("state", "get", "saneloop", "active").out == "false\n"


def test_a_loop_needs_a_promise_and_a_criterion_and_to_be_the_only_one(user: User):
    """S1-162"""
    shown = user.types("loop", "start", "move the API")
    assert shown.code == 1
    assert "a loop needs a promise and a criterion" in shown.err
    user.types(*START)
    assert "already running: move the API" in user.types(*START).err


def test_the_limit_stops_it(user: User):
    """S1-161"""
    user.types(*START, "--max-iterations", "2")
    assert user.types("loop", "log", "one").code == 0
    assert "the next ends the loop" in user.types("loop", "log", "two").err
    beyond = user.types("loop", "log", "three", "--json")
    assert beyond.code == 1
    assert beyond.json["active"] is False
    assert "used its 2 iterations" in beyond.err
    assert "stopped" in user.types("loop", "status").out
    assert user.types("loop", "cancel").code == 0
    assert user.types(*START).code == 0


def test_cancel_without_a_loop_is_said_so(user: User):
    assert "no loop is running" in user.types("loop", "cancel").err
    assert user.types("loop", "status").out == "no loop is running\n"


def test_the_mirror_shows_the_loop(user: User):
    store = Store.open(user.home)
    mirror.write_mirror(store, str(user.project))
    store.close()
    user.types(*START)
    assert json.loads((user.project / ".claude/state.json").read_text())["saneloop"]["task"] == "move the API"
