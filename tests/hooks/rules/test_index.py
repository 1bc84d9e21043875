"""Whoever would speak is found, and a thousand others cost nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from synaptic.hooks.rules.compile import Rule
from synaptic.hooks.rules.index import RuleIndex
from synaptic.model.event import PreToolUse
from synaptic.model.project import Git
from synaptic.policies.base import load_policies
from synaptic.policies.cases import load_cases
from synaptic.policies.facts import Facts, read_command
from synaptic.shell.reading import CommandReading
from tests.hooks.rules.made import ROOT, make_rules, parse, rule_files

CORPUS = Path(__file__).parents[2] / "corpus"
FACTS = Facts(root=ROOT, home="/home/dev", git=Git(branch="main", top=ROOT))
Ask = tuple[PreToolUse, Facts]


def ask(tool: str, given: dict[str, Any]) -> Ask:
    event = PreToolUse(hook_event_name="PreToolUse", cwd=ROOT, tool_name=tool, tool_input=given)
    return event, Facts(root=ROOT, home="/home/dev", git=FACTS.git, command=read_command(event, ROOT, "/home/dev"))


def bash(command: str) -> Ask:
    return ask("Bash", {"command": command})


def iter_calls() -> Iterator[Ask]:
    for line in (CORPUS / "commands.jsonl").read_text(encoding="utf-8").splitlines()[::12]:
        yield bash(json.loads(line)["cmd"])
    for kind in list(load_policies().values())[::3]:
        yield from (bash(case.bash) for case in load_cases(kind)[::4] if case.bash)
    for path in ("src/a.py", ".env", "package-lock.json", "docs/x.md", "/etc/passwd", "web/dist/x", "a/b/c"):
        for tool in ("Edit", "Write", "Read", "mcp__files__write"):
            yield ask(tool, {"file_path": f"{ROOT}/{path}".replace(f"{ROOT}//", "/"), "content": "import x"})
    yield ask("WebFetch", {"url": "https://a.example.com"})


CALLS = list(iter_calls())


def find(rules: tuple[Rule, ...], call: Ask) -> list[str]:
    return [rules[place].id for place in RuleIndex(enumerate(rules)).find(*call)]


def list_missed(rules: tuple[Rule, ...]) -> list[tuple[str, object]]:
    index = RuleIndex(enumerate(rules))
    missed = []
    for event, facts in CALLS:
        found = set(index.find(event, facts))
        missed += [
            (rule.id, event.tool_input)
            for place, rule in enumerate(rules)
            if place not in found and rule.check(event, facts) is not None
        ]
    return missed


@settings(max_examples=25)
@given(rule_files())
def test_no_rule_that_would_speak_is_left_out(text: str) -> None:
    assert list_missed(parse(text).rules) == []


def test_rules_are_found_by_what_they_name() -> None:
    rules = make_rules(
        {"id": "a.push", "run": "git push"},
        {"id": "a.npm", "run": "npm publish"},
        {"id": "a.lock", "edit": "package-lock.json"},
        {"id": "a.python", "edit": "src/**/*.py"},
        {"id": "a.docs", "edit": "docs/**"},
        {"id": "a.gone", "delete": "db/migrations/**"},
        {"id": "a.host", "host": "*.example.com"},
        {"id": "a.github", "tool": "WebFetch"},
        {"id": "a.script", "run": "./deploy.sh"},
    )
    assert find(rules, bash("ls -la")) == []
    assert find(rules, bash("git fetch")) == []
    assert find(rules, bash("sudo git -C x push")) == ["a.push"]
    assert find(rules, bash("npm install")) == []
    assert find(rules, bash("npm --tag x publish")) == ["a.npm"]
    assert find(rules, bash("echo > web/package-lock.json")) == ["a.lock"]
    assert find(rules, ask("Edit", {"file_path": f"{ROOT}/src/a.py"})) == ["a.python"]
    assert find(rules, bash("rm -rf db")) == ["a.gone"]
    assert find(rules, bash("curl https://x.example.com/y")) == ["a.host"]
    assert find(rules, ask("WebFetch", {"url": "https://example.org"})) == ["a.github"]
    assert find(rules, bash("bash deploy.sh")) == ["a.script"]


def test_a_command_that_no_reader_understands_is_put_to_every_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(reading: CommandReading) -> None:
        raise RecursionError

    rules = make_rules({"run": "git push"}, {"edit": "x"})
    monkeypatch.setattr(CommandReading, "script", property(fail))
    assert find(rules, bash("ls")) == ["a.r0", "a.r1"]


def test_a_fact_that_failed_puts_paths_to_every_rule_that_has_one() -> None:
    rules = make_rules({"run": "git push"}, {"edit": "x.py"})
    event, _ = ask("Edit", {"file_path": f"{ROOT}/y"})
    facts = Facts(root=ROOT, failed={"real_paths": "OSError: no"})
    assert find(rules, (event, facts)) == ["a.r1"]
