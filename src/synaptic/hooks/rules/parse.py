"""Read the `[[rule]]` tables of a file. A rule that cannot be used is off by itself, and said so; the others hold."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from synaptic.files.toml import parse_toml
from synaptic.hooks.budget import ITEM_CHARS, LIST_ITEMS
from synaptic.hooks.declaration import DeclarationFile
from synaptic.hooks.nearest import MAX_HINTS, make_hint
from synaptic.hooks.rules.checks import find_doubts, find_shadowed
from synaptic.hooks.rules.compile import Rule, compile_rule
from synaptic.hooks.rules.entry import LIST_KEYS, RuleEntry, list_items
from synaptic.hooks.rules.problems import RuleProblem
from synaptic.hooks.shape import convert_table, list_unknown_keys
from synaptic.model.errors import DeclarationError
from synaptic.model.hook import MODES

RULE_KEY = "rule"
PROJECT_RULES_BYTES = 128 << 10
PROJECT_RULES = 1000
"""Rules of one file of a project."""
RULE_ID = re.compile(r"[a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)+")
MAX_ID = 100
MAX_TOLD = 2000
"""Characters of what is told: a repository that nobody has trusted says it to a model."""
UNPRINTABLE = re.compile(r"[^\S\n\t ]|[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
MESSAGE_KEY = re.compile(r"`(\w+)[^`]*`: ?(.*)", re.DOTALL)


class RuleDeclarations(msgspec.Struct, frozen=True):
    """The rules of one file, in its order, and what is wrong in it."""

    rules: tuple[Rule, ...] = ()
    problems: tuple[RuleProblem, ...] = ()


def parse_rules(text: bytes, place: DeclarationFile, home: str = "") -> RuleDeclarations:
    """Parse a file. Never raises: what cannot be used is a problem that says where and why."""
    if RULE_KEY.encode() not in text:
        return RuleDeclarations(problems=_tell_unknown_keys(text, place))
    try:
        table = parse_toml(text)
    except ValueError as error:
        return _refuse_file(place, f"is no valid TOML, no rule of it holds: {error}")
    entries = table.get(RULE_KEY, [])
    problems = [*_iter_unknown_keys(table, place)]
    if not isinstance(entries, list):
        return _refuse_file(place, "`rule` must be written `[[rule]]`, once for each rule")
    if place.scope == "project" and len(entries) > PROJECT_RULES:
        what = f"has {len(entries)} rules; only the first {PROJECT_RULES} hold"
        problems.append(RuleProblem(where=place.file, what=what))
        entries = entries[:PROJECT_RULES]
    rules = tuple(_iter_rules(entries, place, home, problems))
    problems += find_shadowed(rules)
    return RuleDeclarations(rules, tuple(problems))


def _iter_rules(entries: list[Any], place: DeclarationFile, home: str, problems: list[RuleProblem]) -> Iterator[Rule]:
    taken: dict[str, int] = {}
    for number, table in enumerate(entries, 1):
        name = _read_name(table)
        try:
            entry = _read_entry(table, place, taken)
            taken[entry.id] = number
            rule = compile_rule(entry, place, number, home)
            told = find_doubts(rule, len(problems))
        except (DeclarationError, ValueError) as error:
            problems.append(_make_problem(error, place, number, name))
            continue
        problems += told
        if entry.enabled and not any(one.is_off for one in told):
            yield rule


def _read_entry(table: Any, place: DeclarationFile, taken: dict[str, int]) -> RuleEntry:
    """One table as an entry. Raises DeclarationError for what is no rule."""
    entry = convert_table(table, RuleEntry, place.file)
    # Refused, not ignored: a condition that is left out makes a rule that speaks about everything.
    if unknown := list_unknown_keys(table, RuleEntry):
        raise DeclarationError(f"unknown key `{unknown[0][:80]}`", hint=make_hint(unknown[0], _list_keys()))
    if not {*MODES}.isdisjoint(list_items(entry.mode)):
        told = f"`mode`: is about permission modes; whether a rule counts is `enforcement`, one of {', '.join(MODES)}"
        raise DeclarationError(told)
    if not RULE_ID.fullmatch(entry.id) or len(entry.id) > MAX_ID:
        raise DeclarationError(f"`id`: `{entry.id[:80]}` must look like `npm.publish`")
    if entry.id in taken:
        raise DeclarationError(f"`id`: is the id of rule {taken[entry.id]} already", hint="give each its own")
    _check_sizes(table)
    for key in ("say", "instead"):
        _check_told(key, getattr(entry, key))
    return entry


def _check_told(key: str, text: str) -> None:
    """What is told goes to a model and to a terminal: it has a length, and nothing that moves a cursor."""
    if len(text) > MAX_TOLD:
        raise DeclarationError(f"`{key}`: has {len(text)} characters, more than {MAX_TOLD}")
    if UNPRINTABLE.search(text):
        raise DeclarationError(f"`{key}`: holds characters that cannot be printed")


def _list_keys() -> tuple[str, ...]:
    return RuleEntry.__struct_fields__


def _check_sizes(table: dict[str, Any]) -> None:
    for key in LIST_KEYS:
        value = table.get(key)
        items = _list_texts(value)
        if isinstance(value, list | dict) and not value:
            raise DeclarationError(f"`{key}`: is empty", hint="leave the key out, or name something")
        if len(items) > LIST_ITEMS:
            raise DeclarationError(f"`{key}`: has {len(items)} items, more than {LIST_ITEMS}")
        if any(isinstance(item, str) and not item.strip() for item in items):
            raise DeclarationError(f"`{key}`: holds an empty text")
        if key not in ("stops", "passes") and any(len(str(item)) > ITEM_CHARS for item in items):
            raise DeclarationError(f"`{key}`: holds a text of more than {ITEM_CHARS} characters")


def _list_texts(value: object) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []


def _make_problem(error: Exception, place: DeclarationFile, number: int, name: str) -> RuleProblem:
    message = error.message if isinstance(error, DeclarationError) else str(error)
    hint = error.hint if isinstance(error, DeclarationError) else ""
    found = MESSAGE_KEY.fullmatch(message)
    key, what = (found[1], found[2]) if found else ("", message)
    return RuleProblem(where=place.file, number=number, id=name, key=key, what=what, hint=hint, is_off=True)


def _read_name(table: object) -> str:
    name = table.get("id") if isinstance(table, dict) else None
    return name[:MAX_ID] if isinstance(name, str) else ""


def _refuse_file(place: DeclarationFile, what: str) -> RuleDeclarations:
    return RuleDeclarations(problems=(RuleProblem(where=place.file, what=what),))


def _tell_unknown_keys(text: bytes, place: DeclarationFile) -> tuple[RuleProblem, ...]:
    """A file without the word `rule`: nothing holds, and what else is in it is told."""
    if place.scope != "project" or not text.strip():
        return ()
    try:
        return tuple(_iter_unknown_keys(parse_toml(text), place))
    except ValueError as error:
        return _refuse_file(place, f"is no valid TOML, no rule of it holds: {error}").problems


def _iter_unknown_keys(table: dict[str, Any], place: DeclarationFile) -> Iterator[RuleProblem]:
    """The user's rules stand in a file with other settings; a project's have one of their own."""
    for key in table if place.scope == "project" else ():
        if key != RULE_KEY:
            yield RuleProblem(where=place.file, what=f"unknown key `{key[:80]}`", hint="rules are written `[[rule]]`")


__all__ = ("MAX_HINTS", "PROJECT_RULES_BYTES", "RuleDeclarations", "parse_rules")
