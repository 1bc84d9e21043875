"""A rule from what somebody has typed, or from a call that was made: its keys, an id, and examples that follow."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from synaptic.hooks.declaration import DeclarationFile
from synaptic.hooks.rules.compile import Rule
from synaptic.hooks.rules.examples import WrongExampleError, check_examples, tries_example
from synaptic.hooks.rules.parse import RuleDeclarations, parse_rules
from synaptic.hooks.rules_edit import WrittenRule, write_rule
from synaptic.hooks.rules_import.draft import make_rule_id, shorten_list
from synaptic.hooks.rules_import.path_globs import make_path_of_glob

MAX_EXAMPLES = 4
PATH_KEYS = ("edit", "write", "delete", "read")
PATTERN_SIGNS = re.compile(r"[\\^$.|?*+()\[\]{}]")
NAMING_KEYS = ("run", *PATH_KEYS, "tool", "host", "prompt", "content", "event")
"""Conditions from which an id can be made, the most telling first."""
UNKNOWN_BRANCH = "some-other-branch"

Example = str | dict[str, Any]


class RuleProof(msgspec.Struct, frozen=True):
    """What a rule would be, and what is wrong with it."""

    rule: Rule | None
    problems: tuple[str, ...]


def list_values(keys: Mapping[str, Any], key: str) -> list[Any]:
    """The values of a key that takes one or several."""
    value = keys.get(key, ())
    return list(value) if isinstance(value, list | tuple) else [value]


def make_keys(given: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that were given, one value as itself and several as a list."""
    found = {key: shorten_list(value) if isinstance(value, list) else value for key, value in given.items() if value}
    return {key: [value] if key in ("stops", "passes") and isinstance(value, str) else value
            for key, value in found.items()}  # fmt: skip


def choose_id(keys: Mapping[str, Any], taken: Collection[str]) -> str:
    """An id such as `npm.publish` that nothing has yet."""
    base = _make_id(keys)
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name


def prove_rule(keys: Mapping[str, Any], place: DeclarationFile, home: str) -> RuleProof:
    """Read the rule as the engine will, in a file of its own."""
    found: RuleDeclarations = parse_rules(write_rule(WrittenRule(keys)).encode(), place, home)
    rule = found.rules[0] if found.rules else None
    return RuleProof(rule, tuple(str(problem) for problem in found.problems))


def find_rule_faults(text: str, place: DeclarationFile, home: str) -> dict[str, str]:
    """What the engine would say about each rule of a file, by id: unusable, nothing new, examples that fail."""
    found = parse_rules(text.encode(), place, home)
    told: dict[str, list[str]] = {}
    for one in (*found.problems, *check_examples(found.rules)):
        hint = f" ({one.hint})" if one.hint else ""
        told.setdefault(one.id, []).append((f"`{one.key}`: {one.what}" if one.key else one.what) + hint)
    return {name: "; ".join(texts) for name, texts in told.items()}


def derive_examples(keys: Mapping[str, Any], rule: Rule) -> dict[str, list[Example]]:
    """Calls that the rule stops and near misses that it lets pass, as far as both follow from its conditions."""
    stops = [one for one in _iter_stopped(keys) if _speaks(rule, one) is True]
    passes = [one for one in _iter_passing(keys, stops) if _speaks(rule, one) is False]
    found = {"stops": stops[:MAX_EXAMPLES], "passes": passes[:MAX_EXAMPLES]}
    return {key: examples for key, examples in found.items() if examples}


def _make_id(keys: Mapping[str, Any]) -> str:
    for key in NAMING_KEYS:
        for value in list_values(keys, key)[:1]:
            words = str(value).split() if key == "run" else [key, str(value)]
            words += [str(flag) for flag in list_values(keys, "flags")[:1] if key == "run"]
            program = make_rule_id("x", words[0].rpartition("/")[2]).removeprefix("x.")
            return make_rule_id(program, " ".join(words[1:]) or "run")
    return "own.rule"


def _iter_stopped(keys: Mapping[str, Any]) -> Iterator[Example]:
    around = _list_circumstances(keys)
    for act in _iter_acts(keys):
        yield act["run"] if list(act) == ["run"] and not around else {**act, **around}


def _iter_acts(keys: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if runs := list_values(keys, "run"):
        args = [str(glob).replace("*", "x").replace("?", "x") for glob in list_values(keys, "args")[:1]]
        for run in runs:
            for flag in list_values(keys, "flags") or [""]:
                yield {"run": " ".join(filter(None, (run, flag, *args)))}
        return
    texts = [text for text in list_values(keys, "content") if not PATTERN_SIGNS.search(text)]
    for key in PATH_KEYS:
        for glob in list_values(keys, key):
            yield {key: make_path_of_glob(glob), **({"content": texts[0]} if texts else {})}
    if tools := list_values(keys, "tool"):
        hosts = list_values(keys, "host")
        given = {"url": f"https://{str(hosts[0]).replace('*', 'www')}/"} if hosts else {}
        yield from ({"tool": str(tool).replace("*", "x"), "input": given} for tool in tools)
    else:
        yield from ({"host": str(host).replace("*", "www")} for host in list_values(keys, "host"))
    yield from ({"prompt": text} for text in list_values(keys, "prompt") if not PATTERN_SIGNS.search(text))
    yield from ({"event": name} for name in list_values(keys, "event"))


def _list_circumstances(keys: Mapping[str, Any]) -> dict[str, Any]:
    """What must be so around the act, for the example to be about it."""
    found: dict[str, Any] = {}
    for key in ("branch", "cwd", "agent", "mode"):
        for value in list_values(keys, key)[:1]:
            found[key] = str(value).replace("**", "x").replace("*", "x")
    if phrases := list_values(keys, "after")[:1]:
        found["after"] = phrases
    return found


def _iter_passing(keys: Mapping[str, Any], stops: list[Example]) -> Iterator[Example]:
    for example in stops[:1]:
        table = {"run": example} if isinstance(example, str) else example
        text = table.get("run", "")
        if text and "'" not in text:
            yield f"echo '{text}'"
        for key in ("edit", "write", "delete"):
            if key in table:
                yield {"read": table[key]}
        if "branch" in table:
            yield {**table, "branch": UNKNOWN_BRANCH}
        if phrases := list_values(keys, "before")[:1]:
            yield {**table, "after": [*table.get("after", ()), *phrases]}
    if keys.get("flags"):
        yield from list_values(keys, "run")


def _speaks(rule: Rule, example: Example) -> bool | None:
    """Whether the rule speaks about an example; None where that cannot be tried."""
    try:
        return tries_example(rule, example)
    except WrongExampleError:
        return None
