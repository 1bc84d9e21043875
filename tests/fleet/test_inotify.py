"""Word of writes in one folder."""

import select
import sys
from pathlib import Path

import pytest

from synaptic.fleet.inotify import Inotify

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")


@pytest.fixture
def watch(tmp_path: Path):
    made = Inotify()
    (tmp_path / "folder").mkdir()
    assert made.watch(str(tmp_path / "folder"))
    yield made
    made.close()


def test_writes_are_told_with_their_file(watch: Inotify, tmp_path: Path):
    assert watch.names() == set()
    (tmp_path / "folder" / "one").write_text("x")
    (tmp_path / "folder" / "two").write_text("x")
    assert watch.fd is not None
    assert select.select([watch.fd], [], [], 5)[0]
    assert watch.names() == {"one", "two"}
    assert watch.names() == set()


@pytest.mark.parametrize("how", ["removed", "moved"])
def test_a_folder_that_is_gone_can_be_watched_again_when_it_is_back(watch: Inotify, tmp_path: Path, how: str):
    folder = tmp_path / "folder"
    if how == "removed":
        folder.rmdir()
    else:
        folder.rename(tmp_path / "elsewhere")
    watch.names()
    assert watch.fd is None
    assert watch.watch(str(folder)) is False
    folder.mkdir()
    assert watch.watch(str(folder)) is True
    (folder / "one").touch()
    assert "one" in watch.names()


def test_a_file_is_no_folder(tmp_path: Path):
    (tmp_path / "file").touch()
    assert Inotify().watch(str(tmp_path / "file")) is False
