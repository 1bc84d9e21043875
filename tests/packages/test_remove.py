"""Removing: exactly what was installed goes, and only with it what was installed for it."""

from synaptic.packages.remove import apply_removals, prepare_removal
from tests.packages.shelf import Owner, made, refused, tree


def test_files_entries_and_record_go_and_nothing_else(tmp_path):
    """S0-084, S0-086, S0-097"""
    owner = Owner(tmp_path, made("alpha"), made("beta"))
    owner.install("beta")
    before = tree(owner.project)
    owner.install("alpha")
    owner.path("skills/alpha/mine.txt").write_text("mine")
    owner.remove("alpha")
    left = tree(owner.project)
    assert left.pop(".synaptic/skills/alpha/mine.txt")
    assert {path: data for path, data in left.items() if "lock" not in path} == {
        path: data for path, data in before.items() if "lock" not in path
    }
    assert not owner.path("skills/alpha/hooks").exists()
    assert owner.lock().list_names() == ("beta",)
    assert owner.faults() == []


def test_a_changed_file_is_told_before_and_kept_as_a_copy(tmp_path):
    """S0-098"""
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    owner.path("skills/alpha/SKILL.md").write_text("mine")
    removal = prepare_removal(owner.site, "alpha")
    assert removal.modified_files == ("skills/alpha/SKILL.md",)
    apply_removals(owner.home, [removal])
    (copy,) = (owner.home.root / "mod-snapshots").rglob("SKILL.md")
    assert copy.read_text() == "mine"


def test_a_file_that_cannot_be_deleted_keeps_everything(tmp_path):
    """S0-097"""
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    file = owner.path("skills/alpha/SKILL.md")
    file.unlink()
    (file / "inside").mkdir(parents=True)
    before = tree(owner.project)
    refusal = refused(lambda: owner.remove("alpha"))
    assert str(file) in str(refusal)
    assert tree(owner.project) == before
    assert owner.lock().list_names() == ("alpha",)


def test_scripts_that_are_gone_already_are_no_obstacle(tmp_path):
    """S0-085"""
    owner = Owner(tmp_path, made("alpha"), made("beta"))
    owner.install("alpha")
    owner.install("beta")
    owner.path("skills/alpha/hooks/pre.sh").unlink()
    owner.remove("alpha")
    assert [entry["skill"] for entry in owner.entries()] == ["beta"]


def test_a_file_that_two_packages_share_stays_with_the_other(tmp_path):
    shared = {"agents/helper.md": "the same"}
    owner = Owner(tmp_path, made("alpha", files=shared, hooks=[]), made("beta", files=shared, hooks=[]))
    owner.install("alpha")
    owner.install("beta")
    owner.remove("alpha")
    assert owner.path("agents/helper.md").exists()
    owner.remove("beta")
    assert not owner.path("agents").exists()


def test_only_what_was_brought_for_it_goes_with_it(tmp_path):
    """S0-099: installed by us for it, there before, asked for meanwhile, needed by another"""
    names = ("ours", "before", "asked", "shared")
    needs = [{"dep_name": name, "dep_type": "skill"} for name in names]
    owner = Owner(
        tmp_path,
        *(made(name) for name in names),
        made("top", deps=needs),
        made("other", deps=[{"dep_name": "shared", "dep_type": "skill"}]),
    )
    owner.install("before")
    owner.install("top")
    owner.install("asked")
    owner.install("other")
    assert [record.package for record in prepare_removal(owner.site, "top").records] == ["top", "ours"]
    owner.remove("top")
    assert owner.lock().list_names() == ("asked", "before", "other", "shared")


def test_what_another_needs_is_not_removed(tmp_path):
    owner = Owner(tmp_path, made("base"), made("top", deps=[{"dep_name": "base", "dep_type": "skill"}]))
    owner.install("top")
    refusal = refused(lambda: owner.remove("base"))
    assert (refusal.code, "needed by top" in refusal.message) == ("blocked", True)
    assert refused(lambda: owner.remove("nothing")).code == "not_found"
