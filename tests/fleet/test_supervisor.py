"""An agent in the foreground, started again when it is asked for or has crashed."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from synaptic.store import lease
from synaptic.store.layers import find_agent as agent_of
from tests.fleet.hosts import Fleet, until


def wait(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    _, said = process.communicate(timeout=30)
    return process.returncode, said.decode()


def test_on_request_the_agent_is_ended_and_started_again_with_the_prompt(fleet: Fleet):
    """S3-240, S3-245: the supervisor kills, nobody else."""
    process = fleet.run("a", fleet.program("claude"), "--model", "m", "old prompt", "--resume", "1234")
    (first,) = fleet.started("a")
    assert (first["agent"], first["ppid"]) == ("a", process.pid)
    assert first["argv"] == ["--model", "m", "old prompt", "--resume", "1234"]
    assert fleet.is_("a", "working")
    fleet.asks("a", "Go on with the effort")
    second = fleet.started("a", 2)[1]
    assert second["argv"] == ["Go on with the effort", "--model", "m"]
    assert (second["agent"], second["ppid"]) == ("a", process.pid)
    assert not Path(f"/proc/{first['pid']}").exists()
    assert fleet.is_("a", "working")
    time.sleep(0.3)
    assert len(fleet.starts("a")) == 2, "a request counts once"


def test_a_request_for_one_agent_restarts_only_that_one(fleet: Fleet):
    """S3-241"""
    for name in ("a", "b"):
        fleet.run(name, fleet.program())
        fleet.started(name)
    fleet.asks("a", "go on")
    fleet.started("a", 2)
    time.sleep(0.5)
    assert len(fleet.starts("b")) == 1


def test_one_that_does_not_listen_is_killed_after_a_second(fleet: Fleet):
    process = fleet.run("a", fleet.program(), IGNORE_TERM="1")
    (first,) = fleet.started("a")
    asked = time.monotonic()
    fleet.asks("a", "go on")
    second = fleet.started("a", 2)[1]
    assert time.monotonic() - asked >= 1.0
    assert second["argv"] == ["go on"]
    process.kill()
    assert not Path(f"/proc/{first['pid']}").exists()


def test_a_crash_is_an_error_and_the_agent_comes_back(fleet: Fleet):
    fleet.run("a", fleet.program(), "x")
    (first,) = fleet.started("a")
    os.kill(first["pid"], signal.SIGSEGV)
    assert fleet.is_("a", "error")
    assert fleet.member("a").note == "was ended by SIGSEGV"
    assert fleet.started("a", 2)[1]["argv"] == ["x"]
    time.sleep(0.2)
    assert fleet.member("a").status == "error", "until the agent says something itself"


def test_a_crash_loop_is_given_up_and_told(fleet: Fleet):
    program = fleet.program()
    process = fleet.run("a", "sh", "-c", f"{program}; kill -9 $$", options=("--restarts", "1"), EXIT="0")
    code, said = wait(process)
    assert code == 1
    assert len(fleet.starts("a")) == 2
    assert "a was ended by SIGKILL: started again in 1 s (Ctrl-C to stop)" in said
    assert "a was ended by SIGKILL; given up: 2 times within 600 s" in said
    assert (fleet.member("a").status, fleet.member("a").note) == ("error", "was ended by SIGKILL; given up")


@pytest.mark.parametrize(("code", "status", "note"), [("0", "done", ""), ("3", "error", "ended with exit code 3")])
def test_the_exit_code_is_the_agents(fleet: Fleet, code: str, status: str, note: str):
    assert wait(fleet.run("a", fleet.program(), EXIT=code)) == (int(code), "")
    assert len(fleet.starts("a")) == 1
    assert (fleet.member("a").status, fleet.member("a").note) == (status, note)


def test_a_session_that_cannot_be_continued_is_given_up_once(fleet: Fleet):
    """S3-244"""
    code, said = wait(fleet.run("a", fleet.program("claude"), "--resume", "1234", "prompt", EXIT="1"))
    assert code == 1
    assert [line["argv"] for line in fleet.starts("a")] == [["--resume", "1234", "prompt"], ["prompt"]]
    assert "could not continue its session" in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_ends_the_supervisor_ends_the_agent(fleet: Fleet, number: signal.Signals):
    process = fleet.run("a", fleet.program())
    (first,) = fleet.started("a")
    process.send_signal(number)
    code, _ = wait(process)
    assert code == 128 + number
    assert not Path(f"/proc/{first['pid']}").exists()
    assert fleet.member("a").status == "done"
    assert not lease.is_lease_held(fleet.home.root, "a")


def test_a_hang_up_that_is_ignored_stays_ignored(fleet: Fleet):
    """As under nohup: the agent outlives the terminal, and its supervisor with it."""
    fleet.hangup = signal.SIG_IGN
    process = fleet.run("a", fleet.program())
    fleet.started("a")
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    assert process.poll() is None
    fleet.asks("a", "go on")
    fleet.started("a", 2)


def test_the_keyboard_is_for_the_agent(fleet: Fleet):
    process = fleet.run("a", fleet.program())
    fleet.started("a")
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGQUIT)
    time.sleep(0.3)
    assert process.poll() is None
    fleet.asks("a", "go on")
    fleet.started("a", 2)


def test_waiting_for_the_next_start_can_be_interrupted(fleet: Fleet):
    process = fleet.run("a", "sh", "-c", "kill -9 $$")
    assert fleet.is_("a", "error")
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    code, _ = wait(process)
    assert code == 130


def test_who_asks_as_soon_as_it_is_started_goes_in_circles_and_is_slowed_down(fleet: Fleet):
    process = fleet.run("a", fleet.program(), options=("--restarts", "1"))
    fleet.started("a")
    fleet.asks("a", "go on")
    fleet.started("a", 2)
    fleet.asks("a", "go on")
    code, said = wait(process)
    assert code == 1
    assert "asks for a new start as soon as it has one; given up" in said


def test_a_request_from_before_the_run_is_none(fleet: Fleet):
    wait(fleet.run("a", fleet.program(), EXIT="0"))
    fleet.asks("a", "for the process before")
    fleet.run("a", fleet.program())
    fleet.started("a", 2)
    time.sleep(0.5)
    assert len(fleet.starts("a")) == 2


def test_the_lease_is_held_while_the_agent_is_supervised_and_there_is_one(fleet: Fleet):
    """S3-007: the name is the identity; S3-109: whether a restart would be carried out."""
    process = fleet.run("a", fleet.program())
    fleet.started("a")
    assert lease.is_lease_held(fleet.home.root, "a")
    assert not lease.is_lease_held(fleet.home.root, "b")
    code, said = wait(fleet.run("a", fleet.program()))
    assert code == 1
    assert "'a' is supervised already" in said
    assert "--agent" in said
    process.kill()
    process.wait()
    assert not lease.is_lease_held(fleet.home.root, "a")


def test_two_processes_of_the_same_name_are_the_same_agent(fleet: Fleet):
    """S3-007: another process, the same agent."""
    for _ in range(2):
        wait(fleet.run("", fleet.program(), options=("--label", "API", "--parent", "lead"), EXIT="0", AGENT_ID="api"))
    found = agent_of(fleet.store, "api")
    assert found is not None
    assert (found.label, found.parent, found.kind, found.named) == ("API", "lead", "mine", True)
    assert [line["agent"] for line in fleet.starts("")] == ["api", "api"]


def test_an_agent_that_nobody_named_is_called_after_its_program(fleet: Fleet):
    wait(fleet.run("", fleet.program("claude"), EXIT="0", AGENT_ID="default"))
    (line,) = fleet.starts("")
    assert line["agent"].startswith("claude-")
    assert len(line["agent"]) == len("claude-") + 6
    assert not list(fleet.home.run.glob("claude-*")), "its lease goes with it"


def test_without_a_database_the_agent_runs_all_the_same(fleet: Fleet):
    fleet.store.close()
    fleet.home.database.unlink()
    fleet.home.database.mkdir()
    code, said = wait(fleet.run("a", fleet.program(), EXIT="3"))
    assert code == 3
    assert "the database cannot be used" in said
    fleet.home.database.rmdir()
    fleet.store._open()


def test_a_program_that_is_gone_when_it_is_started_again_is_tried_again(fleet: Fleet):
    program = fleet.program()
    process = fleet.run("a", program, options=("--restarts", "2"))
    (first,) = fleet.started("a")
    Path(program).rename(f"{program}.away")
    os.kill(first["pid"], signal.SIGKILL)
    assert until(lambda: "cannot" in fleet.member("a").note or "No such file" in fleet.member("a").note)
    Path(f"{program}.away").rename(program)
    fleet.started("a", 2)
    assert process.poll() is None
