"""The lock on the home is what counts: every name that is derived from it comes back, and no second daemon comes."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import synaptic
from synaptic.daemon import fallback, lifecycle
from synaptic.daemon.client import is_responding
from synaptic.daemon.lock import find_holder, is_holder, read_age
from synaptic.daemon.names import DaemonNames, locate_pid_file, prepare_run_folder
from synaptic.model.home import Home
from tests.daemon.setting import Setting
from tests.daemon.test_fallback import count_daemons

LIMIT = 60.0
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="the holder of a lock is found in /proc")


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[Setting]:
    setting = Setting(tmp_path)
    setting.install()
    yield setting
    if (pid := find_holder(setting.home)) and pid != os.getpid():
        os.kill(pid, signal.SIGKILL)
    setting.close()


@pytest.fixture
def running(setting: Setting) -> Setting:
    setting.start()
    return setting


def replace_by_folder(home: Home) -> None:
    home.socket.unlink()
    home.socket.mkdir()
    (home.socket / "something").write_text("of somebody")


def replace_by_stranger(home: Home) -> None:
    home.socket.unlink()
    home.socket.write_text("")


def remove_both(home: Home) -> None:
    home.socket.unlink()
    locate_pid_file(home).unlink()


DAMAGES: dict[str, Callable[[Home], object]] = {
    "socket": lambda home: home.socket.unlink(),
    "pid file": lambda home: locate_pid_file(home).unlink(),
    "both": remove_both,
    "run folder": lambda home: shutil.rmtree(home.run),
    "a folder instead": replace_by_folder,
    "a file instead": replace_by_stranger,
    "another pid": lambda home: locate_pid_file(home).write_text("1\n0\n"),
    "nobody may use it": lambda home: home.socket.chmod(0),
}


@linux_only
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_living_daemon_makes_its_names_again(running: Setting, damage: str) -> None:
    """S3-052"""
    home, pid = running.home, lifecycle.read_status(running.home).pid
    DAMAGES[damage](home)
    assert running.wait_for(lambda: lifecycle.read_status(home).pid == pid and is_responding(home), LIMIT)
    assert running.wait_for(lambda: home.socket.is_socket() and home.socket.stat().st_mode & 0o777 == 0o600, LIMIT)
    assert count_daemons(home) == 1
    assert running.dispatch("PreToolUse", running.payload()).returncode == 0
    lifecycle.stop_daemon(home)
    assert not home.socket.exists()
    assert not locate_pid_file(home).exists()


def test_what_stood_in_the_way_is_set_aside_and_not_deleted(setting: Setting) -> None:
    for path in (setting.home.socket, setting.home.log, locate_pid_file(setting.home)):
        path.mkdir(parents=True)
        (path / "something").write_text("of somebody")
    setting.start()
    assert lifecycle.read_status(setting.home).state == "running"
    kept = sorted(path.name.partition(".aside-")[0] for path in setting.home.run.glob("*.aside-*"))
    assert kept == ["daemon.log", "daemon.pid", "daemon.sock"]


def test_a_socket_that_nobody_could_listen_on_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No descriptor was left for the loop, with the name already there."""
    monkeypatch.chdir(tmp_path)  # it goes to its run folder, and the test comes back
    home = Home(tmp_path / "home")
    held = lifecycle.hold_lock(home)
    names = DaemonNames(home, held.fd)
    names.open_socket().close()
    assert names.has_socket()
    names.forget_socket()
    assert not names.has_socket()
    names.open_socket().close()
    assert names.has_socket()
    names.remove_socket()
    assert not home.socket.exists()
    held.release()


def test_a_file_in_the_place_of_the_spool_is_set_aside_by_the_next_daemon(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.run.mkdir()
    home.spool.write_text("of somebody")
    prepare_run_folder(home)
    (aside,) = home.run.glob("spool.aside-*")
    assert (home.spool.exists(), aside.read_text()) == (False, "of somebody")


def test_a_file_in_the_place_of_the_run_folder_is_set_aside(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.run.write_text("x")
    prepare_run_folder(home)
    assert home.run.is_dir()


def test_a_daemon_whose_home_was_made_anew_ends_and_takes_nothing_with_it(running: Setting) -> None:
    home, pid = running.home, lifecycle.read_status(running.home).pid
    shutil.move(home.root, home.root.with_name("away"))
    home.root.mkdir()
    running.install()
    running.start()
    second = lifecycle.read_status(home).pid
    assert second != pid
    assert running.wait_for(lambda: not is_alive(pid), LIMIT)
    assert lifecycle.read_status(home).pid == second
    assert is_responding(home)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@linux_only
def test_the_holder_of_the_lock_is_found_without_any_file(running: Setting) -> None:
    home, pid = running.home, lifecycle.read_status(running.home).pid
    assert is_holder(home, pid)
    assert not is_holder(home, os.getpid())
    assert find_holder(home) == pid
    assert read_age(pid) > 0
    assert read_age(0) == 0


@linux_only
@pytest.mark.parametrize("heal", ["restart", "doctor", "the next call"])
def test_a_frozen_daemon_without_its_names_is_found_by_its_lock_and_replaced(
    running: Setting, heal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, pid = running.home, lifecycle.read_status(running.home).pid
    os.kill(pid, signal.SIGSTOP)
    remove_both(home)
    monkeypatch.setattr(lifecycle, "STOP_GRACE", 1.0)
    heal_daemon(running, heal, monkeypatch)
    assert running.wait_for(lambda: lifecycle.read_status(home).pid not in (0, pid) and is_responding(home), LIMIT)
    assert running.wait_for(lambda: not is_alive(pid), LIMIT)


def heal_daemon(setting: Setting, heal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if heal == "the next call":
        monkeypatch.setattr(lifecycle, "STARTING_SECONDS", 0.0)
        fallback.leave_daemon(setting.home, synaptic.__version__)
        return
    words = ("daemon", "restart") if heal == "restart" else ("doctor", "--fix")
    command = [sys.executable, "-m", "synaptic.cli.main", *words]
    env = {"HOME": str(setting.user), "PATH": os.environ["PATH"]}
    subprocess.run(command, env=env, cwd=setting.project, capture_output=True, timeout=300, check=False)


def test_a_daemon_that_somebody_has_stopped_hears_that_it_should_end(running: Setting) -> None:
    """Without waiting for the grace to be over: it goes on for as long as it takes to end in order."""
    pid = lifecycle.read_status(running.home).pid
    os.kill(pid, signal.SIGSTOP)
    assert lifecycle.stop_daemon(running.home, grace=LIMIT).pid == pid
    assert not running.home.socket.exists()
    assert not locate_pid_file(running.home).exists()  # a killed one would have left them


@linux_only
def test_a_daemon_that_hangs_before_it_says_who_it_is_is_replaced(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hanging = tmp_path / "hanging.py"
    hanging.write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setattr(lifecycle, "build_start", lambda home, module: (sys.executable, str(hanging)))
    assert lifecycle.start_daemon(setting.home)
    monkeypatch.undo()
    home = setting.home
    assert setting.wait_for(lambda: find_holder(home) != 0, LIMIT)
    stuck = find_holder(home)
    assert lifecycle.read_status(home).state == "starting"
    assert lifecycle.stop_daemon(home, grace=0.5).pid == stuck
    setting.start()
    assert lifecycle.read_status(home).pid != stuck


@linux_only
def test_removing_the_run_folder_never_gives_two_daemons(running: Setting) -> None:
    home = running.home
    for _ in range(3):
        shutil.rmtree(home.run, ignore_errors=True)
        assert running.dispatch("PreToolUse", running.payload()).returncode == 0
        assert count_daemons(home) == 1
    assert running.wait_for(lambda: is_responding(home), LIMIT)
