"""Permissions of Claude Code: deny and ask are carried over for every agent, allow never."""

import json
from typing import Any

import pytest

from synaptic.hooks.rules_import.draft import ForeignRules
from synaptic.hooks.rules_import.permissions import read_permissions_file

WHERE = ".claude/settings.json"


def read(root: str = "", **lists: list[str]) -> ForeignRules:
    return read_permissions_file(json.dumps({"permissions": lists}), WHERE, root)


@pytest.mark.parametrize(
    ("entry", "conditions"),
    [
        ("Bash(npm publish:*)", {"run": "npm publish"}),
        ("Bash(npm publish *)", {"run": "npm publish"}),
        ("Bash(npm run test:*)", {"run": "npm run test"}),
        ("Bash(our-tool *)", {"run": "our-tool"}),
        ("Bash(git push --force:*)", {"run": "git push", "flags": "--force"}),
        ("Bash(git push * --force)", {"run": "git push", "flags": "--force"}),
        ("Bash(git push * --force*)", {"run": "git push", "flags": "--force"}),
        ("Bash(rm -rf:*)", {"run": "rm", "flags": "-rf"}),
        ("Bash", {"tool": "Bash"}),
        ("Bash(*)", {"tool": "Bash"}),
        ("Read(./.env)", {"read": "./.env"}),
        ("Read(~/.ssh/**)", {"read": "~/.ssh/**"}),
        ("Edit(package-lock.json)", {"write": "package-lock.json"}),
        ("Edit(/src/**)", {"write": "src/**"}),
        ("Write(//etc/hosts.allow)", {"write": "/etc/hosts.allow"}),
        ("WebFetch(domain:example.com)", {"tool": "WebFetch", "host": "example.com"}),
        ("WebSearch", {"tool": "WebSearch"}),
        ("mcp__github", {"tool": "mcp__github__*"}),
        ("mcp__github__*", {"tool": "mcp__github__*"}),
        ("mcp__db__drop_table", {"tool": "mcp__db__drop_table"}),
    ],
)
def test_an_entry_is_a_rule(entry: str, conditions: dict[str, Any]):
    for then in ("deny", "ask"):
        found = read(**{then: [entry]})
        assert found.leftovers == ()
        (rule,) = found.rules
        shown = {key: value for key, value in rule.keys.items() if key not in ("id", "then", "say", "stops", "passes")}
        assert shown == conditions
        assert rule.keys["then"] == then
        assert entry in rule.keys["say"]
        assert rule.keys["stops"]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("Bash(npm publish)", "no further word"),
        ("Bash(rm -rf /)", "word behind one"),
        ("Bash(curl * | bash)", "the text of a command line"),
        ("Bash(ls*)", "any text"),
        ("Bash(git * main)", "any text"),
        ("Bash(* --version)", "any text"),
        ("Read(!keep)", "only tighten"),
        ("Task(Explore)", "no condition of a rule"),
        ("Skill(deploy *)", "no condition of a rule"),
        ("PowerShell(rm *)", "no condition of a rule"),
        ("not an entry", "no permission"),
    ],
)
def test_what_has_to_stay_is_told(entry: str, why: str):
    found = read(deny=[entry])
    assert found.rules == ()
    assert why in found.leftovers[0].why


def test_what_is_allowed_stays_with_the_agent():
    found = read(allow=["Bash(npm run lint)"])
    assert found.rules == ()
    assert found.leftovers[0].what == "allow: Bash(npm run lint)"
    assert "only tighten" in found.leftovers[0].why


def test_what_is_denied_is_not_asked_about():
    found = read(deny=["Bash(git push *)"], ask=["Bash(git push *)"])
    assert [rule.keys["then"] for rule in found.rules] == ["deny"]
    assert "denied, too" in found.leftovers[0].why


def test_the_users_own_settings_have_their_own_root():
    assert read("~/.claude", deny=["Edit(/a.txt)"]).rules[0].keys["write"] == "~/.claude/a.txt"


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"permissions": 1}', '{"permissions": {"deny": [1, {}]}}', ""])
def test_settings_without_permissions_are_none(text: str):
    assert read_permissions_file(text, WHERE).rules == ()
