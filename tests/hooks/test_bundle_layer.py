"""A bundle tightens what is built in, gives way to its user, and what it locks holds on a managed machine."""

import msgspec
import pytest
from hypothesis import given, settings

from synaptic.hooks.bundle import parse_bundle
from synaptic.hooks.bundle_layer import ORDERS, PINS, layer_bundle, list_loosening, tighten_defaults
from synaptic.hooks.bundle_locks import is_locked
from synaptic.hooks.config import Config, ConfigFile, configure_policy, is_enabled, list_fields, parse_config_text
from synaptic.hooks.modes import find_mode
from synaptic.hooks.tighten import get_mark, merge_configs
from synaptic.model.hook import MODES
from synaptic.policies.base import Policy, load_policies
from tests.hooks.bundles import bundle_texts, make_bundle, settings_texts

MANY = settings(max_examples=150, deadline=None)
PUSH = 'policies."git.force-push"'


def parse(text: str) -> ConfigFile:
    return parse_config_text(text.encode(), "/u/config.toml")


def settle(user: str, bundle: str, *projects: str, is_managed: bool = False) -> tuple[Config, tuple[str, ...]]:
    layered = layer_bundle(parse(user), make_bundle(bundle), is_managed)
    return merge_configs(layered, *(parse_config_text(text.encode(), "/p/config.toml") for text in projects))


def read_protected(config: Config) -> tuple[str, ...]:
    return tuple(configure_policy(load_policies()["git.force-push"], config).protected)


BODY = 'presets = ["practice"]\nfail = "closed"\n[grants]\nnever = ["git.*"]\npin = "always"\n'
PROTECTED = '[policies."git.force-push"]\nprotected = ["release/*"]\n'


def test_what_the_user_has_not_set_is_the_default_tightened_by_the_bundle():
    config, problems = settle("", BODY + PROTECTED)
    assert config.presets == ("essentials", "practice")
    assert (config.fail, config.grants.never, config.grants.pin) == ("closed", ("git.*",), "always")
    assert read_protected(config) == (*list_built_in(), "release/*")
    assert problems == ()


def list_built_in() -> tuple[str, ...]:
    return read_protected(Config())


def test_it_gives_way_to_what_the_user_has_set():
    user = 'presets = ["essentials"]\nfail = "open"\n[grants]\nnever = []\n'
    user += '[policies."git.force-push"]\nprotected = ["x"]\n'
    config, problems = settle(user, BODY + PROTECTED)
    assert (config.presets, config.fail, config.grants.never) == (("essentials",), "open", ())
    assert config.grants.pin == "always", "which the user has not set"
    assert read_protected(config) == ("x",)
    assert problems == ()


@pytest.mark.parametrize(
    ("lock", "user", "seen"),
    [
        ("fail", 'fail = "open"', "fail: the bundle acme 1 locks it here: `open` is looser than `closed`"),
        ("presets", 'presets = ["essentials"]', "presets: the bundle acme 1 locks it here: practice stays on"),
        ("presets", '[policies."practice.branch-guard"]\nenabled = false', 'branch-guard".enabled: the bundle acme 1'),
        ("grants.never", "[grants]\nnever = []", "grants.never: the bundle acme 1 locks it here: git.* stays in it"),
        ("grants.pin", '[grants]\npin = "unsure"', "grants.pin: the bundle acme 1 locks it here"),
        (f"{PUSH}.protected", '[policies."git.force-push"]\nprotected = []', 'git.force-push".protected: the bundle'),
        (PUSH, '[policies."git.force-push"]\nenabled = false', 'git.force-push".enabled: the bundle'),
        ("modes", '[modes]\n"@essentials" = "shadow"', "modes: the bundle acme 1 locks them here"),
        ("trust", 'trust = "all"', "trust: the bundle acme 1 locks it here"),
        ("journal", 'journal = "off"', "journal: the bundle acme 1 locks it here"),
    ],
)
def test_what_is_locked_counts_against_the_user_of_a_managed_machine_and_is_told(lock: str, user: str, seen: str):
    locked = f"locked = ['{lock}']\n"
    without = settle("", locked + BODY + PROTECTED, is_managed=True)[0]
    config, problems = settle(user, locked + BODY + PROTECTED, is_managed=True)
    assert len(problems) == 1 and seen in problems[0], problems
    for name, policy in load_policies().items():
        assert is_enabled(policy, config) >= is_enabled(policy, without), name
        assert find_mode(policy, config) == find_mode(policy, without), name
    assert set(read_protected(config)) == set(read_protected(without))
    assert (config.fail, config.trust, config.journal, config.grants) == (
        without.fail, without.trust, without.journal, without.grants,
    )  # fmt: skip
    elsewhere, quiet = settle(user, locked + BODY + PROTECTED)
    assert quiet == ()
    assert elsewhere != config


def test_a_lock_without_a_value_holds_what_is_built_in():
    config, problems = settle('presets = []\ntrust = "all"', "locked = ['presets', 'trust']", is_managed=True)
    assert (config.presets, config.trust) == (("essentials",), "ask")
    assert len(problems) == 2


def test_what_a_bundle_switches_on_itself_may_be_in_shadow_and_a_project_still_tightens():
    bundle = 'presets = ["practice"]\n[modes]\n"@practice" = "shadow"\n'
    guard = load_policies()["practice.branch-guard"]
    assert find_mode(guard, settle("", bundle)[0]) == "shadow"
    assert find_mode(guard, settle('presets = ["practice"]', bundle)[0]) == "enforce", "the user has it on"
    assert find_mode(guard, settle("", bundle, 'presets = ["practice"]')[0]) == "enforce", "so has the project"
    assert settle("", bundle)[1] == ()


def test_a_users_mode_counts_for_what_the_bundle_switches_on():
    bundle = 'presets = ["practice"]\n'
    guard = load_policies()["practice.branch-guard"]
    assert find_mode(guard, settle('[modes]\n"@practice" = "advise"', bundle)[0]) == "advise"
    named = f'{bundle}[modes]\n"@practice" = "enforce"\n'
    assert find_mode(guard, settle('[modes]\n"@practice" = "advise"', named)[0]) == "advise"
    locked = f"locked = ['modes']\n{bundle}"
    assert find_mode(guard, settle('[modes]\n"@practice" = "advise"', locked, is_managed=True)[0]) == "enforce"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('trust = "all"', "`all` is looser than `ask`"),
        ('journal = "off"', "`off` is looser than `full`"),
        ('[policies."git.force-push"]\nenabled = false', "a bundle cannot switch a policy off"),
        ('[policies."git.force-push"]\nmode = "advise"', "git.force-push would be looser"),
        ('[modes]\n"@strict" = "shadow"', "would be looser"),
        ('[modes]\n"@practice" = "shadow"', "it can only loosen what it switches on itself"),
        ('[policies."paths.outside-project"]\nscratch = ["/"]', "it adds /"),
    ],
)
def test_what_loosens_what_is_built_in_is_found(body: str, why: str):
    assert any(why in problem for problem in list_loosening(make_bundle(body))), list_loosening(make_bundle(body))


def test_no_option_without_a_direction_is_taken():
    for policy in load_policies().values():
        for name in list_fields(policy):
            if not get_mark(policy, name):
                value = getattr(policy(), name)
                settings_file = ConfigFile("b", {"policies": {policy.id: {name: value}}}, is_bundle=True)
                bundle = msgspec.structs.replace(make_bundle(), settings=settings_file)
                assert "nobody can say which value is stricter" in list_loosening(bundle)[0]


def rank_option(policy: type[Policy], config: Config, name: str) -> object:
    return getattr(configure_policy(policy, config), name)


def assert_as_strict(after: Config, before: Config) -> None:
    for policy in load_policies().values():
        if not is_enabled(policy, before):
            continue
        assert is_enabled(policy, after), policy.id
        assert MODES.index(find_mode(policy, after)) >= MODES.index(find_mode(policy, before)), policy.id
        for name in list_fields(policy):
            new, old = rank_option(policy, after, name), rank_option(policy, before, name)
            match get_mark(policy, name):
                case "more":
                    assert set(new) >= set(old), (policy.id, name)
                case "fewer":
                    assert set(new) <= set(old), (policy.id, name)
                case "lower":
                    assert new <= old, (policy.id, name)
                case "on":
                    assert new >= old, (policy.id, name)
                case _:
                    assert new == old, (policy.id, name)
    for key, order in ORDERS.items():
        assert order.index(getattr(after, key)) >= order.index(getattr(before, key))
    assert set(after.grants.never) >= set(before.grants.never)
    assert PINS.index(after.grants.pin) >= PINS.index(before.grants.pin)


@MANY
@given(user=settings_texts(), bundle=bundle_texts(), project=settings_texts())
def test_no_bundle_loosens_any_setting_and_a_project_on_top_only_tightens(user: str, bundle: str, project: str):
    mine, theirs, third = parse(user), parse_bundle(bundle.encode()), parse_config_text(project.encode(), "/p")
    for is_managed in (False, True):
        layered = layer_bundle(mine, theirs, is_managed)
        assert_as_strict(merge_configs(layered)[0], merge_configs(mine)[0])
        assert_as_strict(merge_configs(layered, third)[0], merge_configs(mine, third)[0])
        assert_as_strict(merge_configs(layered, third)[0], merge_configs(layered)[0])


@MANY
@given(user=settings_texts(), bundle=bundle_texts())
def test_locked_keys_hold_whatever_the_user_writes(user: str, bundle: str):
    theirs = parse_bundle(bundle.encode())
    layered = layer_bundle(parse(user), theirs, True)
    config = merge_configs(layered)[0]
    held = merge_configs(layer_bundle(ConfigFile(), theirs, True))[0]
    assert tighten_defaults(theirs).get("fail", "open") == held.fail
    for key, order in ORDERS.items():
        if key in theirs.locked:
            assert order.index(getattr(config, key)) >= order.index(getattr(held, key))
    if "grants.never" in theirs.locked:
        assert set(config.grants.never) >= set(held.grants.never)
    if "grants.pin" in theirs.locked:
        assert PINS.index(config.grants.pin) >= PINS.index(held.grants.pin)
    for name, policy in load_policies().items():
        is_held = is_enabled(policy, held)
        by_preset = policy.preset in held.presets or "strict" in held.presets
        if is_held and (("presets" in theirs.locked and by_preset) or is_locked(theirs.locked, name, "enabled")):
            assert is_enabled(policy, config), name
        if (
            is_held
            and is_enabled(policy, config)
            and ("modes" in theirs.locked or is_locked(theirs.locked, name, "mode"))
        ):
            assert MODES.index(find_mode(policy, config)) >= MODES.index(find_mode(policy, held)), name
        for option in list_fields(policy):
            new, old = rank_option(policy, config, option), rank_option(policy, held, option)
            if is_locked(theirs.locked, name, option) and (mark := get_mark(policy, option)):
                assert {
                    "more": lambda new, old: set(new) >= set(old),
                    "fewer": lambda new, old: set(new) <= set(old),
                    "lower": lambda new, old: new <= old,
                    "on": lambda new, old: new >= old,
                }[mark](new, old), (name, option)
