"""A page per policy: its own words, its options, and examples from its cases."""

import inspect
import re
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
from tests.policies.test_cases import Case, evaluate_case, load_cases

from docs.pages.table import HEADER, code, table
from synaptic.hooks.config import list_fields
from synaptic.hooks.schema import read_field_docs
from synaptic.model.decision import Kind, Verdict
from synaptic.model.presets import PRESETS
from synaptic.policies.base import Policy, load_policies

FOLDER = "docs/reference/policies"
EXAMPLES = 8
NUMBER = re.compile(r"^(?:S\d-\w+(?:, | to )?)+:? *| *\((?:S\d-\w+(?:, | to )?)+\)$")
"""Of a requirement, at an end of a case's name: for those who read the cases."""
Row = tuple[str, str, str]
LONGEST = 70
MAY = {
    "more": "add entries",
    "fewer": "take entries away",
    "lower": "lower it",
    "on": "switch it on",
    "": "not set it",
}
"""What a project's config may do with an option, by its mark."""


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of every page, the overview first."""
    yield f"{FOLDER}/README.md", _overview()
    for policy in load_policies().values():
        yield f"{FOLDER}/{policy.id}.md", _page(policy)


def _overview() -> str:
    rows = [
        (f"[`{policy.id}`]({policy.id}.md)", policy.preset, str(policy.priority), _events(policy), _title(policy))
        for policy in load_policies().values()
    ]
    presets = ", ".join(code(name) for name in PRESETS)
    return (
        f"{HEADER}# Policies\n\nBuilt-in hooks, each in one file. A policy is on when its preset is on, or when it is "
        f"enabled by name.\nPresets: {presets}; `essentials` is on by default and `strict` is every policy.\n\n"
        + table(("policy", "preset", "priority", "events", "about"), rows)
    )


def _page(policy: type[Policy]) -> str:
    doc = (inspect.getdoc(policy) or "").replace("\n## ", "\n\n## ").replace("\n\n\n", "\n\n")
    facts = [
        ("preset", code(policy.preset)),
        ("priority", str(policy.priority)),
        ("events", _events(policy)),
        ("tools", ", ".join(map(code, policy.tools)) or "every tool"),
        ("when it fails", "the act is denied" if policy.on_error == "deny" else "the act goes on, with a warning"),
        ("after a rewrite", "looks again" if policy.recheck else "does not look again"),
    ]
    switch = f'```toml\n[policies."{policy.id}"]\nenabled = true\n```\n'
    return (
        f"{HEADER}# {policy.id}\n\n{doc}\n\n## Facts\n\n{table(('', ''), facts)}\n"
        f"## Options\n\n{switch}\n{_options(policy)}\n## Examples\n\n{_examples(policy)}"
    )


def _options(policy: type[Policy]) -> str:
    words, plain = read_field_docs(policy), policy()
    rows = [
        (code(name), code(_default(getattr(plain, name))), words.get(name, ""), f"may {MAY[_mark(hint)]}")
        for name, hint in list_fields(policy).items()
    ]
    if not rows:
        return "It has none but `enabled`.\n"
    return table(("option", "default", "meaning", "a project's config"), rows)


def _examples(policy: type[Policy]) -> str:
    known = [(_example(case, verdict := evaluate_case(policy, case)), verdict) for case in load_cases(policy)]
    fires = _varied([row for row, verdict in known if verdict is not None])
    quiet = [row for row, verdict in known if verdict is None][:EXAMPLES]
    return table(("case", "call", "outcome"), [*fires, *quiet])


def _varied(rows: list[Row]) -> list[Row]:
    """The first of each outcome, filled up with what comes next, in the order of the case file."""
    firsts = list({row[2]: row for row in reversed(rows)}.values())
    others = [row for row in rows if row not in firsts]
    kept = [*firsts, *others[: max(0, EXAMPLES - len(firsts))]]
    return [row for row in rows if row in kept]


def _example(case: Case, verdict: Verdict | None) -> Row:
    call = case.bash if case.bash is not None else _call(case)
    shown = call if len(call) <= LONGEST else f"{call[:LONGEST]}…"
    return NUMBER.sub("", case.name), code(shown), _outcome(verdict)


def _outcome(verdict: Verdict | None) -> str:
    if verdict is None:
        return "no opinion"
    if verdict.errand is not None:
        return "runs a program, then answers"
    return "noted, nothing said" if verdict.kind is Kind.NONE else str(verdict.kind)


def _call(case: Case) -> str:
    body = msgspec.json.encode(case.input or case.payload).decode()
    return f"{case.tool or case.event} {body}"


def _mark(hint: Any) -> str:
    extras = (item.extra for item in get_args(hint) if isinstance(item, msgspec.Meta) and item.extra)
    return next((str(extra["project"]) for extra in extras if "project" in extra), "")


def _default(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _events(policy: type[Policy]) -> str:
    return ", ".join(event.__name__ for event in policy.events)


def _title(policy: type[Policy]) -> str:
    return (inspect.getdoc(policy) or "").partition("\n")[0]
