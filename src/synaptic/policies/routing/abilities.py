"""Abilities as repositories describe them: tables of a registry, front matter, Markdown, rules of prompts.

Everything here is given data that was already decoded; what cannot be used is a problem that names file and key.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from synaptic.model.ability import Ability
from synaptic.policies.routing.ranking import safe_pattern

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*")
FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
FENCE = re.compile(r"^```(?:yaml|yml)[ \t]*\r?\n(.*?)^```", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#{2,4}[ \t]+`?([A-Za-z0-9][A-Za-z0-9_.:-]*)`?[ \t]*$\n+([^#`\n][^\n]*)?", re.MULTILINE)
RULES = "skill-rules.json"
SUMMARY_LIMIT = 600
WORDS_LIMIT = 64
PRIORITIES = ("critical", "high", "medium", "low")

Load = Callable[[bytes, str], Any]
"""Decodes YAML, given its text and where it is from."""
Table = Mapping[str, Any]


class Read(msgspec.Struct, frozen=True):
    """The abilities of one file, and what was wrong with the others."""

    abilities: tuple[Ability, ...] = ()
    problems: tuple[str, ...] = ()


def registry(data: object, where: str) -> Read:
    """A registry file: `abilities` as a list or by id, a bare list, or one ability."""
    if isinstance(data, dict) and isinstance(data.get("skills"), dict):
        return _each(_rules(data["skills"]), where)
    inner = data.get("abilities", data) if isinstance(data, dict) else data
    if isinstance(inner, dict) and not _names(inner):
        return _each(_by_id(inner), where)
    entries = inner if isinstance(inner, list) else [inner]
    return _each(((f"abilities[{number}]", entry) for number, entry in enumerate(entries)), where)


def skill(text: str, where: str, load: Load) -> Read:
    """A SKILL.md: its front matter, with the name of its folder where it has none."""
    front = FRONT.match(text)
    if front is None:
        return Read(problems=(f"{where}: has no front matter (`---`, then `name` and `description`)",))
    table = load(front[1].encode(), where)
    if not isinstance(table, dict):
        return Read(problems=(f"{where}: its front matter is no table of keys and values",))
    folder = where.rpartition("/")[0].rpartition("/")[2]
    return _each([("front matter", {"kind": "skill", "name": folder, **table})], where)


def markdown(text: str, where: str, load: Load) -> Read:
    """An ABILITY.md: front matter and YAML blocks with abilities, else headings that are ids with a first sentence."""
    front = FRONT.match(text)
    blocks = ([front[1]] if front else []) + FENCE.findall(text)
    found = [registry(data, where) for block in blocks if _describes(data := load(block.encode(), where))]
    if not found:
        headings = ({"id": name, "summary": said} for name, said in HEADING.findall(text))
        found = [_each(((f"heading {entry['id']}", entry) for entry in headings), where)]
    return together(found)


def together(parts: list[Read]) -> Read:
    """Several files as one; an id that is there twice counts once, the first time. Rules add to what a skill says."""
    kept: dict[str, Ability] = {}
    problems = [problem for part in parts for problem in part.problems]
    for ability in (ability for part in parts for ability in part.abilities):
        first = kept.setdefault(ability.id, ability)
        if first is not ability and first.source.endswith(RULES):
            kept[ability.id] = _with_rules(ability, first)
        elif first is not ability:
            problems.append(f"{ability.source}: `id`: `{ability.id}` is already taken by {first.source}")
    return Read(tuple(kept.values()), tuple(problems))


def _with_rules(ability: Ability, rules: Ability) -> Ability:
    return msgspec.structs.replace(
        ability,
        keywords=tuple(dict.fromkeys((*ability.keywords, *rules.keywords))),
        intent_patterns=tuple(dict.fromkeys((*ability.intent_patterns, *rules.intent_patterns))),
        priority=ability.priority or rules.priority,
    )


def _describes(data: object) -> bool:
    # A Markdown file may also hold routes: those name documents, not abilities.
    return isinstance(data, dict) and ("abilities" in data or _names(data)) and "routes" not in data


def _names(table: Table) -> bool:
    return any(isinstance(table.get(key), str) for key in ("id", "ability_id", "name"))


def _by_id(table: Table) -> Iterator[tuple[str, object]]:
    for name, entry in table.items():
        yield f"abilities.{name}", {"id": str(name), **entry} if isinstance(entry, dict) else entry


def _rules(skills: Table) -> Iterator[tuple[str, object]]:
    """The form of `skill-rules.json`: keywords and intent patterns under `promptTriggers`."""
    for name, entry in skills.items():
        rules = entry if isinstance(entry, dict) else {}
        triggers = _table(rules.get("promptTriggers"))
        hints = {"keywords": triggers.get("keywords", ()), "intent_patterns": triggers.get("intentPatterns", ())}
        yield f"skills.{name}", {"id": str(name), "kind": "skill", **rules, **hints}


def _each(entries: Any, where: str) -> Read:
    found: list[Ability] = []
    problems: list[str] = []
    for key, entry in entries:
        ability = _ability(entry, where, key, problems)
        if ability is not None:
            found.append(ability)
    return Read(tuple(found), tuple(problems))


def _ability(entry: object, where: str, key: str, problems: list[str]) -> Ability | None:
    if not isinstance(entry, dict):
        problems.append(f"{where}: `{key}` is no table of keys and values")
        return None
    name = next((entry[key] for key in ("id", "ability_id", "name") if isinstance(entry.get(key), str)), "")
    if not ID.fullmatch(name):
        problems.append(f"{where}: `{key}`: `id` is missing or not made of letters, digits, _ . : and -")
        return None
    reader = _Reader({**_table(entry.get("routing_hints")), **entry}, f"{where}: `{key}` ({name})", problems)
    return Ability(
        id=name,
        summary=" ".join(reader.text("summary", "description", "purpose", "notes").split())[:SUMMARY_LIMIT],
        keywords=reader.words("keywords", "triggers", "tags"),
        negative_keywords=reader.words("negative_keywords"),
        intent_patterns=reader.patterns(),
        scopes=reader.words("scopes", "scope"),
        operation_key=reader.text("operation_key"),
        kind=reader.text("kind", "type"),
        level=reader.text("level"),
        priority=reader.text("priority") if reader.text("priority") in PRIORITIES else "",
        source=where,
    )


def _table(value: object) -> Table:
    return value if isinstance(value, dict) else {}


class _Reader:
    """Reads key by key; a wrong one is told and left out, the rest counts."""

    def __init__(self, table: Table, where: str, problems: list[str]) -> None:
        self._table = table
        self._where = where
        self._problems = problems

    def text(self, *keys: str) -> str:
        said = [self._table[key] for key in keys if isinstance(self._table.get(key), str)]
        return said[0].strip() if said else ""

    def words(self, *keys: str) -> tuple[str, ...]:
        found: list[str] = []
        for key in keys:
            value = self._table.get(key)
            items = [value] if isinstance(value, str) else value or []
            if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
                self._problems.append(f"{self._where}: `{key}` must be a list of texts")
                continue
            found += (item.strip() for item in items if item.strip())
        return tuple(dict.fromkeys(found))[:WORDS_LIMIT]

    def patterns(self) -> tuple[str, ...]:
        given = self.words("intent_patterns")
        bad = [pattern for pattern in given if not safe_pattern(pattern)]
        for pattern in bad:
            told = "is no regular expression, or may take forever to compare"
            self._problems.append(f"{self._where}: `intent_patterns`: `{pattern[:80]}` {told}")
        return tuple(pattern for pattern in given if pattern not in bad)
