"""Who types a command."""

import pytest

from synaptic.cli import caller
from synaptic.cli.place import CommandPlace
from synaptic.model.errors import LayerError
from synaptic.model.home import Home
from synaptic.store.windows import WorkerIdentity
from tests.cli.agents_shell import shell_variables

PLACE = CommandPlace(Home("/h"), "/p/sub", "/p")


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*shell_variables(), "AGENT_ID"):
        monkeypatch.delenv(name, raising=False)


def test_a_person_has_no_window(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "left over from somewhere")
    found = caller.find_caller(PLACE)
    assert (found.root, found.cwd, found.who) == ("/p", "/p/sub", WorkerIdentity())


def test_an_agents_shell_says_which_window_it_belongs_to(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "w1")
    monkeypatch.setenv("AGENT_ID", "main:A")
    assert caller.find_caller(PLACE).who == WorkerIdentity(agent="main:A", host="w1", kind="claude")


@pytest.mark.parametrize(
    ("name", "kind"), [("CODEX_THREAD_ID", "codex"), ("GEMINI_CLI", "gemini"), ("OPENCODE", "opencode")]
)
def test_other_agents_say_who_they_are(monkeypatch: pytest.MonkeyPatch, name: str, kind: str):
    monkeypatch.setenv(name, "x")
    assert caller.find_caller(PLACE).who.kind == kind


def test_the_default_agent_is_none(monkeypatch: pytest.MonkeyPatch):
    """S3-072"""
    monkeypatch.setenv("AGENT_ID", "default")
    assert caller.find_caller(PLACE).who == WorkerIdentity()


def test_a_terminal_is_no_input(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    with pytest.raises(LayerError, match="nothing on stdin"):
        caller.read_standard_input(10)
