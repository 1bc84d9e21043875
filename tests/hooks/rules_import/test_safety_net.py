"""Custom rules of cc-safety-net: both kinds of rulebooks, inline files, overrides and fixtures."""

import json
from typing import Any

import pytest

from synaptic.hooks.rules_import.formats import FORMATS, ForeignFile
from synaptic.hooks.rules_import.safety_net import list_rulebooks, read_safety_net_file

ADD_ALL: dict[str, Any] = {
    "name": "block-git-add-all",
    "command": "git",
    "subcommand": "add",
    "block_args": ["-A", "--all", "."],
    "reason": "Name the files.",
}
BOOK: dict[str, Any] = {
    "rulebook_version": 1,
    "name": "ours",
    "version": "1.0.0",
    "allowed_commands": ["docker"],
    "rules": [
        {"name": "no-prune", "command": "docker", "subcommand": "system", "block_args": ["prune"], "reason": "No."}
    ],
    "tests": [
        {"command": "docker system prune --all", "expect": "blocked", "rule": "no-prune"},
        {"command": "docker ps", "expect": "allowed"},
        {"command": "git status", "expect": "allowed"},
    ],
}


def test_options_and_words_are_two_rules_since_either_is_enough():
    found = read_safety_net_file(json.dumps({"version": 1, "rules": [ADD_ALL]}), ".safety-net.json")
    assert [dict(rule.keys) for rule in found.rules] == [
        {
            "id": "safety-net.block-git-add-all",
            "run": "git add",
            "flags": ["-A", "--all"],
            "then": "deny",
            "say": "Name the files.",
            "stops": ["git add -A", "git add --all"],
            "passes": ["echo 'git add -A'"],
        },
        {
            "id": "safety-net.block-git-add-all-words",
            "run": "git add",
            "args": ".",
            "then": "deny",
            "say": "Name the files.",
            "stops": ["git add ."],
            "passes": ["echo 'git add .'"],
        },
    ]


def test_fixtures_become_examples():
    (rule,) = read_safety_net_file(json.dumps(BOOK), "rulebook.json").rules
    assert rule.keys["stops"] == ["docker system prune --all"]
    assert rule.keys["passes"] == ["echo 'docker system prune --all'", "docker ps"]


def test_the_second_kind_of_rulebook():
    match = {"command_path": ["apply"], "any_args": ["-destroy", "--destroy"]}
    rules = [
        {"name": "tf", "command": "terraform", "match": match, "reason": "Plan first.", "intent": "use_alternative"},
        {"name": "s3", "command": "aws", "match": {"command_path": ["s3", "rm"]}, "reason": "No."},
        {"name": "not", "command": "aws", "match": {"command_path": ["s3"], "exclude_args": ["-n"]}, "reason": "No."},
    ]
    found = read_safety_net_file(json.dumps({"rulebook_version": 2, "name": "b", "rules": rules}), "rulebook.json")
    assert [(rule.keys["run"], rule.keys.get("flags")) for rule in found.rules] == [
        ("terraform apply", ["-destroy", "--destroy"]),
        ("aws s3 rm", None),
    ]
    assert "exclude_args" in found.leftovers[0].why


def test_a_star_among_the_arguments_is_a_star():
    rule = {**ADD_ALL, "block_args": ["*"]}
    (found,) = read_safety_net_file(json.dumps({"version": 1, "rules": [rule]}), "x").rules
    assert found.keys["args"] == "[*]"


def test_overrides_switch_off_and_say_something_else():
    text = json.dumps(BOOK)
    (off,) = read_safety_net_file(text, "x", {"ours/no-prune": "off"}).rules
    assert off.keys["enabled"] is False
    (said,) = read_safety_net_file(text, "x", {"ours/no-prune": {"reason": "Only on Fridays."}}).rules
    assert said.keys["say"] == "Only on Fridays."


def test_a_rule_json_lists_its_rulebooks():
    config = {"version": 1, "rules": ["ours", "team/rules#main/theirs"], "overrides": {"ours/no-prune": "off"}}
    listed = list_rulebooks(json.dumps({**config, "transparent_wrappers": ["rtk"]}), "rule.json")
    assert listed is not None
    assert listed[0] == ["ours", "theirs"]
    assert "book of programs" in listed[2][0].why
    files = [ForeignFile("rules/rule.json", json.dumps(config)), ForeignFile("ours/rulebook.json", json.dumps(BOOK))]
    (rule,) = FORMATS["cc-safety-net"].read(files, False).rules
    assert rule.keys["enabled"] is False


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "no JSON object"),
        ('{"version": 7}', "`version` is 7"),
        ('{"rulebook_version": 3}', "`rulebook_version` is 3"),
        ('{"version": 1, "rules": [{"name": "x"}]}', "it is no rule"),
        ('{"version": 1, "rules": [7]}', "it is no rule"),
        ('{"version": 1, "rules": [{"name": "x", "command": 1, "block_args": [], "reason": "y"}]}', "it is no rule"),
    ],
)
def test_what_has_to_stay_is_told(text: str, why: str):
    found = read_safety_net_file(text, "x.json")
    assert found.rules == ()
    assert why in found.leftovers[0].why
