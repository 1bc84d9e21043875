"""What is used and what never runs."""

from synaptic.cli.usage import draw_bars
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


def test_bars_are_relative_to_the_highest():
    assert draw_bars((0, 1, 2, 4)) == " ▂▄█"
    assert draw_bars((0, 0)) == "  "
