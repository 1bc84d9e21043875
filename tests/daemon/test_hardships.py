"""A daemon under hardship: idle clients, held locks, no descriptors, children that nobody waits for."""

import json
import os
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.daemon import lifecycle
from synaptic.daemon.address import connect_daemon
from synaptic.daemon.client import is_responding
from synaptic.daemon.names import BACKLOG
from tests.daemon.setting import Setting, specific

LIMIT = 60.0
SAYS_LATER = """sleep 1; echo '{"messages_to_user": ["done"]}'"""
SLOW_DRAIN = """
import sys
from synaptic.daemon import server
server.DRAIN_SECONDS = 600.0
server.main(sys.argv[1:])
"""
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[Setting]:
    setting = Setting(tmp_path)
    setting.install()
    yield setting
    setting.close()


@pytest.mark.parametrize("said", [b"", b"SYN1", b'{"method"', b'{"id":1,"method":"daemon.status"}\n', b"GET /heal"])
def test_a_client_that_says_nothing_more_does_not_keep_a_daemon_from_ending(setting: Setting, said: bytes) -> None:
    command = [sys.executable, "-c", SLOW_DRAIN, str(setting.home.root)]
    with subprocess.Popen(command, env={"HOME": str(setting.user), "PATH": os.environ["PATH"]}) as daemon:
        assert setting.wait_for(lambda: is_responding(setting.home), LIMIT)
        with connect_daemon(setting.home, 30) as idle:
            idle.sendall(said)
            assert is_responding(setting.home)  # so that what was said has been read
            daemon.terminate()
            assert daemon.wait(LIMIT) == 0


NO_BYTE = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
os.execv(sys.argv[1], sys.argv[1:])
"""
"""No file may grow, as on a full disk; what is told goes through pipes."""


def run_on_full_disk(setting: Setting, *words: object, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-c", NO_BYTE, *map(str, words)]
    env = {"HOME": str(setting.user), "PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(setting.project)}
    return subprocess.run(command, input=stdin, capture_output=True, env=env, timeout=LIMIT, check=False)


def test_a_daemon_that_starts_on_a_full_disk_says_why_it_cannot(setting: Setting) -> None:
    """A traceback stood in its log."""
    ended = run_on_full_disk(setting, sys.executable, "-m", "synaptic.daemon.server", setting.home.root)
    assert ended.returncode == 1
    assert b"the daemon cannot run" in ended.stderr and b"daemon.pid" in ended.stderr
    assert b"Type: synaptic doctor" in ended.stderr and b"Traceback" not in ended.stderr


def test_a_second_daemon_says_that_another_one_runs(setting: Setting) -> None:
    setting.start()
    command = [sys.executable, "-m", "synaptic.daemon.server", str(setting.home.root)]
    ended = subprocess.run(command, capture_output=True, timeout=LIMIT, check=False)
    assert ended.returncode == 1 and b"another daemon runs here" in ended.stderr and b"Traceback" not in ended.stderr


def test_a_call_on_a_full_disk_is_judged_without_a_daemon(setting: Setting) -> None:
    payload = setting.payload("PreToolUse", tool_name="Bash", tool_input={"command": "rm -rf /"})
    answer = run_on_full_disk(setting, setting.home.dispatch, "PreToolUse", stdin=json.dumps(payload).encode())
    assert json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert b"Traceback" not in answer.stderr


def test_idle_clients_are_let_go_and_calls_are_answered_meanwhile(setting: Setting) -> None:
    setting.start()
    waiting = [connect_daemon(setting.home, LIMIT) for _ in range(50)]
    for number, one in enumerate(waiting):
        one.sendall((b"", b"SYN1", b"POST /rpc HTTP/1.1\r\n")[number % 3])
    setting.register("guard", 'echo \'{"action": "block", "reason": "no"}\'')
    assert specific(setting.daemon(setting.request()))["permissionDecision"] == "deny"
    for one in waiting:
        assert ended(one)
        one.close()
    assert is_responding(setting.home)


def ended(connection: socket.socket) -> bool:
    """Whether the other end closes the connection within the time."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.skipif(not shutil.which("ss"), reason="asks ss")
def test_as_many_as_are_said_may_wait_to_be_accepted(setting: Setting) -> None:
    setting.start()
    shown = subprocess.run(["ss", "-xlH"], capture_output=True, text=True, check=False)
    bound = f"daemon.{lifecycle.read_status(setting.home).pid}"  # the name that it was bound with
    queues = [int(line.split()[3]) for line in shown.stdout.splitlines() if line.split()[4] == bound]
    assert queues == [min(BACKLOG, int(Path("/proc/sys/net/core/somaxconn").read_text()))]


@linux_only
def test_no_child_that_has_ended_stays_below_the_daemon(setting: Setting) -> None:
    setting.register("late", "sleep 0.3; echo done", blocking=False)
    setting.register("quick", "echo done", blocking=False, event="PostToolUse")
    setting.start()
    pid = lifecycle.read_status(setting.home).pid
    for _ in range(5):
        setting.daemon(setting.request())
        setting.daemon(setting.request("PostToolUse"))
    assert setting.wait_for(lambda: setting.order.count("late") == 5, LIMIT)
    assert setting.wait_for(lambda: not find_zombies(pid), LIMIT)


def find_zombies(parent: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] == "Z" and int(fields[1]) == parent:
            found.append(int(path.parent.name))
    return found


def test_upkeep_goes_on_after_the_database_was_locked_for_seconds(setting: Setting) -> None:
    setting.register("late", SAYS_LATER, blocking=False)
    setting.start()
    setting.daemon(setting.request())
    other = sqlite3.connect(setting.home.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    # The hook ends meanwhile, and what it has said cannot be stored.
    assert setting.wait_for(lambda: "upkeep: " in setting.home.log.read_text(), LIMIT)
    other.execute("ROLLBACK")
    other.close()
    assert setting.wait_for(lambda: not list_spooled(setting), LIMIT)
    setting.daemon(setting.request())
    assert setting.wait_for(lambda: setting.order.count("late") == 2, LIMIT)
    assert setting.wait_for(lambda: not list_spooled(setting), LIMIT)
    assert "Traceback" not in setting.home.log.read_text()


@linux_only
def test_upkeep_goes_on_after_a_time_without_descriptors(setting: Setting) -> None:
    setting.register("late", "echo done", blocking=False)
    setting.start()
    pid = lifecycle.read_status(setting.home).pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, before[1]))
    time.sleep(1.5)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
    setting.daemon(setting.request())
    assert setting.wait_for(lambda: setting.order.count("late") == 1, LIMIT)
    assert setting.wait_for(lambda: not list_spooled(setting), LIMIT)
    assert lifecycle.read_status(setting.home).pid == pid


def list_spooled(setting: Setting) -> list[str]:
    return [path.name for path in setting.home.spool.iterdir()] if setting.home.spool.exists() else []


@linux_only
def test_the_first_event_ever_needs_no_table_that_is_not_loaded(setting: Setting) -> None:
    """With few descriptors left, guards judge as always."""
    setting.start()
    pid = lifecycle.read_status(setting.home).pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = max(int(path.name) for path in Path(f"/proc/{pid}/fd").iterdir()) + 1
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 4, before[1]))
    try:
        request = setting.request(tool_name="Bash", tool_input={"command": "git reset --hard HEAD~3"})
        answer = setting.fallback(request) if not is_responding(setting.home) else setting.daemon(request)
        assert specific(answer)["permissionDecision"] in ("deny", "ask")
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
    later = setting.daemon(setting.elsewhere(tool_name="Bash", tool_input={"command": "git reset --hard HEAD~3"}))
    assert specific(later)["permissionDecision"] in ("deny", "ask")
    assert "KeyError" not in setting.home.log.read_text()


@linux_only
def test_three_hundred_idle_clients_do_not_use_up_two_hundred_and_fifty_six_descriptors(setting: Setting) -> None:
    shell = f'ulimit -n 256; exec "{sys.executable}" -m synaptic.daemon.server "{setting.home.root}"'
    env = {"HOME": str(setting.user), "PATH": os.environ["PATH"]}
    idle: list[socket.socket] = []
    with subprocess.Popen(["/bin/sh", "-c", shell], env=env) as daemon:
        try:
            assert setting.wait_for(lambda: is_responding(setting.home), LIMIT)
            for _ in range(300):
                idle.append(connect_daemon(setting.home, 30))
            assert setting.wait_for(lambda: is_responding(setting.home), LIMIT)
            reset = setting.request(tool_name="Bash", tool_input={"command": "git reset --hard HEAD~3"})
            assert specific(setting.daemon(reset))["permissionDecision"] in ("deny", "ask")
        finally:
            daemon.terminate()
            for one in idle:
                one.close()
