"""The daemon is started before the engine is imported, where one is wanted."""

import sys
from pathlib import Path

import pytest

from synaptic.daemon import lifecycle
from synaptic.daemon.early import start_early
from synaptic.model.home import Home
from tests.daemon.test_fallback import end, engine_file
from tests.daemon.test_lifecycle import FAKE, running


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(lifecycle, "build_start", lambda home, module: (sys.executable, *FAKE))
    return Home(tmp_path / "home")


def test_it_is_started_once(home: Home) -> None:
    """S3-051"""
    engine_file(home)
    assert start_early(home)
    running(home)
    assert not start_early(home)
    end(home)


def test_none_is_started_where_none_is_wanted(home: Home) -> None:
    assert not start_early(home)
    engine_file(home, "daemon=false")
    assert not start_early(home)
    assert lifecycle.read_status(home).state == "stopped"


def test_a_home_that_cannot_be_used_is_no_error(home: Home, tmp_path: Path) -> None:
    engine_file(home)
    home.run.symlink_to(tmp_path)
    assert not start_early(home)
