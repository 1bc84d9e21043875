"""Whatever stands in a foreign file, reading it ends with rules and leftovers, and the rules can be written."""

import json
import random
from typing import Any

import pytest

from synaptic.hooks.rules_edit import WrittenRule, append_rules
from synaptic.hooks.rules_import.formats import FORMATS, ForeignFile

WORDS = (
    "name", "command", "rules", "version", "rulebook_version", "subcommand", "block_args", "reason", "tests", "match",
    "command_path", "any_args", "exclude_args", "overrides", "permissions", "allow", "deny", "ask", "id", "pattern",
    "destructive_patterns", "safe_patterns", "severity", "executables", "schema_version", "transparent_wrappers",
    "block", "packs", "enabled", "custom_paths", "policy", "expect", "blocked", "rule",
)  # fmt: skip
TEXTS = (
    "git", "", "rm -rf", "rm\\s+-rf", "Bash(npm publish:*)", "Bash(", "Read(./.env)", "Edit()", "WebFetch(domain:)",
    "mcp__x", "(((", "a" * 600, "\x00", "\x1b[31m", "'", '"', "\n", "[*]", "[[rule]]\nid = 'x.y'", "ü", "low",
    "../x", "-f",
)  # fmt: skip


def make_value(chance: random.Random, depth: int) -> Any:
    if depth == 0 or chance.random() < 0.3:
        return chance.choice([*TEXTS, 1, 2, 0, None, True, 1.5, [], {}])
    if chance.random() < 0.4:
        return [make_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {chance.choice(WORDS): make_value(chance, depth - 1) for _ in range(chance.randrange(6))}


def make_hookify(chance: random.Random) -> str:
    keys = ("event", "pattern", "action", "name", "  - field", "conditions")
    lines = [f"{chance.choice(keys)}: {chance.choice(TEXTS)}" for _ in range(chance.randrange(8))]
    return "---\n" + "\n".join(lines) + "\n---\n" + chance.choice(TEXTS)


@pytest.mark.parametrize("name", FORMATS)
def test_no_file_brings_it_down(name: str):
    chance = random.Random(name)
    for _ in range(1500):
        text = make_hookify(chance) if name == "hookify" else json.dumps(make_value(chance, 5))
        cut = text[: chance.randrange(len(text) + 1)] if chance.random() < 0.2 else text
        files = [ForeignFile(where, cut) for where in ("a.toml", "b.json")]
        for file in files:
            FORMATS[name].list_more(file)
        found = FORMATS[name].read(files, True)
        append_rules("", [WrittenRule(rule.keys, rule.origin) for rule in found.rules])
        assert len({rule.id for rule in found.rules}) == len(found.rules)


@pytest.mark.parametrize("name", FORMATS)
def test_a_text_that_is_nested_for_ever_is_none(name: str):
    for text in ("[" * 100_000, '{"a":' * 100_000, "---\n" + "a: [" * 10_000 + "\n---\n"):
        found = FORMATS[name].read([ForeignFile("a.json", text), ForeignFile("b.yaml", text)], False)
        assert found.rules == ()
