"""Policies shown and switched."""

from tests.cli.conftest import User


def on(user: User) -> list[str]:
    return [row["id"] for row in user.types("policy", "list", "--json").json["policies"] if row["enabled"]]


def test_a_preset_and_a_policy_are_switched_in_the_config_file(user: User):
    user.configures("# mine\n")
    assert "paths.outside-project" not in on(user)
    shown = user.types("policy", "enable", "@strict")
    assert shown.code == 0
    assert "paths.outside-project" in shown.out
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
