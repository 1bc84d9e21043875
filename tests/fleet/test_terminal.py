"""The terminal belongs to the agent: keys, stopping, and how it is left."""

import os
import pty
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Iterator

import pytest

from tests.fleet.hosts import SYNAPTIC, Fleet, until


class Screen:
    """A terminal with a program in it, as a window has it."""

    def __init__(self, fleet: Fleet, *words: str) -> None:
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(fleet.project)
            os.execve(words[0], words, {**fleet.environ, "STARTS": str(fleet.starts_file("a"))})
        self.text = ""
        self.code: int | None = None

    def shows(self, text: str, seconds: float = 20.0) -> bool:
        return until(lambda: self.read() and bool(re.search(text, self.text)), seconds)

    def read(self) -> bool:
        while select.select([self.fd], [], [], 0.02)[0]:
            try:
                self.text += os.read(self.fd, 4096).decode(errors="replace")
            except OSError:
                break
        return True

    def types(self, keys: bytes) -> None:
        os.write(self.fd, keys)

    def ended(self) -> int:
        assert until(lambda: self.read() and self.poll() is not None), self.text
        return self.code or 0

    def poll(self) -> int | None:
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if pid else None
        return self.code

    def close(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGHUP)
            os.kill(self.pid, signal.SIGCONT)
            if not until(lambda: self.poll() is not None, 10):
                os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)


@pytest.fixture
def screen(fleet: Fleet) -> Iterator:
    opened: list[Screen] = []

    def start(*words: str) -> Screen:
        opened.append(Screen(fleet, *words))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def run(*words: str) -> tuple[str, ...]:
    return (*SYNAPTIC, "run", "--agent", "a", "--", *words)


def test_the_interrupt_key_ends_an_agent_that_does_not_catch_it_and_that_is_no_crash(fleet: Fleet, screen):
    shown = screen(*run("sh", "-c", "echo ready; sleep 60"))
    assert shown.shows("ready")
    shown.types(b"\x03")
    assert shown.ended() == 130
    assert fleet.member("a").status == "done"
    assert "started again" not in shown.text


def test_the_interrupt_key_goes_to_an_agent_that_catches_it(fleet: Fleet, screen):
    shown = screen(*run("sh", "-c", "trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.1; done"))
    assert shown.shows("ready")
    shown.types(b"\x03")
    assert shown.ended() == 7
    assert "caught" in shown.text


def test_what_is_typed_reaches_the_agent(fleet: Fleet, screen):
    shown = screen(*run("sh", "-c", "echo ready; read line; echo got $line; tty"))
    assert shown.shows("ready")
    shown.types(b"hello\n")
    assert shown.ended() == 0
    assert "got hello" in shown.text
    assert "/dev/" in shown.text


@pytest.mark.parametrize("how", ["kill -STOP $$", "kill -TSTP $$"])
def test_an_agent_that_stops_gives_the_shell_back_and_goes_on_with_it(fleet: Fleet, screen, how: str):
    command = " ".join(f"'{word}'" for word in run("sh", "-c", f"echo ready; {how}; echo back; exit 5"))
    shown = screen("/bin/bash", "--norc", "-mc", f"{command}; echo shell $?; fg; echo code $?")
    assert shown.shows("shell 1(48|47)"), shown.text
    assert shown.shows("back"), shown.text
    assert shown.shows("code 5"), shown.text


def test_the_stop_key_stops_both_and_the_shell_continues_both(fleet: Fleet, screen):
    command = " ".join(f"'{word}'" for word in run("sh", "-c", "echo ready; read line; echo got $line; exit 5"))
    shown = screen("/bin/bash", "--norc", "-mc", f"{command}; echo shell $?; fg; echo code $?")
    assert shown.shows("ready")
    shown.types(b"\x1a")
    assert shown.shows("shell 148"), shown.text
    time.sleep(0.2)
    shown.types(b"hello\n")
    assert shown.shows("got hello"), shown.text
    assert shown.shows("code 5"), shown.text


def test_where_no_shell_could_continue_it_an_agent_that_stops_goes_on_at_once(fleet: Fleet, screen):
    shown = screen(*run("sh", "-c", "kill -STOP $$; echo back; exit 5"))
    assert shown.ended() == 5
    assert "back" in shown.text


def test_an_agent_that_is_killed_leaves_the_terminal_as_it_was(fleet: Fleet, screen):
    command = (*SYNAPTIC, "run", "--agent", "a", "--restarts", "0", "--")
    shown = screen(*command, "sh", "-c", r"stty raw -echo; printf '\033[?1049h'; echo ready; sleep 60 & wait")
    before = termios.tcgetattr(shown.fd)
    assert shown.shows("ready")
    assert termios.tcgetattr(shown.fd)[3] != before[3]
    assert fleet.is_("a", "working")
    os.kill(child_of(shown.pid), signal.SIGKILL)
    assert shown.shows("given up")
    assert termios.tcgetattr(shown.fd)[:4] == before[:4]
    assert "\x1b[?1049l" in shown.text
    assert "\x1b[?25h" in shown.text


def child_of(pid: int) -> int:
    return int(subprocess.check_output(["pgrep", "-P", str(pid)]).split()[0])
