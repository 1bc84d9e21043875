from synaptic.packages.compare import FileDifference, compare_bundles
from tests.packages.authoring import HOOK, read_package


def test_files_are_added_removed_and_modified_by_path(tmp_path):
    """S0-185"""
    before = read_package(tmp_path / "a", more="", files={"b.md": "1", "c.md": "1", "same.md": "1"}).bundle
    after = read_package(tmp_path / "b", more="", version="2", files={"a.md": "1", "b.md": "2", "same.md": "1"}).bundle
    found = compare_bundles(before, after)
    assert found.files == (
        FileDifference("a.md", "ADDED"),
        FileDifference("b.md", "MODIFIED"),
        FileDifference("c.md", "REMOVED"),
    )
    assert (found.version_before, found.version_after, found.is_same) == ("1.0.0", "2", False)


def test_a_side_without_the_package_has_no_version(tmp_path):
    """S0-185"""
    bundle = read_package(tmp_path).bundle
    assert compare_bundles(None, bundle).version_before is None
    assert compare_bundles(bundle, None).version_after is None
    assert [one.state for one in compare_bundles(bundle, None).hooks] == ["REMOVED"]


def test_a_hook_with_another_priority_is_a_change(tmp_path):
    before = read_package(tmp_path).bundle
    after = read_package(tmp_path, more=HOOK.replace("20", "30")).bundle
    [hook] = compare_bundles(before, after).hooks
    assert (hook.state, hook.before.priority, hook.after.priority) == ("MODIFIED", 20, 30)


def test_the_same_is_the_same(tmp_path):
    bundle = read_package(tmp_path).bundle
    assert compare_bundles(bundle, bundle).is_same
