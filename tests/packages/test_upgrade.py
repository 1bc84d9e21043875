"""Upgrading: from the channel of the installation, with the user's answers and edits, or a reason why not."""

import os

import pytest

from synaptic.packages.dependencies import WantedPackage
from synaptic.packages.install import InstallOrder, apply_install
from synaptic.packages.upgrade import list_available, prepare_upgrade
from tests.packages.shelf import Owner, made, refused

HOOKS = [("PreToolUse", "hooks/pre.sh", {"matcher": "Bash", "priority": 20, "blocking": True})]


def upgrade(owner, name="alpha", channel="", version=None, **more):
    order = InstallOrder(wanted=WantedPackage(name=name, channel=channel, version=version), sites=())
    found = prepare_upgrade(owner.source, order, owner.site, **more)
    if found.prepared:
        apply_install(owner.home, found.prepared)
    return found


def test_a_users_priority_survives_and_the_change_is_shown(tmp_path):
    """S0-062, S0-063, S0-104"""
    owner = Owner(tmp_path, made("alpha", hooks=HOOKS), made("beta"))
    owner.install("alpha")
    owner.install("beta")
    text = owner.site.registry.read_text().replace("priority = 20", "priority = 3", 1)
    owner.site.registry.write_text(f"# mine\n{text}")
    changed = [("PreToolUse", "hooks/pre.sh", {"matcher": "Bash|Write", "priority": 30, "blocking": True})]
    owner.source.add(made("alpha", "2.0.0", hooks=changed))
    (shown,) = upgrade(owner).prepared.summarise()
    alpha, beta = owner.entries()
    assert (alpha["priority"], alpha["matcher"], beta["priority"]) == (3, "Bash|Write", 20)
    assert owner.site.registry.read_text().startswith("# mine\n")
    assert owner.faults() == []
    assert (shown.action, shown.was, shown.version) == ("upgrade", "1.0.0", "2.0.0")


def test_the_plan_shows_a_changed_hook(tmp_path):
    owner = Owner(tmp_path, made("alpha", hooks=HOOKS))
    owner.install("alpha")
    owner.site.registry.write_text(owner.site.registry.read_text().replace("priority = 20", "priority = 3"))
    owner.source.add(made("alpha", "2.0.0", hooks=[("PreToolUse", "hooks/pre.sh", {"matcher": "Write"})]))
    (hook,) = owner.plan("alpha").summarise()[0].hooks
    assert hook.change == "changed"
    assert "matcher was 'Bash'" in hook.note
    assert "your priority stays, the package asks for 50" in hook.note


def test_it_comes_from_the_channel_of_the_installation(tmp_path):
    """S0-100"""
    owner = Owner(tmp_path, made("alpha", channel="beta"), made("alpha", "9.0.0"))
    owner.install("alpha", channel="beta")
    owner.source.add(made("alpha", "2.0.0", channel="beta"))
    owner.source.opened.clear()
    assert upgrade(owner).outcome.version == "2.0.0"
    assert set(owner.source.opened) == {"beta"}
    assert upgrade(owner, channel="main").outcome.version == "9.0.0"
    assert owner.lock().get("alpha").branch == "main"


def test_why_one_stays_as_it_is(tmp_path):
    """S0-101"""
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    assert upgrade(owner).outcome.state == "current"
    assert upgrade(owner, version="7").outcome.message == "channel main does not have version 7"
    deps = [{"dep_name": "no-such-program-here", "dep_type": "tool"}]
    owner.source.add(made("alpha", "2.0.0", deps=deps))
    outcome = upgrade(owner, batch=True).outcome
    assert (outcome.state, "no-such-program-here" in outcome.message) == ("skipped", True)
    assert refused(lambda: upgrade(owner)).code == "blocked"
    assert refused(lambda: upgrade(owner, "nothing")).code == "not_found"
    assert owner.lock().get("alpha").version == "1.0.0"


def test_what_an_upgrade_takes_away_is_said_before(tmp_path):
    """S0-102"""
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    owner.path("skills/alpha/SKILL.md").write_text("mine")
    (owner.project / "go.mod").write_text("module x\n")
    question = {"question_id": "why", "prompt": "Why?", "type": "text"}
    deps = [{"dep_name": "sh", "dep_type": "tool"}]
    files = {"SKILL.md": "# two\n", "hooks/pre.sh": "#!/bin/sh\n"}
    owner.source.add(made("alpha", "2.0.0", files=files, questions=[question], deps=deps))
    (shown,) = owner.plan("alpha").summarise()
    told = "; ".join(shown.warnings)
    for word in ("SKILL.md: your changes are overwritten", "question `why`", "requirement: sh", "profile changed"):
        assert word in told
    owner.install("alpha")
    (copy,) = (owner.home.root / "mod-snapshots").rglob("SKILL.md")
    assert copy.read_text() == "mine"


def test_files_that_the_new_version_does_not_have_go(tmp_path):
    owner = Owner(tmp_path, made("alpha", files={"a/b/c.md": "x", "hooks/pre.sh": "#!/bin/sh\n"}))
    owner.install("alpha")
    owner.source.add(made("alpha", "2.0.0", files={"hooks/new.sh": "#!/bin/sh\n"}, hooks=[]))
    upgrade(owner)
    assert sorted(path.name for path in owner.site.skills.rglob("*")) == ["alpha", "hooks", "new.sh"]
    assert owner.entries() == []
    assert owner.faults() == []


def test_what_is_available(tmp_path):
    owner = Owner(tmp_path, made("alpha"), made("beta"), made("gone"))
    for name in ("alpha", "beta", "gone"):
        owner.install(name)
    owner.source.bundles = [made("alpha", "2.0.0"), made("beta")]
    found = {one.package: (one.available, one.outdated) for one in list_available(owner.source, owner.site)}
    assert found == {"alpha": ("2.0.0", True), "beta": ("1.0.0", False), "gone": ("", False)}


def test_a_tool_that_is_too_old_is_refused_with_both_versions(tmp_path):
    """S0-148"""
    dep = {"dep_name": "python3", "dep_type": "tool", "dep_spec": ">= 99.1"}
    refusal = refused(lambda: Owner(tmp_path, made("alpha", deps=[dep])).install("alpha"))
    assert refusal.code == "blocked"
    assert "required: python3 >= 99.1; found: 3." in refusal.message


@pytest.mark.parametrize("name", ["../sh", "/bin/sh", "a b"])
def test_a_tool_is_a_name_and_no_path(tmp_path, name):
    owner = Owner(tmp_path, made("alpha", deps=[{"dep_name": name, "dep_type": "tool"}]))
    assert refused(lambda: owner.install("alpha")).code == "validation_failed"


def test_packages_that_are_needed_come_first_and_cycles_end(tmp_path):
    """S0-149"""

    def needing(name, other):
        return made(name, deps=[{"dep_name": other, "dep_type": "skill"}])

    owner = Owner(tmp_path, needing("a", "b"), needing("b", "c"), needing("c", "a"))
    assert [item.name for item in owner.plan("a").items] == ["c", "b", "a"]
    owner.install("a")
    assert owner.lock().get("c").tracking == "dependency"
    deep = Owner(tmp_path / "deep", *(needing(f"p{number}", f"p{number + 1}") for number in range(20)))
    assert "deep" in refused(lambda: deep.install("p0")).message


def test_a_package_of_the_wrong_version_blocks(tmp_path):
    owner = Owner(
        tmp_path, made("base"), made("alpha", deps=[{"dep_name": "base", "dep_type": "skill", "dep_spec": ">=2"}])
    )
    refusal = refused(lambda: owner.install("alpha"))
    assert (refusal.code, "base >=2, and there is 1.0.0" in refusal.message) == ("blocked", True)


def test_a_program_is_brought_by_its_command_which_is_shown_and_recorded(tmp_path, monkeypatch):
    """S0-148, S0-150"""
    bins = tmp_path / "bin"
    bins.mkdir()
    monkeypatch.setenv("PATH", f"{bins}:{os.environ['PATH']}")
    command = f"printf '#!/bin/sh\\n' > {bins}/brought; chmod +x {bins}/brought"
    dep = {"dep_name": "brought", "dep_type": "cli", "install_cmd": command}
    owner = Owner(tmp_path, made("alpha", deps=[dep]))
    plan = owner.plan("alpha")
    assert [one.command for one in plan.summarise()[0].commands] == [command]
    assert not (bins / "brought").exists()
    apply_install(owner.home, plan)
    assert (bins / "brought").exists()
    (cli,) = owner.lock().get("alpha").requirements.cli
    assert (cli.command, cli.provenance) == (command, "installed")
    assert owner.plan("alpha").commands == ()


def test_a_command_that_fails_or_is_not_the_published_one_changes_nothing(tmp_path):
    dep = {"dep_name": "never-there", "dep_type": "cli", "install_cmd": "exit 3"}
    owner = Owner(tmp_path, made("alpha", deps=[dep]))
    assert "exit 3" in refused(lambda: owner.install("alpha")).message
    owner.source.bundles = [made("alpha", deps=[{**dep, "cmd_sha256": "0" * 64}])]
    assert refused(lambda: owner.install("alpha")).code == "validation_failed"
    assert owner.lock().list_names() == ()
