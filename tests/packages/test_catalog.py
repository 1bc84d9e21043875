import pytest

from synaptic.model.refusal import Refusal
from synaptic.packages.catalog import find_latest, load_catalog, locate_catalog, refresh_catalog
from tests.packages.authoring import read_package


@pytest.fixture
def file(tmp_path):
    return locate_catalog(tmp_path / "catalogs", "main")


def test_a_channel_with_a_slash_has_a_file_all_the_same(tmp_path):
    """S0-177"""
    assert locate_catalog(tmp_path, "feature/http").name == "catalog-feature_http.toml"


def test_a_refresh_keeps_older_versions_and_sorts_them(tmp_path, file):
    """S0-177"""
    folder = tmp_path / "p"
    refresh_catalog(file, "main", [read_package(folder, version="1.9.0").bundle])
    refresh_catalog(
        file, "main", [read_package(folder, version="1.10.0").bundle, read_package(folder, name="a").bundle]
    )
    found = load_catalog(file)
    assert [(one.package, one.version) for one in found.known] == [
        ("a", "1.0.0"),
        ("guard", "1.9.0"),
        ("guard", "1.10.0"),
    ]
    assert (found.channel, found.warnings) == ("main", ())


def test_incomplete_rows_are_dropped(tmp_path, file):
    """S0-177"""
    good = read_package(tmp_path / "p").bundle
    refresh_catalog(file, "main", [good])
    text = file.read_text()
    file.write_text(text + '\n[[package]]\npackage = "x"\nversion = "1"\n\n[[package]]\npackage = 3\n')
    assert [one.package for one in load_catalog(file).known] == ["guard"]
    refresh_catalog(file, "main", [])
    assert "x" not in [one.package for one in load_catalog(file).known]


def test_a_newer_schema_is_read_as_far_as_possible_with_a_warning(tmp_path, file):
    """S0-178"""
    refresh_catalog(file, "main", [read_package(tmp_path / "p").bundle])
    file.write_text(file.read_text().replace("schema = 1", "schema = 9\nunheard = true"))
    found = load_catalog(file)
    assert [one.package for one in found.known] == ["guard"]
    assert "schema is 9" in found.warnings[0]


def test_a_broken_file_is_an_error_and_not_overwritten(file):
    """S0-178"""
    file.parent.mkdir()
    file.write_text("[[")
    with pytest.raises(Refusal, match="no valid TOML"):
        refresh_catalog(file, "main", [])
    assert file.read_text() == "[["


def test_versions_are_compared_as_numbers():
    assert find_latest(["1.9", "1.10", "nightly"]) == "1.10"
