"""A Makefile that the same text has written: which recipes a call of `make` runs."""

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping

import msgspec

from synaptic.shell.read.limits import MAX_ESCAPES, MAX_PATTERN, MAX_ROUNDS

NAMED = re.compile(r"\$\$|\$[({](?:shell[ \t]+|([\w.-]+)[)}])")
AUTOMATIC = re.compile(r"\$([$@<^*])")
ROUNDS = 3
"""Variables inside variables."""
ALWAYS = {"RM": "rm -f", "MAKE": "make", "SHELL": "/bin/sh", "CURDIR": "${PWD}"}
"""Variables that every Makefile has."""


class Rule(msgspec.Struct):
    """What a target needs, and the lines that make it."""

    needs: list[str]
    lines: list[str]


class Makefile:
    """The rules and variables of a text, as far as they stand there plainly."""

    def __init__(self, text: str) -> None:
        self.rules: dict[str, Rule] = {}
        self.variables: dict[str, str] = dict(ALWAYS)
        current: list[Rule] = []
        for line in text.replace("\\\n", " ").splitlines():
            if line[:1] == "\t":
                for rule in current:
                    rule.lines.append(line)
            elif line.strip() and line[0] != "#":
                current = self._rules(line)

    def _rules(self, line: str) -> list[Rule]:
        """The rules that a line opens; none when it sets a variable."""
        head, colon, tail = line.partition(":")
        if "=" in head or tail.lstrip(":")[:1] == "=" or not colon:
            self._variable(line)
            return []
        needs, _, recipe = tail.lstrip(":").partition(";")
        found = [self.rules.setdefault(name, Rule([], [])) for name in dict.fromkeys(head.split()[:MAX_ROUNDS])]
        for rule in found:
            rule.needs.extend(needs.split())
            rule.lines.extend([recipe] if recipe else [])
        return found

    def _variable(self, line: str) -> None:
        name, equals, value = line.partition("=")
        words = name.rstrip(" \t:?+!").split()
        if equals and words:
            self.variables[words[-1]] = value.strip()[:MAX_PATTERN]

    def recipes(self, goals: list[str], given: Mapping[str, str]) -> Iterator[str]:
        """The shell text of each line that these goals run, what they need first."""
        plain = (name for name in self.rules if name[:1] != "." and "%" not in name)
        values = ChainMap(dict(given), self.variables)
        for target in self._ordered(goals or [next(plain, "")]):
            for line in self.rules[target].lines:
                yield _expanded(line, values, target).strip().lstrip("@-+ \t")

    def _ordered(self, goals: list[str]) -> list[str]:
        found: list[str] = []
        seen: set[str] = set()
        # A stack and not recursion: a chain of a thousand targets would exceed Python's limit.
        waiting = [(goal, False) for goal in reversed(goals)]
        while waiting:
            target, made = waiting.pop()
            if made:
                found.append(target)
            elif target in self.rules and target not in seen:
                seen.add(target)
                waiting.append((target, True))
                waiting.extend((need, False) for need in reversed(self.rules[target].needs))
        return found


def _expanded(line: str, values: Mapping[str, str], target: str) -> str:
    for _ in range(ROUNDS):
        if "$" not in line or len(line) > MAX_ESCAPES:
            break
        line = NAMED.sub(lambda found: _value(found, values), line)[: 2 * MAX_ESCAPES]
    return AUTOMATIC.sub(lambda found: {"$": "$", "@": target}.get(found[1], "${need}"), line)


def _value(found: re.Match[str], values: Mapping[str, str]) -> str:
    """What a reference stands for. What the text does not set comes from the environment, as in a shell."""
    if found[0] == "$$":
        return "$$"
    if found[1] is None:
        return "$$("
    return values.get(found[1], f"$${{{found[1]}}}")
