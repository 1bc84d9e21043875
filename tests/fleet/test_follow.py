"""The database, followed by push."""

import os
import shutil
import threading
import time
from pathlib import Path

import pytest

from synaptic.files.watch import FolderWatch
from synaptic.fleet import follow
from synaptic.fleet.follow import LOST_NOTE, DatabaseFollower
from synaptic.model.home import Home
from synaptic.store import lease, supervision
from synaptic.store.db import Store
from synaptic.store.supervision import SupervisedAgent
from tests.fleet.conftest import says


@pytest.fixture(params=["pushed", "blind"])
def source(home: Home, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    if request.param == "blind":
        monkeypatch.setattr(FolderWatch, "add", lambda self, folder: False)
    made = DatabaseFollower(home)
    yield made
    made.close()


def names(source: DatabaseFollower) -> list[str]:
    return [one.agent for one in source.read_members()]


def test_a_commit_of_somebody_else_wakes_whoever_waits(source: DatabaseFollower, store: Store):
    assert source.wait(0.0) is True
    assert source.wait(0.0) is False
    threading.Timer(0.1, lambda: says(store, "a", "working")).start()
    assert source.wait(5.0) is True
    assert names(source) == ["a"]
    assert source.wait(0.0) is False


def test_word_comes_from_the_kernel_and_not_from_looking_again(home: Home, store: Store, monkeypatch):
    monkeypatch.setattr(follow, "WATCHED_PAUSE", 60.0)
    source = DatabaseFollower(home)
    source.wait(0.0)
    threading.Timer(0.1, lambda: says(store, "a", "working")).start()
    assert source.wait(10.0) is True
    source.close()


def test_other_files_of_the_home_are_no_news(home: Home, store: Store, monkeypatch):
    source = DatabaseFollower(home)
    source.wait(0.0)
    threading.Timer(0.05, lambda: (home.root / "config.toml").write_text("")).start()
    assert source.wait(0.3) is False
    source.close()


def test_something_else_to_read_ends_the_waiting(source: DatabaseFollower, store: Store):
    source.wait(0.0)
    ends = os.pipe()
    os.write(ends[1], b"x")
    before = time.monotonic()
    assert source.wait(30.0, (ends[0],)) is False
    assert time.monotonic() - before < 20
    for end in ends:
        os.close(end)


def test_before_there_is_a_database_there_is_nobody(source: DatabaseFollower, home: Home):
    assert source.wait(0.0) is True
    assert names(source) == []
    threading.Timer(0.1, lambda: _made(home)).start()
    assert source.wait(5.0) is True
    assert wait_for(lambda: source.wait(0.5) or names(source) == ["a"])
    assert names(source) == ["a"]
    assert not home.database.with_suffix(".db.unexpected").exists()


def _made(home: Home) -> None:
    store = Store.open(home)
    says(store, "a", "working")
    store.close()


def test_the_log_is_emptied_and_the_next_commit_is_seen(source: DatabaseFollower, store: Store):
    source.wait(0.0)
    says(store, "a", "working")
    store.run_separately(lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())
    assert source.wait(5.0) is True
    says(store, "b", "error")
    assert source.wait(5.0) is True
    assert names(source) == ["a", "b"]


def test_another_database_under_the_same_name_is_followed(
    source: DatabaseFollower, home: Home, store: Store, tmp_path: Path
):
    says(store, "a", "working")
    source.wait(0.0)
    assert names(source) == ["a"]
    other = Home(tmp_path / "other")
    fresh = Store.open(other)
    says(fresh, "b", "working")
    fresh.close()
    store.close()
    for suffix in ("-wal", "-shm"):
        Path(f"{home.database}{suffix}").unlink(missing_ok=True)
    other.database.replace(home.database)
    assert source.wait(5.0) is True
    assert names(source) == ["b"]
    store._open()


def test_the_whole_home_goes_and_comes_back(source: DatabaseFollower, home: Home):
    _made(home)
    source.wait(0.0)
    assert names(source) == ["a"]
    shutil.rmtree(home.root)
    assert source.wait(5.0) is True
    assert names(source) == []
    _made(home)
    assert wait_for(lambda: source.wait(0.5) or names(source) == ["a"])
    assert names(source) == ["a"]


def test_a_supervisor_that_was_killed_leaves_an_agent_in_error(home: Home, store: Store):
    held = lease.take_lease(home.root, "a")
    assert held is not None
    supervision.begin_supervision(store, SupervisedAgent(agent="a", pid=1), "working", 1.0)
    source = DatabaseFollower(home)
    assert [(one.status, one.note) for one in source.read_members()] == [("working", "")]
    os.close(held)
    assert [(one.status, one.note) for one in source.read_members()] == [("error", LOST_NOTE)]
    source.close()


def wait_for(done, seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
    return False
