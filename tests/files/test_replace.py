import os
from pathlib import Path

import pytest

from synaptic.files.replace import delete_file, drop_folders, make_folders, read_file, replace_file, replace_own
from synaptic.model.errors import SettingsError


def test_mode_of_an_existing_file_stays_and_a_new_one_gets_the_given(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("a")
    old.chmod(0o640)
    replace_file(old, b"b")
    replace_file(new, b"c", 0o644)
    assert (old.read_bytes(), old.stat().st_mode & 0o777) == (b"b", 0o640)
    assert (new.read_bytes(), new.stat().st_mode & 0o777) == (b"c", 0o644)


def test_a_link_stays_a_link_even_to_a_file_that_is_not_there_yet(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("target")
    replace_file(link, b"x")
    assert link.is_symlink()
    assert (tmp_path / "target").read_bytes() == b"x"
    delete_file(link)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_old_bytes_and_no_litter(tmp_path, monkeypatch):
    """S0-013"""
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SettingsError, match=r"file: cannot be written: No space left"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_reading_tells_absent_from_unreadable(tmp_path):
    assert read_file(tmp_path / "none") is None
    with pytest.raises(SettingsError, match="cannot be read"):
        read_file(tmp_path)


def test_only_folders_that_were_made_and_are_empty_go(tmp_path):
    made = make_folders(tmp_path / "a" / "b" / "c")
    assert made == tuple(str(tmp_path / name) for name in ("a/b/c", "a/b", "a"))
    assert make_folders(tmp_path / "a" / "b") == ()
    (tmp_path / "a" / "keep").touch()
    drop_folders(made)
    assert [path.name for path in tmp_path.rglob("*")] == ["a", "keep"]


def test_a_file_of_our_own_is_replaced_with_the_mode_that_is_asked_for(tmp_path: Path):
    path = tmp_path / "dispatch"
    path.write_text("old")
    replace_own(str(path), b"new", 0o755)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o755)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_of_our_own_takes_the_place_of_a_link(tmp_path: Path):
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    replace_own(str(tmp_path / "link"), b"ours")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "theirs").read_text() == "theirs"


def test_a_replacement_that_fails_leaves_no_temporary_file(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        replace_own(str(tmp_path / "folder"), b"new")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]
