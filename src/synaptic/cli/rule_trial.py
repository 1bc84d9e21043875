"""What the examples of rules show, and which rules a command meets."""

from collections.abc import Iterable
from typing import Any

import msgspec

from synaptic.cli import screen
from synaptic.cli.rule_view import ListedRule
from synaptic.hooks.rules.compile import Rule
from synaptic.hooks.rules.examples import WrongExampleError, check_examples, tries_example


class RuleTrial(msgspec.Struct, frozen=True):
    """The rules that were tried, what is wrong with them, and those that speak about a command."""

    rules: list[Rule]
    failed: list[str]
    command: str
    met: list[Rule]

    @property
    def examples(self) -> int:
        return sum(len(rule.entry.stops) + len(rule.entry.passes) for rule in self.rules)

    def to_json(self) -> dict[str, Any]:
        met = [{"id": rule.id, "then": rule.entry.then, "source": rule.where} for rule in self.met]
        counts = {"rules": len(self.rules), "examples": self.examples}
        return {"ok": not self.failed, **counts, "failed": self.failed, "meets": met}

    def print_out(self) -> None:
        for text in self.failed:
            screen.warn(text)
        told = "1 rule" if len(self.rules) == 1 else f"{len(self.rules)} rules"
        ending = f"{len(self.failed)} of them wrong" if self.failed else "all as they say"
        screen.say(f"{told}, {self.examples} examples: {ending}")
        if self.command:
            self._print_met()

    def _print_met(self) -> None:
        for rule in self.met:
            screen.say(f"  {rule.entry.then}  {rule.id}  ({rule.where})")
        if not self.met:
            screen.say("  no rule speaks about it")
        screen.say(f"everything that is asked about it, with things as they are: synaptic check '{self.command}'")


def try_all(chosen: Iterable[ListedRule], command: str) -> RuleTrial:
    """Try the examples of rules, and whether each speaks about the command."""
    several = list(chosen)
    rules = [rule for one in several if (rule := one.file.find_rule(one.number)) is not None]
    unusable = [problem for one in several if one.state == "unusable" for problem in one.problems]
    failed = [*unusable, *map(str, check_examples(rules))]
    return RuleTrial(rules, failed, command, [rule for rule in rules if command and _meets(rule, command)])


def _meets(rule: Rule, command: str) -> bool:
    try:
        return "PreToolUse" in rule.events and tries_example(rule, command)
    except WrongExampleError:
        return False
