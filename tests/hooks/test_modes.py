from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.hooks.config import ConfigFile, is_enabled, parse_config_text
from synaptic.hooks.modes import find_mode
from synaptic.hooks.schema import build_schema
from synaptic.hooks.tighten import merge_configs
from synaptic.model.hook import MODES, Mode
from synaptic.policies.base import load_policies

PUSH = load_policies()["git.force-push"]
PLAN = next(policy for policy in load_policies().values() if policy.preset == "practice")


def parse(text: str, where: str = "/u/config.toml") -> ConfigFile:
    return parse_config_text(text.encode(), where)


def settle(user: str, *projects: str, policy: str = PUSH.id) -> tuple[Mode | None, tuple[str, ...]]:
    """The mode of a policy, None where it is off, and all problems."""
    config, problems = merge_configs(parse(user), *(parse(text, f"/p{n}") for n, text in enumerate(projects)))
    kind = load_policies()[policy]
    return find_mode(kind, config) if is_enabled(kind, config) else None, problems


@pytest.mark.parametrize("mode", MODES)
def test_a_policy_has_the_mode_of_its_own_table(mode: Mode):
    assert settle(f'[policies."git.force-push"]\nmode = "{mode}"') == (mode, ())


def test_a_preset_gives_its_policies_a_mode_and_a_policys_own_wins():
    assert settle('[modes]\n"@essentials" = "shadow"') == ("shadow", ())
    assert settle('[modes]\n"@strict" = "advise"') == ("advise", ())
    both = '[modes]\n"@strict" = "advise"\n"@essentials" = "shadow"\n'
    assert settle(both) == ("shadow", ())
    assert settle(both + '[policies."git.force-push"]\nmode = "enforce"') == ("enforce", ())


def test_without_a_mode_everything_is_enforced_and_nothing_is_written_into_the_config():
    config, problems = merge_configs(parse('presets = ["strict"]'))
    assert (config.policies, config.modes, problems) == ({}, {}, ())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[policies."git.force-push"]\nmode = "shadwo"', "did you mean `shadow`?"),
        ('[policies."git.force-push"]\nmode = 3', "unknown mode `3`"),
        ('[modes]\n"@practise" = "advise"', "did you mean `@practice`?"),
        ('[modes]\n"@practice" = "advice"', "did you mean `advise`?"),
        ('[modes]\n"git.force-push" = "shadow"', 'write `mode` into [policies."git.force-push"]'),
        ('[modes]\npractice = "advise"', "did you mean `@practice`?"),
        ('modes = "shadow"', "modes"),
    ],
)
def test_what_is_no_mode_is_told_with_the_nearest_word_and_everything_stays_enforced(text: str, told: str):
    mode, problems = settle(text)
    assert mode == "enforce" and len(problems) == 1 and told in problems[0]


def test_what_guards_synaptic_itself_is_enforced_whatever_anybody_writes():
    own = next(name for name in load_policies() if name.startswith("self."))
    mode, problems = settle(f'[policies."{own}"]\nmode = "shadow"', policy=own)
    assert mode == "enforce" and "always enforced" in problems[0]
    assert settle('[modes]\n"@strict" = "shadow"\n"@essentials" = "shadow"', policy=own) == ("enforce", ())


def test_what_nobody_can_make_an_exception_to_is_loosened_by_its_own_name_alone():
    fork = "system.fork-bomb"
    assert settle('[modes]\n"@essentials" = "shadow"', policy=fork) == ("enforce", ())
    assert settle(f'[policies."{fork}"]\nmode = "shadow"', policy=fork) == ("shadow", ())
    never = '[grants]\nnever = ["git.*"]\n[modes]\n"@essentials" = "shadow"\n'
    assert settle(never) == ("enforce", ())


@pytest.mark.parametrize("mode", ["advise", "shadow"])
def test_a_project_never_loosens_what_the_user_enforces(mode: str):
    for text in (f'[policies."git.force-push"]\nmode = "{mode}"', f'[modes]\n"@essentials" = "{mode}"'):
        found, problems = settle("", text)
        assert found == "enforce" and len(problems) == 1 and "would loosen" in problems[0]


def test_a_project_may_enforce_what_the_user_only_watches():
    user = '[modes]\n"@essentials" = "shadow"'
    assert settle(user, '[policies."git.force-push"]\nmode = "enforce"') == ("enforce", ())
    assert settle(user, '[modes]\n"@essentials" = "enforce"') == ("enforce", ())
    assert settle(user, 'presets = ["essentials"]') == ("shadow", ())


def test_a_project_may_try_what_the_user_has_off_and_another_folder_may_not_loosen_it():
    tries = 'presets = ["practice"]\n[modes]\n"@practice" = "shadow"'
    assert settle("", tries, policy=PLAN.id) == ("shadow", ())
    assert settle("", tries, 'presets = ["practice"]', policy=PLAN.id)[0] == "enforce"
    assert settle("", 'presets = ["practice"]', tries, policy=PLAN.id)[0] == "enforce"


LEVELS: tuple[Mode | None, ...] = (None, *MODES)


def write_file(presets: tuple[str, ...] | None, switch: bool | None, named: str, by_preset: dict[str, str]) -> str:
    lines = [f"presets = {list(presets)}".replace("'", '"')] if presets is not None else []
    lines += ["[modes]", *(f'"@{name}" = "{mode}"' for name, mode in by_preset.items()), f'[policies."{PLAN.id}"]']
    lines += [f"enabled = {str(switch).lower()}"] if switch is not None else []
    lines += [f'mode = "{named}"'] if named else []
    return "\n".join(lines)


FILES = st.builds(
    write_file,
    st.none() | st.sampled_from(((), ("practice",), ("strict",), ("essentials",))),
    st.none() | st.booleans(),
    st.sampled_from(("", *MODES)),
    st.dictionaries(st.sampled_from(("practice", "essentials", "strict")), st.sampled_from(MODES)),
)


@settings(max_examples=60)
@given(FILES, st.lists(FILES, max_size=3), FILES, st.integers(0, 3))
def test_no_project_file_loosens_any_policy(user: str, projects: list[str], more: str, place: int):
    """Off is looser than shadow, shadow than advise, advise than enforce."""
    before, _ = merge_configs(parse(user), *(parse(text, "/p") for text in projects))
    longer = [*projects[:place], more, *projects[place:]]
    after, _ = merge_configs(parse(user), *(parse(text, "/p") for text in longer))
    for policy in load_policies().values():
        old, new = (find_mode(policy, one) if is_enabled(policy, one) else None for one in (before, after))
        assert LEVELS.index(new) >= LEVELS.index(old), policy.id


def test_the_schema_knows_modes():
    found = build_schema()["properties"]
    assert found["policies"]["properties"]["git.force-push"]["properties"]["mode"]["enum"] == [*reversed(MODES)]
    own = next(name for name in load_policies() if name.startswith("self."))
    assert found["policies"]["properties"][own]["properties"]["mode"]["enum"] == ["enforce"]
    assert "@practice" in found["modes"]["propertyNames"]["enum"]
    assert set(found["modes"]["additionalProperties"]["enum"]) == set(MODES)


def test_every_pair_of_files_gives_the_stricter_mode():
    for one, other in product(MODES, MODES):
        text = 'presets = ["practice"]\n[modes]\n"@practice" = "{}"'
        assert settle("", text.format(one), text.format(other), policy=PLAN.id)[0] == max(one, other, key=MODES.index)


def test_one_more_policy_without_exceptions_loosens_no_mode():
    user = '[policies."git.force-push"]\nmode = "shadow"\n'
    project = '[modes]\n"@essentials" = "advise"\n'
    assert settle(user, project)[0] == "advise"
    assert settle(f'grants.never = ["git.*"]\n{user}', project)[0] == "advise"
