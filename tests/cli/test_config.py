"""What is set and where it comes from."""

import json

import jsonschema

from tests.cli.conftest import User


def test_every_value_says_where_it_comes_from(user: User):
    user.configures('journal = "structure"\n[policies."paths.outside-project"]\nenabled = true\n')
    user.writes(".synaptic/config.toml", 'presets = ["sane"]\n')
    found = {item["key"]: item for item in user.types("config", "show", "--json").json["settings"]}
    assert found["journal"] == {"key": "journal", "value": "structure", "source": str(user.home.config)}
    assert found["presets"]["value"] == ["essentials", "sane"]
    assert found["presets"]["source"] == str(user.project / ".synaptic" / "config.toml")
    assert found["stop_cap"]["source"] == "default"
    assert found['policies."paths.outside-project".enabled']["value"] is True
    assert "structure" in user.types("config", "show").out


def test_one_value(user: User):
    assert user.types("config", "get", "journal").out == "full\n"
    assert user.types("config", "get", "http.port", "--json").json["value"] == 8377
    shown = user.types("config", "get", "jurnal")
    assert shown.code == 1
    assert "did you mean `journal`?" in shown.err


def test_an_option_of_a_policy_that_nothing_sets_is_its_default_and_says_so(user: User):
    key = 'policies."git.force-push".protected'
    shown = user.types("config", "get", key)
    assert (shown.code, shown.out) == (0, '["main","master"]\n')
    assert "this is the default" in shown.err
    assert user.types("config", "get", key, "--json").json == {
        "ok": True,
        "key": key,
        "value": ["main", "master"],
        "source": "default",
    }
    user.configures('[policies."git.force-push"]\nprotected = ["trunk"]\n')
    shown = user.types("config", "get", key)
    assert (shown.out, shown.err) == ('["trunk"]\n', "")
    assert user.types("config", "get", key, "--json").json["source"] == str(user.home.config)


def test_the_quotes_around_a_policy_are_not_needed_and_a_typo_is_told(user: User):
    assert user.types("config", "get", "policies.git.force-push.enabled").out == "true\n"
    assert user.types("config", "get", "policies.paths.outside-project.enabled").out == "false\n"
    shown = user.types("config", "get", 'policies."git.force-push".protcted')
    assert shown.code == 1 and "protected" in shown.err


def test_a_value_is_set_and_the_rest_of_the_file_stays(user: User):
    user.configures("# mine\n[http]\n# a port\nport = 9000\n")
    assert user.types("config", "set", "journal", "structure").code == 0
    assert user.types("config", "set", "http.enabled", "true", "--json").json["changed"] is True
    assert user.types("config", "set", "http.enabled", "true", "--json").json["changed"] is False
    user.types("config", "set", 'policies."paths.outside-project".scratch', '["/tmp"]')
    text = user.home.config.read_text()
    assert text.startswith("# mine") and "# a port" in text
    assert user.types("config", "get", "journal").out == "structure\n"
    assert user.types("config", "get", "http.port").out == "9000\n"
    assert user.types("config", "get", 'policies."paths.outside-project".scratch').out == '["/tmp"]\n'
    assert user.types("config", "validate").code == 0


def test_a_wrong_value_is_refused_and_nothing_is_written(user: User):
    for key, value in (("jurnal", "off"), ("journal", "sometimes"), ("stop_cap", "0"), ("a b", "1"), ("http", "3")):
        assert user.types("config", "set", key, value).code == 1
    assert not user.home.config.exists()


def test_the_files_that_are_read(user: User):
    assert user.types("config", "path").out.splitlines() == [
        str(user.home.config),
        str(user.project / ".synaptic" / "config.toml"),
    ]


def test_the_schema_accepts_what_is_valid(user: User):
    schema = json.loads(user.types("config", "schema").out)
    jsonschema.validate({"presets": ["sane"], "journal": "off"}, schema)


def test_validate_is_exit_code_1_with_every_problem(user: User):
    assert user.types("config", "validate").code == 0
    user.configures('jurnal = "off"\nstop_cap = "many"\n')
    user.writes(".synaptic/config.toml", 'trust = "all"\n')
    shown = user.types("config", "validate")
    assert shown.code == 1
    assert "did you mean `journal`?" in shown.err
    assert "stop_cap" in shown.err
    assert "user's own" in shown.err
    assert len(user.types("config", "validate", "--json").json["problems"]) == 3
