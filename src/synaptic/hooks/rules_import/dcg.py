"""Packs and block overrides of dcg (destructive_command_guard): regular expressions over command lines."""

import re
from collections.abc import Mapping
from typing import Any

from synaptic.files.toml import parse_toml
from synaptic.hooks.document import load_yaml
from synaptic.hooks.rules_import import named_commands
from synaptic.hooks.rules_import.draft import (
    DraftedRule,
    ForeignRules,
    Leftover,
    list_tables,
    list_texts,
    make_rule_id,
)
from synaptic.hooks.rules_import.named_commands import TextReading
from synaptic.model.errors import DeclarationError

GROUP = "dcg"
SEVERITIES = {"critical": "deny", "high": "deny", "medium": "advise", "low": "record"}
MODES = {"deny": "deny", "ask": "ask", "warn": "advise", "log": "record"}
WORD = re.compile(r"[\w-]+")
IS_ALLOWED = "it allows, and rules only tighten"


def read_dcg_pack(text: str, where: str, modes: Mapping[str, str] | None = None) -> ForeignRules:
    """The rules of a pack; `modes` are those that the configuration sets for single patterns and whole packs."""
    try:
        pack = load_yaml(text.encode(), where)
    except DeclarationError as error:
        return ForeignRules(leftovers=(Leftover(where, error.message),))
    if not isinstance(pack, dict) or not isinstance(pack.get("id"), str):
        return ForeignRules(leftovers=(Leftover(where, "it is no pack: it has no `id`"),))
    if pack.get("schema_version", 1) != 1:
        return ForeignRules(leftovers=(Leftover(where, f"its schema_version is {pack['schema_version']!r}, not 1"),))
    rules: list[DraftedRule] = []
    leftovers: list[Leftover] = []
    for pattern in list_tables(pack.get("destructive_patterns")):
        name = f"{pack['id']}:{pattern.get('name', '')}"
        severity = SEVERITIES.get(str(pattern.get("severity", "high")), "deny")
        then = MODES.get((modes or {}).get(name) or (modes or {}).get(pack["id"], ""), severity)
        excepted = _find_exception(pattern, pack)
        if excepted:
            why = f"the safe pattern `{excepted}` takes something out of it, and rules only tighten"
            leftovers.append(Leftover(f"{name} ({where})", why))
            continue
        _translate_pattern(pattern, (name, then, where), rules, leftovers)
    leftovers += (
        Leftover(f"{pack['id']}:{one.get('name', '')} (safe, {where})", IS_ALLOWED)
        for one in list_tables(pack.get("safe_patterns"))
    )
    return ForeignRules(tuple(rules), tuple(leftovers))


def read_dcg_config(text: str, where: str) -> ForeignRules:
    """The block overrides of a config.toml, and what of it has to stay."""
    try:
        config = parse_toml(text)
    except ValueError as error:
        return ForeignRules(leftovers=(Leftover(where, f"it is no valid TOML: {error}"),))
    rules: list[DraftedRule] = []
    leftovers: list[Leftover] = []
    overrides = _find_table(config, "overrides")
    for number, block in enumerate(list_tables(overrides.get("block")), 1):
        told = {"description": block.get("reason"), "pattern": block.get("pattern")}
        _translate_pattern(told, (f"block {number}", "deny", where), rules, leftovers)
    leftovers += (
        Leftover(f"allow: {one.get('pattern', '') if isinstance(one, dict) else one} ({where})", IS_ALLOWED)
        for one in (*list_tables(overrides.get("allow")), *list_texts(overrides.get("allow")))
    )
    leftovers += (
        Leftover(f"pack {name} ({where})", "it is built into dcg; what our guard stops: synaptic policy list")
        for name in list_texts(_find_table(config, "packs").get("enabled"))
    )
    return ForeignRules(tuple(rules), tuple(leftovers))


def read_dcg_modes(text: str) -> dict[str, str]:
    """The modes that a config.toml sets by the name of a pack or of one of its patterns."""
    try:
        policy = _find_table(parse_toml(text), "policy")
    except ValueError:
        return {}
    both = {**_find_table(policy, "packs"), **_find_table(policy, "rules")}
    return {name: mode for name, mode in both.items() if isinstance(mode, str) and mode in MODES}


def list_dcg_packs(text: str) -> list[str]:
    """The patterns of files that a config.toml names as packs of its user's own."""
    try:
        return list_texts(_find_table(parse_toml(text), "packs").get("custom_paths"))
    except ValueError:
        return []


def _translate_pattern(
    pattern: Mapping[str, Any], named: tuple[str, str, str], rules: list[DraftedRule], leftovers: list[Leftover]
) -> None:
    name, then, where = named
    reading = _read_commands(pattern)
    leftovers += (Leftover(f"{name} ({where}): `{text}`", why) for text, why in reading.unread)
    said = [str(pattern[key]).strip() for key in ("description", "explanation") if pattern.get(key)]
    say = "\n".join(said) or f"The pattern {name} of dcg is about this."
    base = make_rule_id(GROUP, name)
    for number, table in enumerate(named_commands.group_commands(reading.commands), 1):
        examples: dict[str, Any] = {key: table.pop(key) for key in ("stops", "passes") if key in table}
        told = {} if then == "record" else {"say": say}
        keys: dict[str, Any] = {
            "id": base if number == 1 else f"{base}-{number}",
            **table,
            "then": then,
            **told,
            **examples,
        }
        rules.append(DraftedRule(keys, f"dcg, {where}: {name}"))


def _find_exception(pattern: Mapping[str, Any], pack: Mapping[str, Any]) -> str:
    """A safe pattern of the same pack that speaks of the same program: dcg asks it first."""
    programs = {one.run.split()[0] for one in _read_commands(pattern).commands}
    safe = (str(one.get("pattern", "")) for one in list_tables(pack.get("safe_patterns")))
    return next((text for text in safe if programs.intersection(WORD.findall(text))), "")


def _read_commands(pattern: Mapping[str, Any]) -> TextReading:
    programs = list_texts(pattern.get("executables"))
    return named_commands.read_pattern(str(pattern.get("pattern") or ""), programs)


def _find_table(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = table.get(key)
    return found if isinstance(found, dict) else {}
