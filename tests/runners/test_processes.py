"""Processes: started, recognised, ended."""

import os
import signal
import subprocess

import pytest

from synaptic.runners import processes
from synaptic.runners.environment import MARK_VARIABLE
from synaptic.runners.processes import (
    LaunchPlan,
    ProcessIdentity,
    StandardStreams,
    end_process,
    identify_process,
    restore_child_signal,
    start_process,
    wait_for_exit,
)
from tests.runners.making import alive, eventually, on_loop, plain_env

SILENT = StandardStreams(subprocess.DEVNULL, subprocess.DEVNULL, subprocess.DEVNULL)


def start(*argv: str, mark: str = "test-mark"):
    return start_process(LaunchPlan(argv, {**plain_env(), MARK_VARIABLE: mark}, "/", mark), SILENT)


def test_a_process_is_recognised_until_it_ends():
    process = start("sleep", "600")
    identity = identify_process(process.pid)
    assert identity.is_alive and not ProcessIdentity(process.pid, "1").is_alive
    os.kill(process.pid, signal.SIGKILL)
    assert eventually(lambda: not identity.is_alive), "a zombie is not alive"
    process.wait()
    assert not identity.is_alive and not identify_process(process.pid).started


def test_without_proc_the_process_id_has_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(processes, "PROC", tmp_path / "none")
    process = start("sleep", "600")
    assert identify_process(process.pid).is_alive
    end_process(process, "test-mark")
    assert not identify_process(process.pid).is_alive
    assert process.returncode == -signal.SIGKILL


def test_everything_with_the_mark_ends_and_nothing_else(tmp_path):
    other = start("sleep", "600", mark="another")
    process = start("sh", "-c", f"setsid sh -c 'echo $$ > {tmp_path}/pid; sleep 600' & sleep 600")
    assert eventually(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip() != "")
    end_process(process, "test-mark")
    assert eventually(lambda: not alive(int((tmp_path / "pid").read_text())))
    assert alive(other.pid)
    end_process(other, "another")


def test_an_orphan_without_the_mark_is_found_through_its_parent(tmp_path):
    hidden = f"setsid env -i sh -c 'echo $$ > {tmp_path}/pid; sleep 600; true'"
    process = start("sh", "-c", f"{hidden} & sleep 600")
    assert eventually(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip() != "")
    end_process(process, "test-mark")
    assert eventually(lambda: not alive(int((tmp_path / "pid").read_text())))


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
@pytest.mark.parametrize("pidfd", [True, False])
def test_exit_codes_arrive(loop, pidfd, monkeypatch):
    if not pidfd:
        monkeypatch.setattr(processes, "_open_pidfd", lambda pid: -1)

    async def codes():
        return [await wait_for_exit(start("sh", "-c", text)) for text in ("exit 0", "exit 2", "kill -9 $$")]

    assert on_loop(codes(), loop) == [0, 2, -9]


def test_an_inherited_ignore_of_ended_children_is_undone():
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        restore_child_signal()
        assert start("sh", "-c", "exit 2").wait() == 2
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_a_process_has_a_session_of_its_own():
    process = start("sleep", "600")
    assert os.getsid(process.pid) == process.pid != os.getsid(0)
    end_process(process, "test-mark")
