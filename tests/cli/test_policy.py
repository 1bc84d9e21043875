"""Policies shown and switched."""

import json
import subprocess

from synaptic.policies.base import load_policies
from tests.cli.conftest import User
from tests.cli.test_screen import at_terminal


def on(user: User) -> list[str]:
    return [row["id"] for row in user.types("policy", "list", "--json").json["policies"] if row["enabled"]]


def test_a_preset_and_a_policy_are_switched_in_the_config_file(user: User):
    user.configures("# mine\n")
    assert "paths.outside-project" not in on(user)
    shown = user.types("policy", "enable", "@strict")
    assert shown.code == 0
    assert " more" in shown.out and "paths.outside-project" in on(user)
    assert user.types("policy", "disable", "paths.outside-project", "--json").json["changed"] is True
    assert "paths.outside-project" not in on(user)
    text = user.home.config.read_text()
    assert "# mine" in text and '"strict"' in text and "enabled = false" in text
    assert user.types("policy", "disable", "paths.outside-project", "--json").json["changed"] is False


def test_a_project_has_its_own_file_and_may_only_tighten(user: User):
    user.types("policy", "enable", "paths.outside-project", "--project")
    assert "paths.outside-project" in on(user)
    assert not user.home.config.exists()
    user.types("policy", "enable", "paths.outside-project")
    shown = user.types("policy", "disable", "paths.outside-project", "--project")
    assert "would loosen" in shown.out
    assert "paths.outside-project" in on(user)


def test_one_policy_is_shown_with_its_options(user: User):
    shown = user.types("policy", "show", "paths.outside-project")
    assert "## Why" in shown.out
    assert "scratch = [" in shown.out
    options = user.types("policy", "show", "paths.outside-project", "--json").json["options"]
    assert {"also", "scratch"} <= {option["name"] for option in options}


def test_a_name_that_is_none_is_guessed(user: User):
    assert "did you mean `paths.outside-project`?" in user.types("policy", "show", "path.outside-project").err
    shown = user.types("policy", "enable", "@stric")
    assert shown.code == 1
    assert "did you mean `@strict`?" in shown.err
    assert not user.home.config.exists()


def test_the_list_says_what_switched_a_policy_and_what_came_of_it(user: User):
    def row(name: str) -> dict:
        return next(row for row in user.types("policy", "list", "--json").json["policies"] if row["id"] == name)

    assert (row("practice.track")["enabled"], row("practice.track")["by"]) == (False, "")
    user.types("policy", "enable", "@practice")
    assert row("practice.track")["by"] == f"@practice in {user.home.config}"
    user.types("policy", "disable", "practice.track")
    assert (row("practice.track")["enabled"], row("practice.track")["by"]) == (False, str(user.home.config))
    assert "on and never asked yet: " in user.types("policy", "list").out
    user.types("bootstrap")
    user.sends()
    user.types("daemon", "stop")
    asked = row("audit.tool-use")
    assert (asked["asked"], asked["fired"]) == (1, 0)


def test_a_policy_that_runs_programs_is_off_when_only_the_project_wants_it(user: User):
    user.types("policy", "enable", "practice.lint", "--project")
    assert "practice.lint" not in on(user)
    assert "synaptic policy enable practice.lint" in user.types("policy", "enable", "practice.track", "--project").out
    user.types("policy", "enable", "practice.lint")
    assert "practice.lint" in on(user)


def test_the_list_has_one_line_a_policy_within_the_terminal(user: User):
    code, seen = at_terminal(["policy", "list"], TERM="xterm", COLUMNS="80", NO_COLOR="1")
    lines = [line for line in seen.replace("\r", "").split("\n") if line.startswith(("on  ", "off  "))]
    assert code == 0
    assert [line.split()[1] for line in lines] == list(load_policies())
    assert max(map(len, lines)) <= 80


def test_the_list_is_narrowed(user: User):
    user.configures('presets = ["essentials"]\n[policies."sane.stale-session"]\nenabled = true\n')
    shown = user.types("policy", "list", "--on", "--preset", "sane")
    assert [line.split()[1] for line in shown.out.splitlines() if line.startswith("on  ")] == ["sane.stale-session"]
    assert "1 of " in shown.out
    every = user.types("policy", "list", "--preset", "strict", "--json").json["policies"]
    assert len(every) == len(load_policies())
    assert "did you mean `sane`?" in user.types("policy", "list", "--preset", "sana").err


def test_what_has_fired_is_listed_with_its_counts(user: User):
    assert user.types("policy", "list", "--fired").out.startswith("none\n")
    user.types("bootstrap")
    user.sends()
    payload = {"session_id": "s", "cwd": str(user.project), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    call = {**payload, "tool_input": {"command": "git push -f origin main"}}
    event = json.dumps(call).encode()
    subprocess.run([user.home.dispatch, "PreToolUse"], input=event, check=False, capture_output=True)
    user.types("daemon", "stop")
    shown = user.types("policy", "list", "--fired")
    assert "git.force-push" in shown.out and "1 of 1" in shown.out
    assert "code.remote" not in shown.out


def test_a_preset_is_shown(user: User):
    shown = user.types("policy", "show", "@practice")
    assert shown.out.startswith("@practice is off; to change that: synaptic policy enable @practice\n")
    assert "practice.lint" in shown.out and "git.force-push" not in shown.out
    assert user.types("policy", "show", "@essentials", "--json").json["enabled"] is True
    assert "did you mean `@practice`?" in user.types("policy", "show", "@practise").err
