"""Abilities as repositories describe them: tables of a registry, front matter, Markdown, rules of prompts.

Everything here is given data that was already decoded; what cannot be used is a problem that names file and key.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from synaptic.model.ability import Ability
from synaptic.policies.routing.ranking import is_safe_pattern

ABILITY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*")
FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
YAML_BLOCK = re.compile(r"^```(?:yaml|yml)[ \t]*\r?\n(.*?)^```", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#{2,4}[ \t]+`?([A-Za-z0-9][A-Za-z0-9_.:-]*)`?[ \t]*$\n+([^#`\n][^\n]*)?", re.MULTILINE)
RULES_FILE = "skill-rules.json"
SUMMARY_LIMIT = 600
WORDS_LIMIT = 64
PRIORITIES = ("critical", "high", "medium", "low")

YamlLoader = Callable[[bytes, str], Any]
"""Decodes YAML, given its text and where it is from."""
Table = Mapping[str, Any]


class ParsedAbilities(msgspec.Struct, frozen=True):
    """The abilities of one file, and what was wrong with the others."""

    abilities: tuple[Ability, ...] = ()
    problems: tuple[str, ...] = ()


def parse_registry(data: object, where: str) -> ParsedAbilities:
    """A registry file: `abilities` as a list or by id, a bare list, or one ability."""
    if isinstance(data, dict) and isinstance(data.get("skills"), dict):
        return _parse_entries(_iter_rules(data["skills"]), where)
    inner = data.get("abilities", data) if isinstance(data, dict) else data
    if isinstance(inner, dict) and not _has_name(inner):
        return _parse_entries(_iter_by_id(inner), where)
    entries = inner if isinstance(inner, list) else [inner]
    return _parse_entries(((f"abilities[{number}]", entry) for number, entry in enumerate(entries)), where)


def parse_skill(text: str, where: str, load: YamlLoader) -> ParsedAbilities:
    """A SKILL.md: its front matter, with the name of its folder where it has none."""
    front = FRONT_MATTER.match(text)
    if front is None:
        return ParsedAbilities(problems=(f"{where}: has no front matter (`---`, then `name` and `description`)",))
    table = load(front[1].encode(), where)
    if not isinstance(table, dict):
        return ParsedAbilities(problems=(f"{where}: its front matter is no table of keys and values",))
    folder = where.rpartition("/")[0].rpartition("/")[2]
    return _parse_entries([("front matter", {"kind": "skill", "name": folder, **table})], where)


def parse_markdown(text: str, where: str, load: YamlLoader) -> ParsedAbilities:
    """An ABILITY.md: front matter and YAML blocks with abilities, else headings that are ids with a first sentence."""
    front = FRONT_MATTER.match(text)
    blocks = ([front[1]] if front else []) + YAML_BLOCK.findall(text)
    found = [
        parse_registry(data, where) for block in blocks if _describes_abilities(data := load(block.encode(), where))
    ]
    if not found:
        headings = ({"id": name, "summary": said} for name, said in HEADING.findall(text))
        found = [_parse_entries(((f"heading {entry['id']}", entry) for entry in headings), where)]
    return merge_abilities(found)


def merge_abilities(parts: list[ParsedAbilities]) -> ParsedAbilities:
    """Several files as one; an id that is there twice counts once, the first time. Rules add to what a skill says."""
    kept: dict[str, Ability] = {}
    problems = [problem for part in parts for problem in part.problems]
    for ability in (ability for part in parts for ability in part.abilities):
        first = kept.setdefault(ability.id, ability)
        if first is not ability and first.source.endswith(RULES_FILE):
            kept[ability.id] = _add_rules(ability, first)
        elif first is not ability:
            problems.append(f"{ability.source}: `id`: `{ability.id}` is already taken by {first.source}")
    return ParsedAbilities(tuple(kept.values()), tuple(problems))


def _add_rules(ability: Ability, rules: Ability) -> Ability:
    return msgspec.structs.replace(
        ability,
        keywords=tuple(dict.fromkeys((*ability.keywords, *rules.keywords))),
        intent_patterns=tuple(dict.fromkeys((*ability.intent_patterns, *rules.intent_patterns))),
        priority=ability.priority or rules.priority,
    )


def _describes_abilities(data: object) -> bool:
    # A Markdown file may also hold routes: those name documents, not abilities.
    return isinstance(data, dict) and ("abilities" in data or _has_name(data)) and "routes" not in data


def _has_name(table: Table) -> bool:
    return any(isinstance(table.get(key), str) for key in ("id", "ability_id", "name"))


def _iter_by_id(table: Table) -> Iterator[tuple[str, object]]:
    for name, entry in table.items():
        yield f"abilities.{name}", {"id": str(name), **entry} if isinstance(entry, dict) else entry


def _iter_rules(skills: Table) -> Iterator[tuple[str, object]]:
    """The form of `skill-rules.json`: keywords and intent patterns under `promptTriggers`."""
    for name, entry in skills.items():
        rules = entry if isinstance(entry, dict) else {}
        triggers = _as_table(rules.get("promptTriggers"))
        hints = {"keywords": triggers.get("keywords", ()), "intent_patterns": triggers.get("intentPatterns", ())}
        yield f"skills.{name}", {"id": str(name), "kind": "skill", **rules, **hints}


def _parse_entries(entries: Any, where: str) -> ParsedAbilities:
    found: list[Ability] = []
    problems: list[str] = []
    for key, entry in entries:
        ability = _parse_ability(entry, where, key, problems)
        if ability is not None:
            found.append(ability)
    return ParsedAbilities(tuple(found), tuple(problems))


def _parse_ability(entry: object, where: str, key: str, problems: list[str]) -> Ability | None:
    if not isinstance(entry, dict):
        problems.append(f"{where}: `{key}` is no table of keys and values")
        return None
    name = next((entry[key] for key in ("id", "ability_id", "name") if isinstance(entry.get(key), str)), "")
    if not ABILITY_ID.fullmatch(name):
        problems.append(f"{where}: `{key}`: `id` is missing or not made of letters, digits, _ . : and -")
        return None
    reader = _AbilityReader({**_as_table(entry.get("routing_hints")), **entry}, f"{where}: `{key}` ({name})", problems)
    return Ability(
        id=name,
        summary=" ".join(reader.read_text("summary", "description", "purpose", "notes").split())[:SUMMARY_LIMIT],
        keywords=reader.read_words("keywords", "triggers", "tags"),
        negative_keywords=reader.read_words("negative_keywords"),
        intent_patterns=reader.read_patterns(),
        scopes=reader.read_words("scopes", "scope"),
        operation_key=reader.read_text("operation_key"),
        kind=reader.read_text("kind", "type"),
        level=reader.read_text("level"),
        priority=reader.read_text("priority") if reader.read_text("priority") in PRIORITIES else "",
        source=where,
    )


def _as_table(value: object) -> Table:
    return value if isinstance(value, dict) else {}


class _AbilityReader:
    """Reads key by key; a wrong one is told and left out, the rest counts."""

    def __init__(self, table: Table, where: str, problems: list[str]) -> None:
        self._table = table
        self._where = where
        self._problems = problems

    def read_text(self, *keys: str) -> str:
        said = [self._table[key] for key in keys if isinstance(self._table.get(key), str)]
        return said[0].strip() if said else ""

    def read_words(self, *keys: str) -> tuple[str, ...]:
        found: list[str] = []
        for key in keys:
            value = self._table.get(key)
            items = [value] if isinstance(value, str) else value or []
            if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
                self._problems.append(f"{self._where}: `{key}` must be a list of texts")
                continue
            found += (item.strip() for item in items if item.strip())
        return tuple(dict.fromkeys(found))[:WORDS_LIMIT]

    def read_patterns(self) -> tuple[str, ...]:
        given = self.read_words("intent_patterns")
        bad = [pattern for pattern in given if not is_safe_pattern(pattern)]
        for pattern in bad:
            told = "is no regular expression, or may take forever to compare"
            self._problems.append(f"{self._where}: `intent_patterns`: `{pattern[:80]}` {told}")
        return tuple(pattern for pattern in given if pattern not in bad)
