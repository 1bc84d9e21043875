import json

import pytest

from synaptic.agents.shared.record import SetupChoices
from synaptic.setup.bootstrap import run_bootstrap
from synaptic.setup.verify import verify_setup
from tests.packages.installation import options_for, snapshot


@pytest.fixture
def options(tmp_path):
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    options = options_for(tmp_path, project=project)
    run_bootstrap(options)
    return options


def found(options):
    return [(problem.what, problem.where) for problem in verify_setup(options)]


def put(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def test_a_good_installation_has_no_problem_and_looking_writes_nothing(options, tmp_path):
    """S0-009"""
    before = snapshot(tmp_path)
    assert verify_setup(options) == ()
    assert snapshot(tmp_path) == before


def test_before_bootstrap_everything_is_missing_and_says_what_to_type(tmp_path):
    options = options_for(tmp_path, search_path="/bin")
    problems = verify_setup(options)
    assert [problem.what for problem in problems] == [
        "the dispatcher is missing",
        "the dispatcher does not know its engine",
        "the agent was never told about the dispatcher",
        "the folder is not on PATH",
    ]
    assert all("synaptic bootstrap" in problem.fix for problem in problems)
    assert list(snapshot(tmp_path)) == ["user"]


def test_missing_and_outdated_entries_are_named(options):
    """S0-009"""
    value = json.loads(options.settings.read_text())
    del value["hooks"]["Stop"]
    value["hooks"]["Setup"][0]["hooks"][0]["command"] = "/old/.synaptic/bin/dispatch"
    put(options.settings, value)
    where = str(options.settings)
    assert found(options) == [("no entry for Stop", where), ("an outdated entry for Setup", where)]


def test_a_dispatcher_that_cannot_run_is_named(options):
    options.home.dispatch.chmod(0o644)
    assert found(options) == [("the dispatcher is not executable", str(options.home.dispatch))]
    options.home.dispatch.write_text("#!/bin/sh\n")
    options.home.dispatch.chmod(0o755)
    assert found(options) == [("the dispatcher is not one of ours", str(options.home.dispatch))]


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_a_repository_that_switches_hooks_off_is_named_and_managed_ones_do_not_care(options, name):
    file = options.project / ".claude" / name
    put(file, {"disableAllHooks": True})
    ((problem),) = verify_setup(options)
    assert problem.where == str(file)
    assert "--managed" in problem.fix
    run_bootstrap(options_for(options.user_home.parent, choices=SetupChoices(managed=True)))
    assert verify_setup(options) == ()


def test_the_user_may_have_switched_hooks_off(options):
    put(options.settings, {**json.loads(options.settings.read_text()), "disableAllHooks": True})
    assert found(options) == [("`disableAllHooks` stops every hook of this installation", str(options.settings))]


@pytest.mark.parametrize(
    "rule",
    [
        {"allowManagedHooksOnly": True},
        {"strictPluginOnlyCustomization": ["hooks"]},
        {"strictPluginOnlyCustomization": True},
    ],
)
@pytest.mark.parametrize("name", ["managed-settings.json", "managed-settings.d/10-corp.json"])
def test_an_administrator_may_allow_managed_hooks_only(options, rule, name):
    file = options.managed_root / name
    put(file, rule)
    assert found(options) == [("only managed hooks may run", str(file))]


def test_an_administrator_may_switch_everything_off(options):
    file = options.managed_root / "managed-settings.json"
    put(file, {"disableAllHooks": True})
    assert found(options) == [("`disableAllHooks` stops every hook", str(file))]


def test_settings_that_are_no_json_are_named_once(options):
    put(options.settings, "{")
    put(options.project / ".claude" / "settings.json", "nonsense")
    wheres = [where for _, where in found(options)]
    assert wheres == [str(options.settings), str(options.project / ".claude" / "settings.json")]


def test_a_folder_that_is_not_on_path_is_named(options, tmp_path):
    assert found(options_for(tmp_path, search_path="/usr/bin")) == [
        ("the folder is not on PATH", str(options.home.bin))
    ]
