"""The agent's process."""

import os
import signal
import time

import pytest

from synaptic.fleet.child import AgentProcess, ProcessEnd
from synaptic.model.errors import SynapticError
from tests.fleet.hosts import until


def ended(child: AgentProcess) -> ProcessEnd:
    assert until(lambda: child.poll() is not None)
    assert child.ended is not None
    return child.ended


@pytest.mark.parametrize(
    ("script", "wanted", "words"),
    [
        ("exit 0", ProcessEnd(), "ended with exit code 0"),
        ("exit 3", ProcessEnd(code=3), "ended with exit code 3"),
        ("kill -9 $$", ProcessEnd(signal=9), "was ended by SIGKILL"),
    ],
)
def test_how_it_ended(script: str, wanted: ProcessEnd, words: str):
    found = ended(AgentProcess(("sh", "-c", script), dict(os.environ)))
    assert (found, found.description) == (wanted, words)


def test_it_is_signalled_until_it_has_ended():
    child = AgentProcess(("sleep", "60"), dict(os.environ))
    assert child.poll() is None
    child.send_signal(signal.SIGTERM)
    assert ended(child) == ProcessEnd(signal=signal.SIGTERM)
    child.send_signal(signal.SIGTERM)
    assert child.lifetime > 0


def test_where_there_is_no_terminal_one_that_is_stopped_stays_stopped(monkeypatch):
    monkeypatch.setattr(os, "isatty", lambda fd: False)
    child = AgentProcess(("sleep", "60"), dict(os.environ))
    child.send_signal(signal.SIGSTOP)
    time.sleep(0.1)
    assert child.poll() is None
    child.send_signal(signal.SIGKILL)
    assert ended(child).signal == signal.SIGKILL


@pytest.mark.parametrize("command", [("/no/such/program",), ("bad\0name",), ("/",)])
def test_what_cannot_be_started_is_said(command: tuple[str, ...]):
    with pytest.raises(SynapticError):
        AgentProcess(command, {})
