"""The stamp of a package: the same for the same files, another one for any change that could be code."""

import os
import sys
from pathlib import Path

import pytest

from synaptic.model.home import Home
from synaptic.setup import code, installed
from synaptic.setup.start import iter_files


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "synaptic"
    (folder / "policies").mkdir(parents=True)
    (folder / "policies" / "one.py").write_text("1\n")
    (folder / "book.toml").write_text("")
    return folder


def test_the_same_files_have_the_same_stamp(package: Path) -> None:
    assert code.read_stamp(str(package)) == code.read_stamp(str(package))


@pytest.mark.parametrize(
    "change",
    [
        lambda package: (package / "policies" / "one.py").write_text("2\n\n"),
        lambda package: os.utime(package / "book.toml", (1, 1)),
        lambda package: (package / "policies" / "two.py").touch(),
        lambda package: (package / "book.toml").unlink(),
        lambda package: (package / "book.toml").rename(package / "policies" / "book.toml"),
    ],
)
def test_what_is_changed_added_moved_or_taken_away_counts(package: Path, change) -> None:
    before = code.read_stamp(str(package))
    change(package)
    assert code.read_stamp(str(package)) != before


@pytest.mark.parametrize("name", [".one.py.swp", "#one.py#", "one.py~", "__pycache__/one.pyc", ".#one.py"])
def test_what_editors_and_python_leave_there_does_not(package: Path, name: str) -> None:
    before = code.read_stamp(str(package))
    (package / name).parent.mkdir(exist_ok=True)
    (package / name).write_text("x")
    assert code.read_stamp(str(package)) == before


def test_the_same_files_elsewhere_are_other_code(package: Path, tmp_path: Path) -> None:
    files = list(iter_files(str(package)))
    assert code.digest_files(str(package), files) != code.digest_files(str(tmp_path), files)


def test_a_home_names_the_package_that_it_starts(package: Path, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert code.find_package(home) == code.PACKAGE
    home.root.mkdir()
    home.engine_files.write_text(f"version=1\npackage={package}\npath={sys.prefix}\n")
    assert code.read_installed_stamp(home) == code.read_stamp(str(package))
    home.bin.mkdir()
    installed.record_installed(home)
    assert code.find_package(home) == code.PACKAGE
