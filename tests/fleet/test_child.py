"""The agent's process."""

import os
import signal
import time

import pytest

from synaptic.fleet.child import Child, Ended
from synaptic.model.errors import SynapticError
from tests.fleet.hosts import until


def ended(child: Child) -> Ended:
    assert until(lambda: child.look() is not None)
    assert child.ended is not None
    return child.ended


@pytest.mark.parametrize(
    ("script", "wanted", "words"),
    [
        ("exit 0", Ended(), "ended with exit code 0"),
        ("exit 3", Ended(code=3), "ended with exit code 3"),
        ("kill -9 $$", Ended(signal=9), "was ended by SIGKILL"),
    ],
)
def test_how_it_ended(script: str, wanted: Ended, words: str):
    found = ended(Child(("sh", "-c", script), dict(os.environ)))
    assert (found, found.words) == (wanted, words)


def test_it_is_signalled_until_it_has_ended():
    child = Child(("sleep", "60"), dict(os.environ))
    assert child.look() is None
    child.send(signal.SIGTERM)
    assert ended(child) == Ended(signal=signal.SIGTERM)
    child.send(signal.SIGTERM)
    assert child.lived > 0


def test_where_there_is_no_terminal_one_that_is_stopped_stays_stopped(monkeypatch):
    monkeypatch.setattr(os, "isatty", lambda fd: False)
    child = Child(("sleep", "60"), dict(os.environ))
    child.send(signal.SIGSTOP)
    time.sleep(0.1)
    assert child.look() is None
    child.send(signal.SIGKILL)
    assert ended(child).signal == signal.SIGKILL


@pytest.mark.parametrize("command", [("/no/such/program",), ("bad\0name",), ("/",)])
def test_what_cannot_be_started_is_said(command: tuple[str, ...]):
    with pytest.raises(SynapticError):
        Child(command, {})
