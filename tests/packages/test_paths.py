"""One check for every name and path that comes from a registry, a lockfile or an author."""

import pytest

from synaptic.model.refusal import Refusal
from synaptic.packages.paths import check_installed_path, check_package_name, check_package_path, refuse_collisions


@pytest.mark.parametrize(
    "path",
    [
        "",
        " ",
        "/etc/passwd",
        "..",
        "../x",
        "a/../../x",
        ".",
        "./a",
        "a//b",
        "a/",
        "C:/x",
        "a\\b",
        "a\nb",
        ".claude/x",
        ".synaptic/x",
    ],
)
def test_a_path_that_could_lead_elsewhere_is_refused(path):
    """S0-139"""
    with pytest.raises(Refusal) as refused:
        check_package_path(path)
    assert refused.value.code == "validation_failed"


@pytest.mark.parametrize("path", ["a", "hooks/pre.sh", "skills/x/SKILL.md.j2", "docs/über uns.md", "a..b/c"])
def test_a_path_inside_the_package_is_taken_as_it_is(path):
    assert check_package_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        "skills/other/x",
        "skills/alpha",
        "skills/alpha/",
        "skills/alpha/../other/x",
        "skills/alpha/.git/config",
        "agents/deep/x.md",
        "agents/",
        "agents",
        "hooks/registry.toml",
        "manifest.lock",
        "config.toml",
        "../.claude/settings.json",
        "/etc/passwd",
        "",
    ],
)
def test_a_package_has_files_in_its_own_places_only(path):
    with pytest.raises(Refusal):
        check_installed_path(path, "alpha")


@pytest.mark.parametrize("path", ["skills/alpha/x", "skills/alpha/hooks/pre.sh", "agents/a.md", "commands/b.md"])
def test_the_places_of_a_package_are_its_folder_and_the_shared_ones(path):
    assert check_installed_path(path, "alpha") == path


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".git", "a/b", "A", "a b", "a\n", "-a", "nul", "con.x", "a.", "x" * 129]
)
def test_a_name_that_is_no_folder_is_refused(name):
    with pytest.raises(Refusal):
        check_package_name(name)


@pytest.mark.parametrize("paths", [("a", "A"), ("a", "a/b"), ("x/ß.md", "x/SS.md"), ("ﬁ", "fi")])
def test_two_paths_that_become_one_are_refused(paths):
    with pytest.raises(Refusal):
        refuse_collisions(paths, "here")


def test_different_paths_stand_beside_each_other():
    refuse_collisions(("a", "b", "c/a", "c/b", "ca"), "here")
