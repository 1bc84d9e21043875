"""Many calls lose their daemon at once: none of them is allowed unread, and engines start one after another."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.daemon import lifecycle
from synaptic.setup import dispatcher
from tests.daemon.setting import Setting

CALLS = 60
RUNS = 3
RESET = {"tool_name": "Bash", "tool_input": {"command": "git reset --hard HEAD~3"}}
"""Only a payload: nothing here runs it."""


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[Setting]:
    setting = Setting(tmp_path)
    if dispatcher.install_dispatcher(setting.home) != "native":
        pytest.skip("dispatch is not compiled")
    yield setting
    setting.close()


def open_call(setting: Setting) -> "subprocess.Popen[bytes]":
    env = {"HOME": str(setting.user), "PATH": os.environ["PATH"]}
    pipe = subprocess.PIPE
    return subprocess.Popen([setting.home.dispatch, "PreToolUse"], stdin=pipe, stdout=pipe, stderr=pipe, env=env)


def send(call: "subprocess.Popen[bytes]", payload: bytes) -> None:
    assert call.stdin
    call.stdin.write(payload)
    call.stdin.close()
    call.stdin = None


def close_call(call: "subprocess.Popen[bytes]") -> tuple[str, str]:
    out, err = call.communicate(timeout=120)
    said = json.loads(out)["hookSpecificOutput"]["permissionDecision"] if out else f"exit {call.returncode}"
    return said, err.decode()


def test_a_daemon_killed_under_sixty_calls_lets_none_of_them_pass(setting: Setting) -> None:
    """S3-056"""
    payload = json.dumps(setting.payload(**RESET)).encode()
    setting.start()
    for _ in range(RUNS):
        pid = lifecycle.read_status(setting.home).pid
        calls = [open_call(setting) for _ in range(CALLS)]
        for number, call in enumerate(calls):
            send(call, payload)
            if number == CALLS // 2:
                os.kill(pid, signal.SIGKILL)
        answers = [close_call(call) for call in calls]
        assert {said for said, _ in answers} <= {"deny", "ask"}
        assert not [err for _, err in answers if "NOT checked" in err or "Traceback" in err]
        assert setting.wait_for(lambda pid=pid: lifecycle.read_status(setting.home).pid not in (0, pid), 60)
        assert lifecycle.wait_ready(setting.home, 60)


def count_engines(setting: Setting) -> int:
    """Processes that run the engine for one call."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(path.read_bytes().split(b"\0"))
        except OSError:
            continue
    home = os.fsencode(setting.home.root)
    return sum(b"synaptic.daemon.early" in line and home in line for line in lines)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="counts processes in /proc")
def test_without_a_daemon_one_engine_runs_at_a_time(setting: Setting) -> None:
    setting.without_daemon()
    payload = json.dumps(setting.payload(**RESET)).encode()
    calls = [open_call(setting) for _ in range(4)]
    for call in calls:
        send(call, payload)
    most = 0
    while any(call.poll() is None for call in calls):
        most = max(most, count_engines(setting))
        time.sleep(0.1)  # looking through all processes takes as long as an engine needs
    assert {close_call(call)[0] for call in calls} <= {"deny", "ask"}
    # One that has answered may still be on its way out when the next begins; one that is slow has let the next begin.
    assert most <= 3
