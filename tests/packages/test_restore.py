"""Putting back: changed files from the registry, a lockfile on another machine, a project that was moved."""

import msgspec

from synaptic.model.home import Home
from synaptic.packages import lock
from synaptic.packages.drift import find_local_drift, find_upcoming_drift
from synaptic.packages.install import apply_install
from synaptic.packages.restore import find_broken, find_moved_pins, follow_move, prepare_restore
from synaptic.packages.site import make_project_site
from synaptic.packages.verify_install import verify_site
from tests.packages.shelf import Owner, made, refused, tree


def restore(owner):
    apply_install(owner.home, prepare_restore(owner.source, owner.site, find_broken(owner.site)))


def test_changed_and_missing_files_and_entries_come_back_as_the_lockfile_says(tmp_path):
    owner = Owner(tmp_path, made("alpha"), made("beta"))
    owner.install("alpha")
    owner.install("beta")
    before = {path: data for path, data in tree(owner.project).items() if "manifest" not in path}
    owner.source.add(made("alpha", "2.0.0"))
    assert find_broken(owner.site) == ()
    owner.path("skills/alpha/hooks/pre.sh").write_text("#!/bin/sh\nexit 0\n")
    owner.path("skills/alpha/SKILL.md").unlink()
    owner.site.registry.write_text(owner.site.registry.read_text().split("\n\n")[0] + "\n")
    assert [record.package for record in find_broken(owner.site)] == ["alpha", "beta"]
    restore(owner)
    assert {path: data for path, data in tree(owner.project).items() if "manifest" not in path} == before
    assert owner.lock().get("alpha").version == "1.0.0"
    assert owner.faults() == []


def test_a_registry_that_has_something_else_by_that_version_is_refused(tmp_path):
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    owner.path("skills/alpha/SKILL.md").unlink()
    owner.source.bundles = [made("alpha", files={"SKILL.md": "another", "hooks/pre.sh": "#!/bin/sh\n"})]
    assert refused(lambda: restore(owner)).code == "conflict"


def test_a_second_user_installs_exactly_the_lockfile(tmp_path):
    """C-23"""
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    owner.source.add(made("alpha", "2.0.0"))
    clone = tmp_path / "clone"
    (clone / ".synaptic").mkdir(parents=True)
    (clone / ".synaptic" / "manifest.lock").write_bytes(owner.site.lockfile.read_bytes())
    site = make_project_site(clone, Home(tmp_path / "second" / ".synaptic"))
    records = project_lock(site)
    apply_install(site.home, prepare_restore(owner.source, site, records))
    assert [(one.version, one.files) for one in project_lock(site)] == [(one.version, one.files) for one in records]
    assert [found.kind for found in verify_site(site) if found.kind != "ok"] == []


def project_lock(site):
    return lock.load_lockfile(site).install


def test_a_project_that_was_moved_gets_its_paths_and_keeps_its_priorities(tmp_path):
    """C-24"""
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    owner.site.registry.write_text(owner.site.registry.read_text().replace("priority = 20", "priority = 3"))
    owner.project = owner.project.rename(tmp_path / "elsewhere")
    kinds = {found.kind for found in owner.faults()}
    assert kinds == {"hook_elsewhere", "not_agreed"}
    old = find_moved_pins(owner.home, owner.site)
    follow_move(owner.home, owner.site, old)
    assert owner.faults() == []
    (entry,) = owner.entries()
    assert (entry["priority"], entry["script"].startswith(str(owner.project))) == (3, True)
    assert find_moved_pins(owner.home, owner.site) is None
    assert len(list(owner.site.pins.parent.iterdir())) == 1


def test_a_moved_project_with_other_scripts_is_not_believed(tmp_path):
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    owner.project = owner.project.rename(tmp_path / "elsewhere")
    text = owner.site.lockfile.read_text()
    record = owner.lock().get("alpha")
    owner.site.lockfile.write_text(text.replace(record.files["skills/alpha/hooks/pre.sh"], "0" * 64))
    assert find_moved_pins(owner.home, owner.site) is None


def test_what_was_changed_here_and_what_an_upgrade_changes(tmp_path):
    """S0-185"""
    owner = Owner(tmp_path, made("alpha", files={"hooks/pre.sh": "#!/bin/sh\none\n", "a.md": "x", "b.md": "x"}))
    owner.install("alpha")
    owner.path("skills/alpha/hooks/pre.sh").write_text("#!/bin/sh\nmine\n")
    owner.path("skills/alpha/a.md").unlink()
    owner.site.registry.write_text(owner.site.registry.read_text().replace("priority = 20", "priority = 3"))
    record = owner.lock().get("alpha")
    found = find_local_drift(owner.site, record, prepare_restore(owner.source, owner.site, [record]))
    assert [(file.path[13:], file.change) for file in found.files] == [
        ("a.md", "MISSING"),
        ("hooks/pre.sh", "MODIFIED"),
    ]
    assert {"-one", "+mine"} <= set(found.files[1].lines)
    assert "your priority stays" in found.hooks[0].note
    assert find_local_drift(owner.site, record).files[1].lines == ()
    owner.source.add(made("alpha", "2.0.0", files={"hooks/pre.sh": "#!/bin/sh\ntwo\n", "c.md": "x"}, hooks=[]))
    coming = find_upcoming_drift(owner.plan("alpha").items[0])
    changes = {file.path[13:]: file.change for file in coming.files}
    assert changes == {"a.md": "REMOVED", "b.md": "REMOVED", "c.md": "ADDED", "hooks/pre.sh": "MODIFIED"}
    assert [hook.change for hook in coming.hooks] == ["removed"]
    assert msgspec.json.encode(coming)
