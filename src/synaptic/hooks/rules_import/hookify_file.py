"""A file of the hookify plugin: `.claude/hookify.*.local.md`, lines between dashes and the message below them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

FRONT_MATTER = re.compile(r"---[ \t]*\n(?P<head>.*?\n)---[ \t]*(?:\n(?P<body>.*))?\Z", re.DOTALL)
PATTERN_FIELDS = {"bash": "command", "file": "new_text", "prompt": "user_prompt", "stop": "reason"}
"""What a rule's one `pattern` is compared with, by event."""


class HookifyCondition(msgspec.Struct, frozen=True):
    """One line of `conditions`."""

    field: str
    operator: str
    pattern: str


class HookifyRule(msgspec.Struct, frozen=True):
    """One file."""

    name: str
    event: str
    action: str
    enabled: bool
    conditions: tuple[HookifyCondition, ...]
    message: str
    has_tools: bool = False


def parse_hookify_rule(text: str, file: str) -> HookifyRule | None:
    """The rule of a file of this name; None for a text that is none."""
    found = FRONT_MATTER.match(text.replace("\r\n", "\n"))
    if found is None:
        return None
    return _make_rule(_read_lines(found["head"].splitlines()), (found["body"] or "").strip(), file)


def _read_lines(lines: Iterable[str]) -> dict[str, Any]:
    """The lines as the plugin reads them: a pattern stands there without quotes, so most are no valid YAML."""
    table: dict[str, Any] = {}
    items: list[dict[str, str]] = []
    for line in lines:
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        begins = bare.startswith("-") and line[:1].isspace() | line.startswith("-")
        key, colon, value = bare.lstrip("- ").partition(":") if begins else bare.partition(":")
        if not colon:
            continue
        if begins:
            items.append({})
        if begins or line[:1].isspace():
            if items:
                items[-1][key.strip()] = _unquote(value.strip())
        else:
            table[key.strip()] = _unquote(value.strip())
    return {**table, "conditions": items}


def _unquote(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1].replace("\\\\", "\\") if value[0] == '"' else value[1:-1]
    return value


def _make_rule(table: Mapping[str, Any], message: str, file: str) -> HookifyRule:
    event = str(table.get("event", "all"))
    conditions = [
        HookifyCondition(one.get("field", ""), one.get("operator", "regex_match"), one.get("pattern", ""))
        for one in table["conditions"]
    ]
    if not conditions and table.get("pattern"):
        conditions = [HookifyCondition(PATTERN_FIELDS.get(event, ""), "regex_match", table["pattern"])]
    return HookifyRule(
        name=str(table.get("name") or file.removeprefix("hookify.").removesuffix(".local.md")),
        event=event,
        action=str(table.get("action", "warn")),
        enabled=str(table.get("enabled", "true")).lower() != "false",
        conditions=tuple(conditions),
        message=message,
        has_tools=bool(table.get("tool_matcher")),
    )
