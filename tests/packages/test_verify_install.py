"""Looking at what is installed: every kind of difference has its name."""

import tomllib

import msgspec
import pytest
import tomlkit

from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.lock import ExternalNeed, Requirements
from synaptic.packages.verify_install import verify_site
from tests.packages.shelf import Owner, made, refused


def kinds(owner):
    return [found.kind for found in verify_site(owner.site)]


def test_the_states_of_files_in_their_order_extras_last(tmp_path):
    """S0-173, S0-175"""
    files = {f"{name}.md": name for name in "abcd"}
    owner = Owner(tmp_path, made("alpha", files=files, hooks=[]))
    owner.install("alpha")
    folder = owner.site.skills / "alpha"
    (folder / "b.md").write_text("changed")
    (folder / "c.md").unlink()
    (folder / "d.md").unlink()
    (folder / "d.md").mkdir()
    (folder / "z").write_text("more")
    (folder / "e").write_text("more")
    found = verify_site(owner.site)
    assert [one.kind for one in found] == ["ok", "modified", "missing", "unreadable", "extra", "extra"]
    assert [one.path[-1] for one in found[-2:]] == ["e", "z"]
    assert [one.severity for one in found] == ["info", "warn", "error", "error", "info", "info"]


def test_a_package_whose_folder_is_gone_is_all_missing(tmp_path):
    """S0-175"""
    owner = Owner(tmp_path, made("alpha", files={"a.md": "x"}, hooks=[]))
    owner.install("alpha")
    (owner.site.skills / "alpha" / "a.md").unlink()
    (owner.site.skills / "alpha").rmdir()
    assert kinds(owner) == ["missing"]


def test_an_entry_that_somebody_deleted_is_named(tmp_path):
    """S0-174"""
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    owner.site.registry.write_text("")
    (found,) = owner.faults()
    assert found.kind == "hook_not_registered"
    assert "PreToolUse, matcher Bash" in found.message
    assert found.path.endswith("hooks/pre.sh")
    owner.site.registry.write_text("[[")
    assert [found.kind for found in owner.faults()] == ["hook_registry_unreadable"]


def test_a_record_that_cannot_be_true_is_named(tmp_path):
    """S0-174"""
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    record = owner.lock().get("alpha")
    doubtful = msgspec.structs.replace(
        record,
        sha256="0" * 64,
        requirements=Requirements(tools=(ExternalNeed(name="sh"),), cli=(ExternalNeed(name="x"),)),
    )
    owner.site.lockfile.write_bytes(lock.encode_lockfile(owner.lock().put(doubtful)))
    found = owner.faults()
    assert [one.kind for one in found] == [
        "dependency_verification_missing",
        "dependency_provenance_missing",
        "aggregate_mismatch",
    ]
    assert all(one.has_failed for one in found)


def test_an_old_lockfile_is_read_and_a_newer_or_broken_one_is_not(tmp_path):
    """S0-171"""
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    table = tomllib.loads(owner.site.lockfile.read_text())
    old = {key: table["install"][0][key] for key in ("id", "package", "version", "scope")}
    owner.site.lockfile.write_text(tomlkit.dumps({"version": 1, "install": [old]}))
    assert owner.lock().get("alpha").tracking == "local-install"
    owner.site.lockfile.write_text("version = 2\n")
    assert "newer" in refused(owner.lock).message
    for text in ("version = [", 'install = "x"', "install = [{}]"):
        owner.site.lockfile.write_text(text)
        with pytest.raises(Refusal):
            owner.lock()


def test_a_clone_on_another_machine_has_agreed_to_nothing(tmp_path):
    """C-23"""
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    owner.site.pins.unlink()
    assert [found.kind for found in owner.faults()] == ["not_agreed"]
