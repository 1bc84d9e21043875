"""The overview: with nothing, with everything, and with what is broken."""

import os
import signal
import socket

import pytest

from synaptic.daemon import lifecycle
from tests.cli.conftest import User
from tests.cli.test_report import Agent, agent
from tests.cli.test_screen import at_terminal

__all__ = ["agent"]
SCREEN = {"TERM": "xterm", "COLUMNS": "80", "LINES": "24", "NO_COLOR": "1"}


def test_without_anything_it_says_what_to_type(user: User):
    shown = user.types()
    assert (shown.code, shown.err) == (0, "")
    assert "not set up yet" in shown.out
    assert "  synaptic up " in shown.out
    assert not user.home.root.exists()


def test_the_verb_and_no_verb_say_the_same(user: User):
    assert user.types("status").out == user.types().out
    found = user.types("status", "--json").json
    assert found["ok"] is True
    assert (found["installed"], found["daemon"], found["presets"]) == (False, "stopped", ["essentials"])


def test_what_is_set_up_and_what_happened(user: User):
    user.types("bootstrap")
    user.configures('presets = ["essentials", "sane"]\n')
    user.writes(".synaptic/config.toml", 'presets = ["practice"]\n')
    user.sends()
    found = user.types("status", "--json").json
    assert (found["installed"], found["daemon"], found["agents"]) == (True, "running", ["claude"])
    assert (found["presets"], found["project_presets"]) == (["essentials", "sane"], ["practice"])
    assert found["guard"] == "on for claude"
    assert (found["today"]["events"], found["today"]["denied"]) == (1, 0)
    assert found["today"]["projects"] == [str(user.project)]
    assert (found["open_refusals"], found["open_questions"]) == (0, 0)
    assert found["trouble"] == []
    assert "synaptic tail -f" in found["next"]


def test_what_waits_for_an_answer_and_what_was_stopped(user: User, agent: Agent):
    user.types("bootstrap")
    agent.asks("git push --force origin main")
    agent.asks("git push --force origin main")
    agent.asks("terraform destroy -auto-approve")
    agent.asks("ls")
    found = user.types("status", "--json").json
    assert (found["today"]["denied"], found["today"]["asked"]) == (2, 1)
    assert (found["today"]["busiest"], found["today"]["busiest_count"]) == ("git.force-push", 2)
    assert (found["open_refusals"], found["open_questions"]) == (1, 1)
    assert len(found["last"]) == 3 and "terraform destroy" in found["last"][-1]
    assert "synaptic inbox" in found["next"]
    shown = user.types("status").out
    assert "inbox     1 refusal and 1 question not answered: synaptic inbox" in shown
    assert "2 denied, 1 asked about, 0 rewritten, 0 with a hook that failed" in shown


def test_it_fits_one_screen_and_no_word_is_broken(user: User, agent: Agent):
    user.types("bootstrap")
    for _ in range(4):
        user.sends()
        agent.asks("git push --force origin main")
    agent.asks("terraform destroy -auto-approve")
    code, seen = at_terminal([], **SCREEN)
    lines = seen.replace("\r", "").rstrip("\n").split("\n")
    assert code == 0
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_a_daemon_that_hangs_is_told_and_waited_for_only_a_moment(user: User):
    user.types("bootstrap")
    user.sends()
    pid = lifecycle.read_status(user.home).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        found = user.types("status", "--json").json
    finally:
        os.kill(pid, signal.SIGCONT)
    assert found["daemon"] == "hanging"
    assert found["next"][:2] == ["synaptic daemon restart", "synaptic doctor"]
    assert found["today"]["events"] == 1


@pytest.mark.parametrize("content", [b"no database", b""])
def test_a_broken_database_hides_nothing_else(user: User, content: bytes):
    user.types("bootstrap")
    user.home.database.write_bytes(content)
    shown = user.types("status")
    assert shown.code == 0
    assert "guard     on for claude" in shown.out


def test_a_broken_config_is_told(user: User):
    user.configures("presets = [")
    shown = user.types("status")
    assert shown.code == 0
    assert "is no valid TOML" in shown.out


def test_a_config_that_is_something_else_is_no_reason_to_fail(user: User):
    user.configures("")
    user.home.config.unlink()
    user.home.config.mkdir()
    (user.project / ".synaptic").mkdir()
    with socket.socket(socket.AF_UNIX) as odd:
        odd.bind(str(user.project / ".synaptic" / "config.toml"))
        assert user.types("status").code == 0


def test_names_in_a_config_cannot_drive_the_terminal(user: User):
    user.configures('presets = ["\\u001b[2Jx"]\n')
    assert "\u001b" not in user.types("status").out
