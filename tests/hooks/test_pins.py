"""A script of an installed package that is not as it was installed does not run, and says so."""

import pytest

from synaptic.hooks.pins import (
    ABSENT_HASH,
    PinnedPackage,
    Pins,
    find_tampering,
    is_as_installed,
    locate_pins,
    parse_pins,
)
from synaptic.model.hook import Command, Hook, HttpEndpoint
from synaptic.packages.dependencies import WantedPackage
from synaptic.packages.install import InstallOrder, apply_install, prepare_install
from synaptic.packages.site import make_global_site, make_project_site
from tests.daemon.setting import BLOCK, Setting, specific
from tests.packages.shelf import Shelf, made

GUARD = {"hooks/guard.sh": f"#!/bin/sh\n{BLOCK}\n", "scripts/lib.sh": "# used by it\n"}
HOOKS = [("PreToolUse", "hooks/guard.sh", {"matcher": "Bash", "priority": 20, "blocking": True})]


@pytest.fixture
def setting(tmp_path):
    made_up = Setting(tmp_path, trust="ask")

    def install(everywhere=False, *bundles):
        source = Shelf(*bundles or (made("guard", files=GUARD, hooks=HOOKS),))
        site = make_global_site(made_up.home) if everywhere else make_project_site(made_up.project, made_up.home)
        wanted = WantedPackage(name="guard", channel="main")
        apply_install(made_up.home, prepare_install(source, InstallOrder(wanted=wanted, sites=(site,))))
        return site.skills / "guard"

    made_up.install_guard = install
    return made_up


def decision(setting):
    return specific(setting.answer(setting.request())).get("permissionDecision")


@pytest.mark.parametrize("everywhere", [False, True])
def test_what_was_installed_runs_at_once_and_what_was_changed_does_not(setting, everywhere):
    """S0-081, S0-086"""
    folder = setting.install_guard(everywhere)
    assert decision(setting) == "deny"
    (folder / "hooks" / "guard.sh").write_text("#!/bin/sh\ntouch /tmp/never\nexit 0\n")
    answer = setting.answer(setting.request())
    assert specific(answer).get("permissionDecision") != "deny"
    told = str(setting.last().decision)
    assert "synaptic verify guard" in told
    assert "guard 1.0.0" in told


def test_a_changed_file_beside_the_script_counts_too(setting):
    folder = setting.install_guard()
    (folder / "scripts" / "lib.sh").write_text("rm -r everything\n")
    assert decision(setting) != "deny"


def test_a_changed_guard_that_must_not_fail_denies(setting):
    """An integrity violation never relaxes anything."""
    folder = setting.install_guard()
    registry = setting.hooks / "registry.toml"
    registry.write_text(registry.read_text() + 'on_error = "deny"\n')
    (folder / "hooks" / "guard.sh").write_text("#!/bin/sh\nexit 0\n")
    assert decision(setting) == "deny"


def test_an_older_version_of_the_script_does_not_run_either(setting):
    folder = setting.install_guard()
    old = (folder / "hooks" / "guard.sh").read_text()
    files = {**GUARD, "hooks/guard.sh": f"#!/bin/sh\n# two\n{BLOCK}\n"}
    setting.install_guard(False, made("guard", "2.0.0", files=files, hooks=HOOKS))
    assert decision(setting) == "deny"
    (folder / "hooks" / "guard.sh").write_text(old)
    assert decision(setting) != "deny"


def test_the_pins_of_a_repository_count_nothing(setting):
    """What lies in the project can neither pin nor trust."""
    folder = setting.install_guard()
    locate_pins(setting.home, str(setting.project)).unlink()
    assert decision(setting) != "deny"
    assert "synaptic trust" in str(setting.rehearse(setting.request()).decision)
    assert folder.exists()


def hook(script="/a", skill="guard"):
    return Hook(id="guard:a", events=("Stop",), handler=Command(argv=(script,)), skill=skill, scope="project")


def test_only_scripts_of_the_package_are_meant(tmp_path):
    script = tmp_path / "a"
    script.write_text("x")
    sha = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    pins = Pins(packages={"guard": PinnedPackage(version="1", scripts={str(script): (sha,)})})
    assert is_as_installed(hook(str(script)), pins)
    assert find_tampering(hook(str(script)), pins) is None
    for other in (hook("/b"), hook(str(script), "other"), hook(str(script), "")):
        assert not is_as_installed(other, pins)
        assert find_tampering(other, pins) is None
    web = Hook(id="x", events=("Stop",), handler=HttpEndpoint("http://127.0.0.1/"), skill="guard")
    assert find_tampering(web, pins) is None
    script.write_text("y")
    assert not is_as_installed(hook(str(script)), pins)
    script.unlink()
    assert find_tampering(hook(str(script)), pins)
    moving = Pins(packages={"guard": PinnedPackage(version="1", scripts={str(script): (sha, ABSENT_HASH)})})
    assert find_tampering(hook(str(script)), moving) is None


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"packages": 1}', b"\xff"])
def test_pins_that_cannot_be_read_pin_nothing(text):
    assert parse_pins(text) == Pins()
