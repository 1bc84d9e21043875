"""One daemon per home, whatever happens to it."""

import os
import pwd
import signal
import stat
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import synaptic
from synaptic.daemon import lifecycle
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home
from tests.native.fake_daemon import hold_lock

FAKE = (str(Path(__file__).with_name("fake_server.py")),)
STARTED = 20.0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setattr(lifecycle, "build_start", lambda home, module: (sys.executable, *FAKE))
    home = Home(tmp_path / "home")
    yield home
    if pid := lifecycle.read_status(home).pid:
        os.kill(pid, signal.SIGKILL)


def running(home: Home) -> lifecycle.DaemonStatus:
    assert lifecycle.wait_ready(home, STARTED), home.log.read_text()
    return lifecycle.read_status(home)


def test_two_hundred_starters_give_one_daemon(home: Home) -> None:
    """S3-051"""
    with ThreadPoolExecutor(50) as pool:
        started = list(pool.map(lambda _: lifecycle.start_daemon(home), range(200)))
    assert started.count(True) == 1
    running(home)
    assert (home.root / "starts").read_text() == "x"


def test_status_tells_who_runs_since_when_and_where(home: Home) -> None:
    """S3-052"""
    assert lifecycle.read_status(home) == lifecycle.DaemonStatus(state="stopped", socket=str(home.socket))
    assert lifecycle.start_daemon(home)
    assert not lifecycle.start_daemon(home)
    now = running(home)
    assert (now.state, now.version, now.socket) == ("running", synaptic.__version__, str(home.socket))
    assert os.getsid(now.pid) == now.pid != os.getsid(0)
    assert Path(f"/proc/{now.pid}/cwd").resolve() == home.run.resolve()
    assert abs(now.since - time.time()) < 60


def test_stop_ends_it_and_leaves_nothing_behind(home: Home) -> None:
    """S3-052"""
    lifecycle.start_daemon(home)
    pid = running(home).pid
    assert lifecycle.stop_daemon(home).pid == pid
    assert lifecycle.read_status(home).state == "stopped"
    assert not home.socket.exists()
    assert lifecycle.stop_daemon(home).state == "stopped"


def test_a_deaf_or_frozen_daemon_is_ended_after_the_grace(home: Home) -> None:
    home.root.mkdir()
    (home.root / "deaf").touch()
    lifecycle.start_daemon(home)
    os.kill(running(home).pid, signal.SIGSTOP)
    lifecycle.stop_daemon(home, grace=0.3)
    assert lifecycle.read_status(home).state == "stopped"


def test_what_a_killed_daemon_left_behind_is_no_obstacle(home: Home) -> None:
    """S3-052 S3-056"""
    lifecycle.start_daemon(home)
    first = running(home).pid
    os.kill(first, signal.SIGKILL)
    assert lifecycle._wait_until(lambda: not lifecycle.is_held(home), 5)
    assert home.socket.exists()
    assert (home.run / "daemon.pid").exists()
    assert lifecycle.read_status(home).state == "stopped"
    assert not lifecycle.is_listening(home)
    assert lifecycle.start_daemon(home)
    assert running(home).pid != first


def test_a_daemon_that_is_starting_is_not_mistaken_for_its_dead_predecessor(home: Home) -> None:
    home.run.mkdir(parents=True)
    (home.run / "daemon.pid").write_text("1\n0\n")
    assert lifecycle.start_daemon(home)
    assert lifecycle.read_status(home).pid != 1
    running(home)


def test_stop_of_a_daemon_that_does_not_say_who_it_is_is_refused(home: Home) -> None:
    lock = hold_lock(home.lock)
    with pytest.raises(DaemonError, match="does not say who it is"):
        lifecycle.stop_daemon(home, grace=0.1)
    os.close(lock)


def test_restart_gives_a_new_daemon_and_only_one_restarts(home: Home) -> None:
    lifecycle.start_daemon(home)
    first = running(home).pid
    assert lifecycle.restart_daemon(home)
    assert running(home).pid != first
    busy = hold_lock(home.run / "restart.lock")
    assert not lifecycle.restart_daemon(home)
    os.close(busy)


def test_holding_twice_is_refused_and_release_frees_it(home: Home) -> None:
    lock = lifecycle.hold_lock(home)
    with pytest.raises(DaemonError, match="another daemon runs here"):
        lifecycle.hold_lock(home)
    with pytest.raises(DaemonError, match="another daemon runs here"):
        lifecycle.hold_lock(home, os.open(os.devnull, os.O_RDONLY))
    with pytest.raises(DaemonError, match="another daemon runs here"):
        lifecycle.hold_lock(home, 987)
    lock.release()
    lifecycle.hold_lock(home).release()


def test_who_only_asks_does_not_keep_a_daemon_from_starting(home: Home) -> None:
    home.run.mkdir(parents=True)
    with ThreadPoolExecutor(8) as pool:
        home.lock.touch()
        asking = [pool.submit(lambda: [lifecycle.is_held(home) for _ in range(200)]) for _ in range(7)]
        assert lifecycle.start_daemon(home)
        for each in asking:
            each.result()
    running(home)


def test_the_run_folder_is_private(home: Home) -> None:
    home.run.mkdir(parents=True, mode=0o755)
    lifecycle.prepare_run_folder(home)
    assert stat.S_IMODE(home.run.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_run_folder_of_somebody_else_is_refused(home: Home) -> None:
    home.run.mkdir(parents=True)
    os.chown(home.run, 12345, -1)
    with pytest.raises(DaemonError, match="not this user's own"):
        lifecycle.start_daemon(home)


def test_a_run_folder_elsewhere_is_refused(home: Home, tmp_path: Path) -> None:
    home.root.mkdir()
    home.run.symlink_to(tmp_path)
    with pytest.raises(DaemonError, match="not this user's own"):
        lifecycle.prepare_run_folder(home)


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DaemonError, match="SYNAPTIC_HOME") as caught:
        lifecycle.start_daemon(Home(tmp_path / "file" / "home"))
    assert str(tmp_path / "file" / "home" / "run") in str(caught.value)


def test_home_is_found_from_the_environment_then_the_user(tmp_path: Path) -> None:
    assert lifecycle.find_home({"SYNAPTIC_HOME": "/x", "HOME": "/h"}).root == Path("/x")
    assert lifecycle.find_home({"SYNAPTIC_HOME": "x", "HOME": "/h"}).root == Path("/h/.synaptic")
    own = Path(pwd.getpwuid(os.geteuid()).pw_dir) / ".synaptic"
    assert lifecycle.find_home({"HOME": ""}).root == own
    assert lifecycle.find_home({}).root == own


def test_a_user_without_any_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    with pytest.raises(DaemonError, match="set SYNAPTIC_HOME"):
        lifecycle.find_home({})


def test_a_projects_variables_do_not_reach_the_daemon(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_AUDIT_X", "1")
    monkeypatch.setenv("PROJECT_SECRET", "1")
    lifecycle.start_daemon(home)
    seen = Path(f"/proc/{running(home).pid}/environ").read_bytes()
    assert b"PROJECT_SECRET" not in seen
    assert b"LD_AUDIT_X" not in seen
    assert b"HOME=" in seen
