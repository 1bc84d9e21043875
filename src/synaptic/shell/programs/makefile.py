"""A Makefile that the same text has written: which recipes a call of `make` runs."""

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping

import msgspec

from synaptic.shell.read.limits import MAX_ESCAPES, MAX_PATTERN, MAX_ROUNDS

VARIABLE_REFERENCE = re.compile(r"\$\$|\$[({](?:shell[ \t]+|([\w.-]+)[)}])")
DEFINITION = re.compile(r"^define[ \t]+([\w.-]+)[^\n]*\n(.*?)\n[ \t]*endef", re.MULTILINE | re.DOTALL)
IMMEDIATE = re.compile(r"\$[({]shell[ \t]+((?:[^()]|\([^()]*\))*)|!=[ \t]*(.+)")
AUTOMATIC_VARIABLE = re.compile(r"\$([$@<^*])")
MAX_VARIABLE_ROUNDS = 3
"""Variables inside variables."""
DEFAULT_VARIABLES = {"RM": "rm -f", "MAKE": "make", "SHELL": "/bin/sh", "CURDIR": "${PWD}"}
"""Variables that every Makefile has."""


class MakeRule(msgspec.Struct):
    """What a target needs, and the lines that make it."""

    needs: list[str]
    lines: list[str]


class Makefile:
    """The rules and variables of a text, as far as they stand there plainly."""

    def __init__(self, text: str) -> None:
        self.rules: dict[str, MakeRule] = {}
        self.variables: dict[str, str] = dict(DEFAULT_VARIABLES)
        self.immediate: list[str] = []
        current: list[MakeRule] = []
        for line in _join_definitions(text.replace("\\\n", " ")).splitlines():
            if line[:1] == "\t":
                for rule in current:
                    rule.lines.append(line)
            elif line.strip() and line[0] != "#":
                self.immediate += [found[1] or found[2] or "" for found in IMMEDIATE.finditer(line)]
                current = self._read_rules(line)

    def _read_rules(self, line: str) -> list[MakeRule]:
        """The rules that a line opens; none when it sets a variable."""
        head, colon, tail = line.partition(":")
        if "=" in head or tail.lstrip(":")[:1] == "=" or not colon:
            self._read_variable(line)
            return []
        needs, _, recipe = tail.lstrip(":").partition(";")
        found = [self.rules.setdefault(name, MakeRule([], [])) for name in dict.fromkeys(head.split()[:MAX_ROUNDS])]
        for rule in found:
            rule.needs.extend(needs.split())
            rule.lines.extend([recipe] if recipe else [])
        return found

    def _read_variable(self, line: str) -> None:
        name, equals, value = line.partition("=")
        words = name.rstrip(" \t:?+!").split()
        if equals and words:
            self.variables[words[-1]] = value.strip()[:MAX_PATTERN]

    def iter_recipes(self, goals: list[str], given: Mapping[str, str]) -> Iterator[str]:
        """The shell text of each line that these goals run, what they need first."""
        plain = (name for name in self.rules if name[:1] != "." and "%" not in name)
        values = ChainMap(dict(given), self.variables)
        fallback = [name for name in self.rules if goals and (name == ".DEFAULT" or "%" in name)]
        for target in self._order_targets([*(goals or [next(plain, "")]), *fallback]):
            for line in self.rules[target].lines:
                yield _expand_recipe(line, values, target).strip().lstrip("@-+ \t")

    def iter_immediate(self) -> Iterator[str]:
        """The commands that make runs while it reads: `$(shell ...)` and `!=` outside of recipes."""
        for line in self.immediate[:MAX_ROUNDS]:
            yield _expand_recipe(line, ChainMap({}, self.variables), "")

    def _order_targets(self, goals: list[str]) -> list[str]:
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


def _expand_recipe(line: str, values: Mapping[str, str], target: str) -> str:
    for _ in range(MAX_VARIABLE_ROUNDS):
        if "$" not in line or len(line) > MAX_ESCAPES:
            break
        line = VARIABLE_REFERENCE.sub(lambda found: _expand_reference(found, values), line)[: 2 * MAX_ESCAPES]
    return AUTOMATIC_VARIABLE.sub(lambda found: {"$": "$", "@": target}.get(found[1], "${need}"), line)


def _expand_reference(found: re.Match[str], values: Mapping[str, str]) -> str:
    """What a reference stands for. What the text does not set comes from the environment, as in a shell."""
    if found[0] == "$$":
        return "$$"
    if found[1] is None:
        return "$$("
    return values.get(found[1], f"$${{{found[1]}}}")


def _join_definitions(text: str) -> str:
    """`define X ... endef` as a variable with one line."""
    return DEFINITION.sub(lambda found: f"{found[1]} = {'; '.join(found[2].split(chr(10)))}", text)
