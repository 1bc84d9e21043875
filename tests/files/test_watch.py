import os
import select
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.files.watch import WRITES, FolderWatch
from synaptic.hooks.catalog import HookCatalogs
from synaptic.model.home import Home

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel has no such thing")

HOOK = "id: {name}\nevent_type: SessionStart\nenabled: true\nhandler:\n  kind: script\n  command: ./run.sh\n"


def test_every_kind_of_change_is_news(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a")
    watch = FolderWatch()
    assert watch.add(str(tmp_path))
    for change in (
        lambda: file.write_text("b"),
        lambda: file.chmod(0o600),
        lambda: (tmp_path / "new").touch(),
        lambda: (tmp_path / "new").rename(tmp_path / "moved"),
        lambda: (tmp_path / "moved").unlink(),
    ):
        before = watch.read_generation()
        assert watch.read_generation() == before
        change()
        assert watch.read_generation() > before


def test_a_folder_that_is_not_there_cannot_be_observed(tmp_path: Path) -> None:
    watch = FolderWatch()
    assert not watch.add(str(tmp_path / "none"))
    assert not watch.add("a\0b")


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[FolderWatch]:
    made = FolderWatch(WRITES)
    (tmp_path / "folder").mkdir()
    assert made.add(str(tmp_path / "folder"))
    yield made
    made.close()


def test_writes_are_told_with_their_file(watch: FolderWatch, tmp_path: Path):
    assert watch.read_names() == set()
    (tmp_path / "folder" / "one").write_text("x")
    (tmp_path / "folder" / "two").write_text("x")
    assert watch.fd is not None
    assert select.select([watch.fd], [], [], 5)[0]
    assert watch.read_names() == {"one", "two"}
    assert watch.read_names() == set()


@pytest.mark.parametrize("how", ["removed", "moved"])
def test_a_folder_that_is_gone_can_be_watched_again_when_it_is_back(watch: FolderWatch, tmp_path: Path, how: str):
    folder = tmp_path / "folder"
    if how == "removed":
        folder.rmdir()
    else:
        folder.rename(tmp_path / "elsewhere")
    watch.read_names()
    assert watch.fd is None
    assert watch.add(str(folder)) is False
    folder.mkdir()
    assert watch.add(str(folder)) is True
    (folder / "one").touch()
    assert "one" in watch.read_names()


def test_a_file_is_no_folder(tmp_path: Path):
    (tmp_path / "file").touch()
    assert FolderWatch().add(str(tmp_path / "file")) is False


def test_a_watch_that_is_forgotten_closes_its_descriptor(tmp_path: Path):
    watch = FolderWatch()
    assert watch.add(str(tmp_path))
    descriptor = watch.fd
    assert descriptor is not None
    del watch
    with pytest.raises(OSError):
        os.fstat(descriptor)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / ".system" / "hooks"
    folder.mkdir(parents=True)
    (tmp_path / "project" / "run.sh").write_text("#!/bin/sh\n")
    for number in range(20):
        (folder / f"h{number:02}.yaml").write_text(HOOK.format(name=f"h{number:02}"))
    return tmp_path / "project"


def ids(catalogs: HookCatalogs, project: Path) -> list[str]:
    return [hook.id for hook in catalogs.get(str(project)).hooks if hook.scope == "project"]


def test_a_folder_of_many_files_is_seen_to_change_at_once(project: Path, tmp_path: Path) -> None:
    """S0-061, S2-025"""
    catalogs = HookCatalogs(Home(tmp_path / "home"))
    folder = project / ".system" / "hooks"
    assert len(ids(catalogs, project)) == 20
    assert catalogs.get(str(project)) is catalogs.get(str(project))
    for number in range(50):
        (folder / "h03.yaml").write_text(HOOK.format(name=f"n{number:02}"))
        assert f"n{number:02}" in ids(catalogs, project)
    (folder / "h04.yaml").unlink()
    assert len(ids(catalogs, project)) == 19


def test_links_are_looked_at_one_by_one(project: Path, tmp_path: Path) -> None:
    folder = project / ".system" / "hooks"
    elsewhere = tmp_path / "elsewhere.yaml"
    elsewhere.write_text(HOOK.format(name="linked"))
    (folder / "soft.yaml").symlink_to(elsewhere)
    hard = tmp_path / "hard.yaml"
    hard.write_text(HOOK.format(name="hard"))
    os.link(hard, folder / "hard.yaml")
    catalogs = HookCatalogs(Home(tmp_path / "home"))
    assert {"linked", "hard"} <= set(ids(catalogs, project))
    elsewhere.write_text(HOOK.format(name="linked-anew"))
    hard.write_text(HOOK.format(name="hard-anew"))
    assert {"linked-anew", "hard-anew"} <= set(ids(catalogs, project))
