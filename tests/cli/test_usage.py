"""What is used and what never runs."""

from synaptic.cli.usage import draw_bars, format_millis, is_policy_id
from tests.cli.conftest import User


def test_calls_failures_and_what_never_ran(user: User):
    user.configures('presets = ["routing"]\ntrust = "all"\n')
    user.writes(".system/registry/a.yaml", "abilities: [{id: used}, {id: unused}]\n")
    user.brings_hook(event="PreToolUse")
    user.runs("ability", "run", "used", "--", "true")
    found = user.types("usage", "--json").json
    ability = {one["name"]: one for one in found["ability"]}
    assert (ability["used"]["calls"], ability["used"]["failures"], ability["unused"]["calls"]) == (1, 0, 0)
    policy = {one["name"]: one for one in found["policy"]}
    assert policy["routing.post-tool-use-tracker"]["calls"] == 1
    assert [one["calls"] for one in found["hook"]] == [0]
    shown = user.types("usage", "--by", "ability").out
    assert "never" in shown and "█" in shown and "Policy" not in shown
    assert user.types("usage", "--by", "nonsense").code == 2


def test_a_script_with_a_dot_in_its_name_is_a_hook_and_not_a_policy(user: User):
    user.configures('trust = "all"\n')
    user.brings_hook()
    user.types("bootstrap")
    user.sends()
    found = user.types("usage", "--json").json
    (hook,) = found["hook"]
    assert hook["name"] == "demo:guard.sh"
    assert hook["calls"] >= 1
    assert 0 < hook["p50"] <= hook["p95"]
    assert hook["total"] > 0
    assert "guard.sh" not in {one["name"] for one in found["policy"]}
    row = next(line for line in user.types("usage", "--by", "hook").out.splitlines() if "guard.sh" in line)
    assert "ms" in row
    assert "never" not in row


def test_ids_of_policies_are_told_from_names_of_scripts():
    assert all(map(is_policy_id, ("git.force-push", "npm.publish", "a.b.c")))
    assert not any(map(is_policy_id, ("demo:guard.sh", "guard.sh", "lint", "mine.py", "Git.push")))


def test_durations_are_said_in_the_unit_that_fits():
    wanted = {0.0: "0", 0.44: "0.4 ms", 35.2: "35 ms", 1200.0: "1.2 s", 300_000.0: "5 min"}
    assert {millis: format_millis(millis) for millis in wanted} == wanted


def test_bars_are_relative_to_the_highest():
    assert draw_bars((0, 1, 2, 4)) == " ▂▄█"
    assert draw_bars((0, 0)) == "  "
