"""Policies that start programs of the project."""

from synaptic.hooks.catalog import Catalogs
from synaptic.hooks.config import Config
from synaptic.hooks.running import permitted
from synaptic.model.home import Home
from synaptic.policies.practice.lint import Lint
from synaptic.policies.practice.track import Track


def test_only_the_user_switches_them_on():
    kept, told = permitted((Lint(), Track()), Config())
    assert kept == (Track(),)
    assert told[0].startswith("practice.lint runs programs of the project")
    for own in (Config(presets=("practice",)), Config(presets=("strict",)), Config(trust="all")):
        assert permitted((Lint(),), own) == ((Lint(),), ())
    assert permitted((Lint(),), Config(policies={"practice.lint": {"enabled": True}}))[0] == (Lint(),)


def test_a_repository_that_asks_for_the_practice_gets_the_rest_of_it(tmp_path):
    home = Home(tmp_path / "home" / ".synaptic")
    project = tmp_path / "project"
    (project / ".synaptic").mkdir(parents=True)
    (project / ".synaptic" / "config.toml").write_text('presets = ["practice"]\n')
    catalog = Catalogs(home).get(str(project))
    names = {hook.id for hook in catalog.hooks}
    assert {"practice.branch-guard", "practice.track"} <= names
    assert not {"practice.lint", "practice.test-runner"} & names
    assert any("synaptic policy enable practice.lint" in problem for problem in catalog.problems)
