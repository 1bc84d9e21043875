"""What an importer makes of a foreign file: rules as they would be written, and what has to stay where it is."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

NO_LETTER = re.compile(r"[^a-z0-9]+")
MAX_NAME_CHARS = 60


class DraftedRule(msgspec.Struct, frozen=True):
    """A rule that says the same as the foreign one: its keys in the order in which they are written."""

    keys: Mapping[str, Any]
    origin: str
    """Tool, file and name, for the comment above the rule."""

    @property
    def id(self) -> str:
        return str(self.keys["id"])


class Leftover(msgspec.Struct, frozen=True):
    """What is not carried over, and why."""

    what: str
    why: str


class ForeignRules(msgspec.Struct, frozen=True):
    """Everything that one foreign file holds."""

    rules: tuple[DraftedRule, ...] = ()
    leftovers: tuple[Leftover, ...] = ()


def join_foreign_rules(parts: Iterable[ForeignRules]) -> ForeignRules:
    """All files together; an id that two of them give is numbered, unless both say the very same."""
    rules: dict[str, DraftedRule] = {}
    leftovers: list[Leftover] = []
    for part in parts:
        leftovers += part.leftovers
        for rule in part.rules:
            name, number = rule.id, 1
            while name in rules and not _says_the_same(rules[name], rule):
                number += 1
                name = f"{rule.id}-{number}"
            rules.setdefault(name, msgspec.structs.replace(rule, keys={**rule.keys, "id": name}))
    return ForeignRules(tuple(rules.values()), tuple(leftovers))


def make_rule_id(group: str, name: str) -> str:
    """An id such as `hookify.block-rm` out of whatever a foreign rule is called."""
    letters = NO_LETTER.sub("-", name.lower()).strip("-")[:MAX_NAME_CHARS].strip("-")
    return f"{group}.{letters if letters[:1].isalpha() else f'rule-{letters}'.strip('-')}"


def read_json_object(text: str) -> dict[str, Any] | None:
    """The object that a text is; None for everything else."""
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def list_texts(value: object) -> list[str]:
    """The texts of a list; none where it is no list."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def list_tables(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none where it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def shorten_list(items: Iterable[str]) -> str | list[str]:
    """One value as itself, several as a list: what a person would write."""
    found = list(dict.fromkeys(items))
    return found[0] if len(found) == 1 else found


def _says_the_same(one: DraftedRule, other: DraftedRule) -> bool:
    """Whether both stop the same: `mcp__github` and `mcp__github__*` differ in their words alone."""
    return {**one.keys, "say": ""} == {**other.keys, "say": ""}
