"""Rules of the hookify plugin, in the forms that its documentation has."""

from typing import Any

import pytest

from synaptic.hooks.rules_import.draft import ForeignRules
from synaptic.hooks.rules_import.hookify import read_hookify_file

WHERE = ".claude/hookify.x.local.md"


def read(head: str, body: str = "Not this way.") -> ForeignRules:
    return read_hookify_file(f"---\nname: x\n{head}\n---\n\n{body}\n", WHERE)


def only_rule(head: str) -> dict[str, Any]:
    found = read(head)
    assert found.leftovers == ()
    (rule,) = found.rules
    assert rule.origin == f"hookify, {WHERE}"
    return {key: value for key, value in rule.keys.items() if key not in ("id", "say")}


CONDITIONS = """conditions:
  - field: {0}
    operator: {1}
    pattern: {2}"""


def test_a_rule_over_commands():
    assert only_rule("enabled: true\nevent: bash\npattern: rm\\s+-rf\naction: block") == {
        "run": "rm",
        "flags": "-rf",
        "then": "deny",
        "stops": ["rm -rf"],
        "passes": ["echo 'rm -rf'", "rm"],
    }


def test_it_keeps_its_name_its_words_and_whether_it_is_on():
    (rule,) = read('event: bash\npattern: "npm\\\\s+publish"\nenabled: false', "**Ask** the team.\n\nThen go.").rules
    assert rule.id == "hookify.x"
    assert rule.keys["say"] == "**Ask** the team.\n\nThen go."
    assert rule.keys["enabled"] is False
    assert rule.keys["then"] == "advise"
    assert rule.keys["run"] == "npm publish"


def test_ask_is_a_question():
    assert only_rule("event: bash\naction: ask\npattern: ^deploy\\s")["then"] == "ask"


def test_alternatives_are_as_many_rules_as_they_need():
    found = read("event: bash\npattern: rm\\s+-rf|chmod\\s+777|mkfs")
    assert [rule.id for rule in found.rules] == ["hookify.x", "hookify.x-2"]
    assert [one.what for one in found.leftovers] == [f"x ({WHERE}): `mkfs`"]


def test_two_conditions_on_one_command():
    head = "event: bash\n" + CONDITIONS.format("command", "contains", "git push")
    head += "\n  - field: command\n    operator: regex_match\n    pattern: --force|-f\\b"
    found = only_rule(head)
    assert (found["run"], found["flags"]) == ("git push", ["--force", "-f"])


def test_a_file_and_what_is_written_into_it():
    head = "event: file\n" + CONDITIONS.format("file_path", "regex_match", "\\.env$")
    head += "\n  - field: new_text\n    operator: contains\n    pattern: KEY"
    found = only_rule(head)
    assert (found["write"], found["content"]) == ("*.env", "KEY")
    assert found["stops"] == [{"write": "x.env", "content": "KEY"}]


def test_a_pattern_over_new_text_is_compared_without_case_as_before():
    assert only_rule("event: file\npattern: console\\.log\\(") == {
        "content": "(?i)console\\.log\\(",
        "then": "advise",
    }


@pytest.mark.parametrize(
    ("operator", "pattern", "globs"),
    [
        ("ends_with", ".lock", "*.lock"),
        ("contains", "/migrations/", "**/migrations/**"),
        ("starts_with", "/etc/", "/etc/**"),
        ("equals", "/srv/a.txt", "/srv/a.txt"),
    ],
)
def test_paths(operator: str, pattern: str, globs: str):
    assert only_rule("event: file\n" + CONDITIONS.format("file_path", operator, pattern))["write"] == globs


def test_a_prompt():
    found = only_rule("event: prompt\n" + CONDITIONS.format("user_prompt", "contains", "deploy to production"))
    assert found["prompt"] == "deploy to production"
    assert found["stops"] == [{"prompt": "deploy to production"}]


def test_a_checklist_before_the_end_is_a_reminder():
    assert only_rule("event: stop\npattern: .*") == {"event": "Stop", "then": "remind"}
    head = "event: stop\naction: block\n" + CONDITIONS.format("transcript", "not_contains", "cargo test")
    assert only_rule(head) == {"event": "Stop", "before": "ran cargo test", "then": "remind"}


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("event: all\npattern: foo", "no condition of a rule"),
        ("event: bash\npattern: mkfs", "nothing ends"),
        ("event: bash", "no pattern and no conditions"),
        ("event: bash\naction: shout\npattern: rm\\s+-rf", "`shout` is not known"),
        ("event: bash\ntool_matcher: Bash|Task\npattern: rm\\s+-rf", "tool_matcher"),
        ("event: bash\n" + CONDITIONS.format("command", "equals", "rm -rf /"), "the whole text"),
        ("event: bash\n" + CONDITIONS.format("command", "not_contains", "--dry-run"), "what is not there"),
        ("event: file\n" + CONDITIONS.format("old_text", "contains", "x"), "no condition of a rule"),
        ("event: file\n" + CONDITIONS.format("file_path", "not_contains", "x"), "what is not there"),
        ("event: file\n" + CONDITIONS.format("file_path", "regex_match", "[a-z]+"), "more than a path"),
        ("event: file\npattern: (?!x)y", "looks around"),
        ("event: file\npattern: (", "missing )"),
        ("event: stop\n" + CONDITIONS.format("transcript", "not_contains", "npm test|pytest"), "more than a word"),
        ("event: stop\n" + CONDITIONS.format("transcript", "contains", "done"), "what was said"),
    ],
)
def test_what_has_to_stay_is_told(head: str, why: str):
    found = read(head)
    assert found.rules == ()
    assert why in found.leftovers[0].why


def test_a_file_without_its_lines_is_told():
    assert "between `---`" in read_hookify_file("just text", WHERE).leftovers[0].why
