"""Custom rules of cc-safety-net: rulebooks, and the two inline files that came before them."""

from collections.abc import Iterator, Mapping
from typing import Any

from synaptic.hooks.rules_import import named_commands
from synaptic.hooks.rules_import.draft import (
    DraftedRule,
    ForeignRules,
    Leftover,
    list_tables,
    list_texts,
    make_rule_id,
    read_json_object,
    shorten_list,
)
from synaptic.hooks.rules_import.named_commands import MAX_EXAMPLES, OPTION

GROUP = "safety-net"
GLOB_SIGNS = str.maketrans({"*": "[*]", "?": "[?]", "[": "[[]"})
BOOK_KEY = "rulebook_version"
KNOWN_VERSIONS = {"version": (1,), BOOK_KEY: (1, 2)}


def read_safety_net_file(text: str, where: str, overrides: Mapping[str, Any] | None = None) -> ForeignRules:
    """The rules of a rulebook or of an inline file; `overrides` are those of the rule.json that lists the book."""
    table = read_json_object(text)
    if table is None:
        return ForeignRules(leftovers=(Leftover(where, "it is no JSON object"),))
    key = BOOK_KEY if BOOK_KEY in table else "version"
    if table.get(key) not in KNOWN_VERSIONS[key]:
        return ForeignRules(leftovers=(Leftover(where, f"its `{key}` is {table.get(key)!r}, which is not known here"),))
    found = list(_iter_rules(table, where, overrides or {}))
    rules = tuple(one for one in found if isinstance(one, DraftedRule))
    return ForeignRules(rules, tuple(one for one in found if isinstance(one, Leftover)))


def list_rulebooks(text: str, where: str) -> tuple[list[str], Mapping[str, Any], tuple[Leftover, ...]] | None:
    """The local rulebooks that a rule.json lists, its overrides and what has to stay; None where the text is none."""
    table = read_json_object(text)
    names = table.get("rules", []) if table is not None and BOOK_KEY not in table else None
    if table is None or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    if not names and not table.keys() & {"overrides", "transparent_wrappers"}:
        return None
    overrides = table.get("overrides")
    wrappers = [
        Leftover(f"{where}: transparent_wrappers", "which programs start others is in the book of programs")
        for _ in list_texts(table.get("transparent_wrappers"))[:1]
    ]
    return [name.rpartition("/")[2] for name in names], overrides if isinstance(overrides, dict) else {}, (*wrappers,)


def _iter_rules(table: dict[str, Any], where: str, overrides: Mapping[str, Any]) -> Iterator[DraftedRule | Leftover]:
    rules = table.get("rules", [])
    for number, rule in enumerate(rules if isinstance(rules, list) else [rules], 1):
        name = str(rule.get("name", f"rule {number}")) if isinstance(rule, dict) else f"rule {number}"
        try:
            yield from _translate_rule(rule, table, (where, overrides.get(f"{table.get('name', '')}/{name}")))
        except (TypeError, KeyError, AttributeError):
            yield Leftover(f"{name} ({where})", "it is no rule: `name`, `command`, what it blocks and `reason`")
        except ValueError as error:
            yield Leftover(f"{name} ({where})", str(error))


def _translate_rule(rule: dict[str, Any], table: dict[str, Any], place: tuple[str, Any]) -> list[DraftedRule]:
    where, override = place
    name, command, reason = (_require_text(rule, key) for key in ("name", "command", "reason"))
    path, words = _read_match(rule)
    said = override.get("reason", reason) if isinstance(override, dict) else reason
    ending = {"then": "deny", "say": said, **({"enabled": False} if override == "off" else {})}
    run = " ".join([command, *path])
    options = [word for word in words if OPTION.fullmatch(word)]
    others = [word for word in words if word not in options]
    conditions: list[dict[str, Any]] = []
    # Any of them is enough, and the conditions of one rule must all hold: so options and words are two rules.
    if options:
        conditions.append({"flags": shorten_list(options)})
    if others:
        conditions.append({"args": shorten_list(word.translate(GLOB_SIGNS) for word in others)})
    base = make_rule_id(GROUP, name)
    found = []
    for number, condition in enumerate(conditions or [{}]):
        examples = _make_examples(run, (options, others)[number] if len(conditions) > 1 else words, (name, table))
        keys = {"id": base if not number else f"{base}-words", "run": run, **condition, **ending, **examples}
        found.append(DraftedRule(keys, f"cc-safety-net, {where}: {name}"))
    return found


def _require_text(rule: dict[str, Any], key: str) -> str:
    if not isinstance(rule[key], str) or not rule[key]:
        raise TypeError(key)
    return str(rule[key])


def _read_match(rule: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The words behind the program, and the arguments of which one must be there."""
    match = rule.get("match")
    if match is None:
        path, words = [rule["subcommand"]] if rule.get("subcommand") else [], rule["block_args"]
    elif match.get("exclude_args"):
        raise ValueError("`exclude_args` says what must not be there, and rules say what is")
    else:
        path, words = match["command_path"], match.get("any_args") or []
    if len(list_texts(path)) != len(path) or len(list_texts(words)) != len(words):
        raise TypeError("words")
    return list(path), list(words)


def _make_examples(run: str, words: list[str], fixtures: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """The source's own fixtures, where it has some; else what follows from the rule."""
    name, table = fixtures
    tests = [one for one in list_tables(table.get("tests")) if isinstance(one.get("command"), str)]
    stops = [one["command"] for one in tests if one.get("expect") == "blocked" and one.get("rule") == name]
    stops = [text for text in stops if not words or any(word in text.split() for word in words)]
    program = run.split()[0]
    passes = [one["command"] for one in tests if one.get("expect") == "allowed" and program in one["command"].split()]
    followed = [f"{run} {word}" for word in words] or [run]
    found = named_commands.make_text_examples(stops or followed)
    return {**found, "passes": list(dict.fromkeys([*found.get("passes", ()), *passes]))[:MAX_EXAMPLES]}
