"""The lock on the home: one holder, which is found by what the kernel says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from synaptic.daemon import lock
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="the holder of a lock is found in /proc")
WAIT = "import sys; print('up', flush=True); sys.stdin.read()"


def test_of_two_one_has_it_and_who_has_it_may_ask_again(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    first, second = lock.open_home(home), lock.open_home(home)
    assert lock.try_lock(first)
    assert lock.try_lock(first)
    assert not lock.try_lock(second)
    os.close(first)
    assert lock.try_lock(second)
    os.close(second)


@linux_only
def test_a_process_that_has_inherited_the_lock_is_its_holder(tmp_path: Path) -> None:
    """Whoever takes it for a daemon ends; the kernel still notes that one's number."""
    home = Home(tmp_path / "home")
    held = lock.open_home(home)
    assert lock.try_lock(held)
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", WAIT], stdin=pipe, stdout=pipe, pass_fds=(held,)) as child:
        assert child.stdout
        assert child.stdout.readline() == b"up\n"
        os.close(held)
        assert lock.is_holder(home, child.pid)
        assert lock.find_holder(home) == child.pid
        assert not lock.is_holder(home, os.getpid())
        child.communicate()
    assert lock.find_holder(home) == 0


@linux_only
def test_who_only_looks_at_the_home_is_no_holder(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    looking = lock.open_home(home)
    assert not lock.is_holder(home, os.getpid())
    os.close(looking)
    assert not lock.is_holder(Home(tmp_path / "none"), os.getpid())
    assert not lock.is_holder(home, 2**22 + 1)


def test_a_home_that_was_made_anew_is_another(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    held = lock.open_home(home)
    assert lock.is_same_home(home, held)
    home.root.rename(tmp_path / "away")
    assert not lock.is_same_home(home, held)
    home.root.mkdir()
    assert not lock.is_same_home(home, held)
    os.close(held)


def test_without_proc_whoever_says_so_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "PROC", tmp_path / "proc")
    assert lock.is_holder(Home(tmp_path), 1)
    assert lock.find_holder(Home(tmp_path)) == 0
    assert lock.read_age(1) == 0


def test_a_home_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DaemonError, match="SYNAPTIC_HOME"):
        lock.open_home(Home(tmp_path / "file" / "home"))
