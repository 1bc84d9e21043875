"""Turns: one at a time, and nobody waits who need not."""

import os
import threading
from pathlib import Path

import pytest

from synaptic.daemon import turn
from synaptic.daemon.turn import Turn, wait_for_turn
from synaptic.model.call import Answer
from synaptic.model.home import Home
from tests.native.fake_daemon import FakeDaemon, hold_lock, tell

OK = Answer(b"out")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def ask_nobody() -> Answer | None:
    return None


def test_a_turn_is_had_once_and_again_after_it_was_given_back(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "TURN_SECONDS", 0.3)
    first = wait_for_turn(home, ask_nobody)
    assert isinstance(first, Turn)
    assert wait_for_turn(home, ask_nobody) is None
    first.give_back()
    first.give_back()
    second = wait_for_turn(home, ask_nobody)
    assert isinstance(second, Turn)
    second.give_back()


def test_a_turn_that_ends_is_taken_by_who_waits(home: Home) -> None:
    first = wait_for_turn(home, ask_nobody)
    assert isinstance(first, Turn)
    threading.Timer(0.3, first.give_back).start()
    second = wait_for_turn(home, ask_nobody)
    assert isinstance(second, Turn)
    second.give_back()


def test_a_daemon_that_comes_up_answers_who_waits_for_a_turn(home: Home) -> None:
    first = wait_for_turn(home, ask_nobody)
    assert isinstance(first, Turn)
    with FakeDaemon(home, tell(OK)):
        assert wait_for_turn(home, lambda: OK) == OK
    first.give_back()


def test_a_daemon_that_had_no_answer_is_asked_again_after_a_while(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "AGAIN_SECONDS", 0.2)
    answers = iter((None, None, OK))
    first = wait_for_turn(home, ask_nobody)
    assert isinstance(first, Turn)
    with FakeDaemon(home, tell(OK)):
        assert wait_for_turn(home, lambda: next(answers)) == OK
    first.give_back()


def test_a_daemon_that_does_not_answer_is_asked_twice_at_once_and_no_more(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn, "TURN_SECONDS", 0.5)
    asked: list[int] = []
    first = wait_for_turn(home, ask_nobody)
    assert isinstance(first, Turn)
    with FakeDaemon(home, tell(OK)):
        assert wait_for_turn(home, lambda: asked.append(1)) is None
    assert len(asked) == 2
    first.give_back()


def test_a_daemon_that_is_starting_is_waited_for(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "STARTING_SECONDS", 30.0)
    lock = hold_lock(home.lock)
    threading.Timer(0.3, os.close, (lock,)).start()
    taken = wait_for_turn(home, ask_nobody)
    assert isinstance(taken, Turn)
    taken.give_back()


def test_where_there_can_be_no_queue_nobody_waits(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert isinstance(wait_for_turn(Home(tmp_path / "file" / "home"), ask_nobody), Turn)


def test_a_turn_that_is_given_back_is_free_although_the_dispatcher_keeps_its_descriptor(home: Home) -> None:
    """The dispatcher passes its turn on to its child, and waits: both have the same open file."""
    first = wait_for_turn(home, ask_nobody)
    assert isinstance(first, Turn)
    kept = os.dup(first._fd)
    first.give_back()
    second = wait_for_turn(home, ask_nobody)
    assert isinstance(second, Turn)
    second.give_back()
    os.close(kept)
