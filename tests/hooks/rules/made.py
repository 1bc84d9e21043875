"""Rules for tests: written by hand, or any that Hypothesis thinks of."""

import json
from collections.abc import Mapping

from hypothesis import strategies as st

from synaptic.hooks.declaration import DeclarationFile
from synaptic.hooks.rules.compile import Rule
from synaptic.hooks.rules.parse import RuleDeclarations, parse_rules

ROOT = "/home/dev/app"
PLACE = DeclarationFile(f"{ROOT}/.synaptic/rules.toml", "project", ROOT)
RUNS = ("git push", "npm", "rm", "git", "git commit", "curl", "docker run", "python", "./deploy.sh", "kubectl delete")
GLOBS = (
    "*.py",
    "src/**",
    "**",
    "package-lock.json",
    "*",
    "docs/*.md",
    "~/.ssh/**",
    "/etc/**",
    ".env",
    "a/b/c",
    "dist/",
)
VALUES: Mapping[str, tuple[object, ...]] = {
    "run": RUNS,
    "flags": ("--force", "-f", "-r", "--all"),
    "args": ("*", "origin", "--*", "*/*"),
    "tool": ("Bash", "Edit", "Write", "mcp__*", "*"),
    "edit": GLOBS,
    "write": GLOBS,
    "delete": GLOBS,
    "read": GLOBS,
    "host": ("*.example.com", "*", "github.com", "10.*"),
    "branch": ("main", "*"),
    "cwd": ("**", "src", "~/**"),
    "content": ("x+", "import \\w+", "(?i)token"),
    "agent": ("claude", "codex"),
    "mode": ("default", "plan"),
    "after": ("tests ran", "edited **", "ran git push"),
    "before": ("tests ran", "read docs/**"),
}


def parse(text: str, scope: str = "project") -> RuleDeclarations:
    place = DeclarationFile(PLACE.file, "user" if scope == "user" else "project", ROOT)
    return parse_rules(text.encode(), place, "/home/dev")


def write_rules(tables: list[dict[str, object]]) -> str:
    """Rules as TOML."""
    return "\n".join(f"[[rule]]\n{_write_table(table)}\n" for table in tables)


def make_rules(*tables: dict[str, object]) -> tuple[Rule, ...]:
    found = parse(write_rules([{"then": "deny", "say": "No.", "id": f"a.r{n}", **one} for n, one in enumerate(tables)]))
    assert [one for one in found.problems if one.is_off] == []
    return found.rules


def _write_table(table: dict[str, object]) -> str:
    return "\n".join(f"{key} = {_write_value(value)}" for key, value in table.items())


def _write_value(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_write_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_write_value, value)) + "]"
    return json.dumps(value)


@st.composite
def rule_tables(draw: st.DrawFn) -> dict[str, object]:
    """One rule with one to three conditions."""
    keys = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=3, unique=True))
    table: dict[str, object] = {"then": draw(st.sampled_from(("deny", "ask", "advise", "remind", "record", "rewrite")))}
    for key in keys:
        table[key] = draw(st.lists(st.sampled_from(VALUES[key]), min_size=1, max_size=2, unique=True))
    table["say"] = "No."
    if table["then"] == "rewrite":
        table["run"] = draw(st.sampled_from(RUNS))
        table["add"] = draw(st.sampled_from(("--dry-run", "-v", "x")))
        table["remove"] = draw(st.sampled_from(("--force", "-f", "-rf", "origin")))
    return table


@st.composite
def rule_files(draw: st.DrawFn) -> str:
    """A file of up to five rules."""
    tables = draw(st.lists(rule_tables(), min_size=1, max_size=5))
    return write_rules([{"id": f"a.r{number}", **table} for number, table in enumerate(tables)])
