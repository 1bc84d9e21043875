from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.hooks import tighten
from synaptic.hooks.catalog import HookCatalogs
from synaptic.hooks.config import Config, ConfigFile, is_enabled
from synaptic.hooks.tighten import split_permitted
from synaptic.model.event import PreToolUse
from synaptic.model.home import Home
from synaptic.model.presets import PRESETS
from synaptic.policies.base import FEWER, LOWER, MORE, ON, Policy
from synaptic.policies.practice.lint import Lint
from synaptic.policies.practice.track import Track


class Sample(Policy):
    """A policy with every kind of option.

    ## What it does
    Nothing.
    ## Why
    To be tightened.
    """

    id = "test.sample"
    events = (PreToolUse,)

    denied: Annotated[tuple[str, ...], MORE] = ("a",)
    allowed: Annotated[tuple[str, ...], FEWER] = ("x", "y")
    most: Annotated[int, LOWER] = 10
    careful: Annotated[bool, ON] = False
    mine: str = "user"


@pytest.fixture(autouse=True)
def only_sample(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tighten, "load_policies", lambda: {Sample.id: Sample})


def merged(user: dict[str, object], project: dict[str, object]) -> tuple[dict[str, object], tuple[str, ...]]:
    config, problems = tighten.merge_configs(
        ConfigFile("/u/config.toml", {"policies": {Sample.id: user}} if user else {}),
        ConfigFile("/p/config.toml", {"policies": {Sample.id: project}}),
    )
    return dict(config.policies[Sample.id]), problems


@pytest.mark.parametrize(
    ("user", "project", "counts"),
    [
        ({}, {"denied": ("b", "a")}, {"denied": ("a", "b")}),
        ({"denied": ("z",)}, {"denied": ("b",)}, {"denied": ("z", "b")}),
        ({}, {"allowed": ("y",)}, {"allowed": ("y",)}),
        ({}, {"allowed": ()}, {"allowed": ()}),
        ({}, {"most": 4}, {"most": 4}),
        ({"most": 3}, {"most": 3}, {"most": 3}),
        ({}, {"careful": True}, {"careful": True}),
        ({"enabled": False}, {"enabled": True}, {"enabled": True}),
        ({}, {"mine": "user"}, {"mine": "user"}),
    ],
)
def test_a_project_may_tighten(user: dict[str, object], project: dict[str, object], counts: dict[str, object]):
    found, problems = merged(user, project)
    assert found == counts
    assert problems == ()


@pytest.mark.parametrize(
    ("user", "project", "counts"),
    [
        ({}, {"allowed": ("x", "new")}, {"allowed": ("x",)}),
        ({}, {"most": 11}, {"most": 10}),
        ({"careful": True}, {"careful": False}, {"careful": True}),
        ({"mine": "me"}, {"mine": "them"}, {"mine": "me"}),
        ({"enabled": True}, {"enabled": False}, {"enabled": True}),
    ],
)
def test_a_project_never_loosens(user: dict[str, object], project: dict[str, object], counts: dict[str, object]):
    found, problems = merged(user, project)
    assert found == counts
    assert len(problems) == 1
    key = next(iter(project))
    assert problems[0].startswith(f'/p/config.toml: policies."test.sample".{key}: ')
    assert "ignored" in problems[0]


def test_presets_of_a_project_are_added():
    user, project = ConfigFile("u", {"presets": ("sane",)}), ConfigFile("p", {"presets": ("strict",)})
    assert tighten.merge_configs(user, project)[0].presets == ("sane", "strict")
    assert tighten.merge_configs(ConfigFile(), ConfigFile("p", {"presets": ()}))[0].presets == ("essentials",)


@pytest.mark.parametrize("key", sorted(set(Config.__struct_fields__) - Config.SHARED))
def test_everything_else_is_the_users_own(key: str):
    config, problems = tighten.merge_configs(ConfigFile(), ConfigFile("/p/config.toml", {key: "anything"}))
    assert config == Config()
    assert f"`{key}` is the user's own and is ignored here" in problems[0]


TABLES = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans(),
        "denied": st.lists(st.sampled_from("abcd")).map(tuple),
        "allowed": st.lists(st.sampled_from("wxyz")).map(tuple),
        "most": st.integers(-20, 20),
        "careful": st.booleans(),
        "mine": st.text(max_size=2),
    },
)
PRESET_LISTS = st.lists(st.sampled_from(PRESETS)).map(tuple)


@given(TABLES, TABLES, PRESET_LISTS, PRESET_LISTS)
def test_whatever_a_project_says_nothing_is_looser_than_before(user, project, mine, theirs):
    alone = Config(presets=mine, policies={Sample.id: user})
    settings = ConfigFile("u", {"presets": mine, "policies": {Sample.id: user}})
    config, _ = tighten.merge_configs(settings, ConfigFile("p", {"presets": theirs, "policies": {Sample.id: project}}))

    def option(table, name):
        return table.get(name, getattr(Sample(), name))

    after = config.policies[Sample.id]
    assert set(option(after, "denied")) >= set(option(user, "denied"))
    assert set(option(after, "allowed")) <= set(option(user, "allowed"))
    assert option(after, "most") <= option(user, "most")
    assert option(after, "careful") >= option(user, "careful")
    assert option(after, "mine") == option(user, "mine")
    assert is_enabled(Sample, config) >= is_enabled(Sample, alone)
    assert set(config.presets) >= set(mine)


def test_only_the_user_switches_them_on():
    kept, told = split_permitted((Lint(), Track()), Config())
    assert kept == (Track(),)
    assert told[0].startswith("the project asks for practice.lint, which runs its programs")
    for own in (Config(presets=("practice",)), Config(presets=("strict",)), Config(trust="all")):
        assert split_permitted((Lint(),), own) == ((Lint(),), ())
    assert split_permitted((Lint(),), Config(policies={"practice.lint": {"enabled": True}}))[0] == (Lint(),)


def test_a_repository_that_asks_for_the_practice_gets_the_rest_of_it(tmp_path):
    home = Home(tmp_path / "home" / ".synaptic")
    project = tmp_path / "project"
    (project / ".synaptic").mkdir(parents=True)
    (project / ".synaptic" / "config.toml").write_text('presets = ["practice"]\n')
    catalog = HookCatalogs(home).get(str(project))
    names = {hook.id for hook in catalog.hooks}
    assert {"practice.branch-guard", "practice.track"} <= names
    assert not {"practice.lint", "practice.test-runner"} & names
    assert any("synaptic policy enable practice.lint" in note for note in catalog.notes)
    assert catalog.problems == ()
