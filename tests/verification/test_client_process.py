"""Clients that hang, shout, or leave others behind."""

import os
import threading
import time
from pathlib import Path

import pytest

from synaptic.verification.client_process import (
    ENDED,
    KEPT_OUTPUT,
    ClientStart,
    end_processes_of,
    make_environment,
    run_client,
)


def run(folder: Path, script: str, patience: float = 20, stop: threading.Event | None = None):
    variables = make_environment(folder, folder, "/usr/local/bin:/usr/bin:/bin")
    return run_client(ClientStart(("/bin/sh", "-c", script), folder, variables), patience, stop or threading.Event())


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_exit_code_and_last_words_are_kept(tmp_path):
    ended = run(tmp_path, "echo out; echo err >&2; exit 3")
    assert (ended.exit, ended.was_ended) == (3, False)
    assert set(ended.output.split()) == {"out", "err"}


def test_a_client_that_hangs_is_ended_with_what_it_has_started(tmp_path):
    ended = run(tmp_path, "sleep 300 & echo $! > child; sleep 300", patience=0.5)
    assert (ended.exit, ended.was_ended) == (ENDED, True)
    assert not is_alive(int((tmp_path / "child").read_text()))


def test_nobody_who_stops_waiting_waits_for_it(tmp_path):
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    assert run(tmp_path, "sleep 300", patience=300, stop=stop).was_ended
    assert time.monotonic() - began < 100


def test_of_endless_output_only_the_end_is_kept(tmp_path):
    ended = run(tmp_path, "yes hostile | head -c 20000000; printf '\\377\\000\\033[2J end'")
    assert len(ended.output) <= KEPT_OUTPUT
    assert ended.output.endswith("end")


def test_a_server_that_holds_the_pipe_open_holds_up_nobody(tmp_path):
    began = time.monotonic()
    ended = run(tmp_path, "setsid sleep 300 & sleep 0.3; echo done")
    try:
        assert (ended.exit, ended.output) == (0, "done\n")
        assert time.monotonic() - began < 100
    finally:
        end_processes_of(tmp_path)


def test_what_was_started_with_the_home_is_ended_and_nothing_else(tmp_path):
    run(tmp_path, "setsid sleep 300 >/dev/null 2>&1 & echo $! > child; sleep 0.3")
    child = int((tmp_path / "child").read_text())
    end_processes_of(tmp_path / "other")
    assert is_alive(child)
    end_processes_of(tmp_path)
    deadline = time.monotonic() + 20
    while is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(child)


def test_what_is_no_program_raises(tmp_path):
    with pytest.raises(OSError, match="nothing"):
        run_client(ClientStart(("/nothing",), tmp_path, {}), 1, threading.Event())


def test_nothing_of_the_user_that_moves_files_or_names_a_model_is_handed_on(tmp_path, monkeypatch):
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "ANTHROPIC_API_KEY", "SYNAPTIC_HOME", "NODE_OPTIONS", "CLAUDECODE"):
        monkeypatch.setenv(name, "mine")
    found = make_environment(tmp_path, tmp_path, os.defpath)
    assert "mine" not in found.values()
    assert found["HOME"] == str(tmp_path)
