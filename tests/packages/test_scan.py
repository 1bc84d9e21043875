import os

import pytest

from synaptic.model.refusal import Refusal
from synaptic.packages.catalog import load_catalog, locate_catalog, refresh_catalog
from synaptic.packages.scan import FileMatch, TrackedFiles, scan_files
from tests.packages.authoring import read_package


@pytest.fixture
def catalog(tmp_path):
    """Two versions with the same script."""
    file = locate_catalog(tmp_path, "main")
    for version in ("1.9.0", "1.10.0"):
        refresh_catalog(
            file, "main", [read_package(tmp_path / "p", version=version, files={"hooks/pre.sh": "hook"}).bundle]
        )
    return load_catalog(file)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "project"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "pre.sh").write_text("hook")
    (folder / "deep" / "other.sh").write_text("hook of my own")
    (folder / "link.sh").symlink_to("deep/pre.sh")
    return folder


def test_a_file_is_recognised_by_its_content_and_the_latest_version_is_meant(folder, catalog):
    """S0-179"""
    assert scan_files(folder, catalog).matches == (FileMatch("deep/pre.sh", "guard", "1.10.0", "hooks/pre.sh"),)


def test_the_tracked_version_is_preferred(folder, catalog):
    """S0-179"""
    [match] = scan_files(folder, catalog, TrackedFiles(versions={"guard": "1.9.0"})).matches
    assert match.version == "1.9.0"


def test_a_tracked_file_is_left_out(folder, catalog):
    """S0-179"""
    assert scan_files(folder, catalog, TrackedFiles(paths={"deep/pre.sh"})).matches == ()


def test_what_cannot_be_read_is_told_and_the_rest_is_still_found(folder, catalog, monkeypatch):
    """S0-179"""
    (folder / "closed").mkdir()
    real = os.scandir

    def scandir(path):
        if path.name == "closed":
            raise PermissionError(13, os.strerror(13), str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = scan_files(folder, catalog)
    assert len(found.matches) == 1
    assert found.problems == (f"{folder / 'closed'}: Permission denied",)


def test_a_missing_catalog_says_where_and_what_to_type(tmp_path):
    """S0-179"""
    with pytest.raises(Refusal) as refused:
        load_catalog(tmp_path / "catalog-main.toml")
    assert refused.value.code == "validation_failed"
    assert str(tmp_path) in str(refused.value)
    assert "synaptic registry catalog" in refused.value.hint
