"""How rules are shown: a line each, one whole with its examples, and what a new one would stop and let pass."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from synaptic.cli import screen
from synaptic.cli.rule_place import LoadedRules
from synaptic.hooks.rules.entry import CONDITION_KEYS
from synaptic.hooks.rules.examples import describe_example
from synaptic.hooks.rules_edit import WrittenRule, write_rule

LIST_HEAD = ("ID", "THEN", "WHEN", "STATE", "SOURCE")
SHOWN_KEYS = ("event", *CONDITION_KEYS, "environment")


class ListedRule(msgspec.Struct, frozen=True):
    """One `[[rule]]` table, whether it is on or not."""

    file: LoadedRules
    number: int
    table: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.table.get("id", ""))

    @property
    def source(self) -> str:
        return f"{self.file.place.file}: rule {self.number}"

    @property
    def problems(self) -> list[str]:
        return [str(problem) for problem in self.file.list_problems(self.number)]

    @property
    def state(self) -> str:
        if self.table.get("enabled") is False:
            return "off"
        return "on" if self.file.find_rule(self.number) else "unusable"


def list_rules(files: Iterable[LoadedRules]) -> list[ListedRule]:
    """Every rule of every file, in their order."""
    return [ListedRule(file, number, table) for file in files for number, table in enumerate(file.tables, 1)]


def rule_to_json(rule: ListedRule) -> dict[str, Any]:
    told = {"state": rule.state, "scope": rule.file.place.scope, "file": rule.file.place.file, "number": rule.number}
    return {**rule.table, **told, "problems": rule.problems}


def print_list(rules: list[ListedRule], problems: Iterable[str]) -> None:
    if rules:
        screen.print_table(LIST_HEAD, map(_make_row, rules))
    else:
        screen.say("there are no rules here; the first one: synaptic rule add --run 'npm publish' --ask 'Publish?'")
    for problem in problems:
        screen.say(f"problem: {problem}")


def print_rule(rule: ListedRule) -> None:
    """The rule as it is written, where it stands and what is wrong with it."""
    screen.say(f"{rule.source} ({rule.file.place.scope}, {rule.state})\n")
    screen.say(write_rule(WrittenRule(rule.table)).rstrip())
    for problem in rule.problems:
        screen.say(f"\nproblem: {problem}")


def print_examples(keys: Mapping[str, Any]) -> None:
    for key in ("stops", "passes"):
        for example in keys.get(key, ()):
            screen.say(f"  {key.ljust(6)}  {describe_example(example)}")


def describe_conditions(table: Mapping[str, Any]) -> str:
    """When a rule speaks, on one line."""
    return ", ".join(f"{key} {_format_value(table[key])}" for key in SHOWN_KEYS if key in table)


def iter_file_problems(files: Iterable[LoadedRules]) -> Iterator[str]:
    return (str(problem) for file in files for problem in file.found.problems)


def _make_row(rule: ListedRule) -> tuple[str, ...]:
    return (rule.id, str(rule.table.get("then", "")), describe_conditions(rule.table), rule.state, rule.source)


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " | ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
