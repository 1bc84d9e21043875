"""A rule behind a wider one is told, and none is told of which that is not certain."""

import time
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.hooks.rules.checks import find_shadowed
from synaptic.hooks.rules.judged_call import judge_call
from synaptic.hooks.rules.shadows import RuleMeaning, covers, covers_glob
from synaptic.shell.globs import matches_glob
from tests.hooks.rules.made import make_rules, rule_tables
from tests.hooks.rules.test_index import CALLS, bash

Conditions = Mapping[str, object]

WIDER: dict[str, tuple[Conditions, Conditions]] = {
    "a program before its verb": ({"run": "git"}, {"run": "git push"}),
    "a command before one with an option": ({"run": "git push"}, {"run": "git push", "flags": "--force"}),
    "a list that holds the other": ({"run": ["npm publish", "git push"]}, {"run": ["git push origin"]}),
    "more options": ({"run": "rm", "flags": ["-r", "-f"]}, {"run": "rm", "flags": "-f"}),
    "any option": ({"flags": "--force"}, {"run": "git push", "flags": "--force"}),
    "arguments": ({"run": "rm", "args": "*.py"}, {"run": "rm", "args": "a.py"}),
    "every file": ({"edit": "**"}, {"edit": "package-lock.json"}),
    "an ending": ({"edit": "*.py"}, {"edit": "setup.py"}),
    "a folder": ({"edit": "src/**"}, {"edit": ["src/a/b.py", "src/*.ts"]}),
    "a folder in a folder": ({"edit": "src/**"}, {"edit": "src/api/**"}),
    "a folder anywhere below": ({"edit": "src/**/*.py"}, {"edit": "src/api/a.py"}),
    "braces": ({"edit": "src/*.{js,ts}"}, {"edit": "src/a.ts"}),
    "a folder that is deleted": ({"delete": "db/**"}, {"delete": "db/old/**"}),
    "one condition less": ({"edit": "src/**"}, {"edit": "src/**", "branch": "main", "agent": "claude"}),
    "tools": ({"tool": "mcp__*"}, {"tool": "mcp__github__*"}),
    "an old name of a tool": ({"tool": ["Agent", "Bash"]}, {"tool": "Task"}),
    "machines": ({"host": "*.example.com"}, {"host": "API.example.com"}),
    "branches": ({"run": "git push", "branch": "*"}, {"run": "git push", "branch": "release/*"}),
    "agents and modes": ({"agent": ["claude", "codex"]}, {"agent": "codex", "mode": "plan"}),
    "a fuller context": ({"run": "npm", "context_over": 0.5}, {"run": "npm", "context_over": 0.9}),
    "what happened": ({"run": "npm", "after": ["tests ran", "ran ls"]}, {"run": "npm", "after": "ran ls"}),
    "what did not": ({"run": "npm", "before": "tests ran"}, {"run": "npm", "before": ["tests ran", "ran ls"]}),
    "texts": ({"content": ["x+", "y"]}, {"edit": "src/**", "content": "y"}),
    "environments": ({"run": "npm", "environment": ["a", "b"]}, {"run": "npm ci", "environment": "b"}),
    "types of agents": ({"subagent": "*"}, {"subagent": "Explore", "run": "npm"}),
}
SAME: dict[str, tuple[Conditions, Conditions]] = {
    "another name of the verb": ({"run": "npm install"}, {"run": "npm i"}),
    "a path of the program": ({"run": "npm"}, {"run": "/usr/bin/npm"}),
}
NOT_WIDER: dict[str, tuple[Conditions, Conditions]] = {
    "a verb before its program": ({"run": "git push"}, {"run": "git"}),
    "another verb": ({"run": "git push"}, {"run": "git pull"}),
    "an option before none": ({"run": "git push", "flags": "--force"}, {"run": "git push"}),
    "another option": ({"run": "git push", "flags": "-f"}, {"run": "git push", "flags": "--all"}),
    "one item of two": ({"run": "git push"}, {"run": ["git push", "npm publish"]}),
    "a script of the same name elsewhere": ({"run": "./deploy.sh"}, {"run": "tools/deploy.sh"}),
    "what `run` and `args` say of two commands": ({"args": "x"}, {"run": "git"}),
    "a file before its folder": ({"edit": "src/a.py"}, {"edit": "src/**"}),
    "one level": ({"edit": "src/*.py"}, {"edit": "src/**/*.py"}),
    "another kind": ({"edit": "**"}, {"delete": "**"}),
    "a name, where a whole folder may be named": ({"edit": "*.py"}, {"edit": "src/a.py"}),
    "a file that goes with its folder": ({"delete": "*.sql"}, {"delete": "db/a.sql"}),
    "another place": ({"edit": "/etc/**"}, {"edit": "etc/**"}),
    "two patterns": ({"edit": "a*c"}, {"edit": "ab*c"}),
    "the branch of a command and of the agent": ({"branch": "main"}, {"run": "git push", "branch": "main"}),
    "an expression that may be wider": ({"content": "x*"}, {"content": "x+"}),
    "sub-agents and types of them": ({"subagent": True}, {"subagent": "Explore"}),
    "since another time": (
        {"run": "ls", "before": "tests ran"},
        {"run": "ls", "before": "tests ran", "after": "ran x"},
    ),
    "more that must not have been": ({"run": "ls", "before": ["tests ran", "ran x"]}, {"run": "ls", "before": "ran x"}),
    "an environment": ({"run": "npm", "environment": "a"}, {"run": "npm"}),
    "another event": ({"run": "npm"}, {"run": "npm", "event": "PostToolUse"}),
    "a tool without a sign": ({"tool": "mcp"}, {"tool": "mcp*"}),
    "a tool with a sign inside": ({"tool": "mcp__*__a"}, {"tool": "mcp__*"}),
}


def tell(first: Conditions, second: Conditions, thens: tuple[str, str] = ("deny", "ask")) -> list[str]:
    rules = make_rules({**first, "then": thens[0]}, {**second, "then": thens[1]})
    return [one.what for one in find_shadowed(rules)]


@pytest.mark.parametrize("name", WIDER)
def test_a_rule_behind_a_wider_one_is_told(name: str) -> None:
    (told,) = tell(*WIDER[name])
    assert "rule 1 `a.r0` stands before it" in told and "as strict" in told
    assert tell(*reversed(WIDER[name])) == []


@pytest.mark.parametrize("name", SAME)
def test_the_same_in_other_words_is_told_in_either_order(name: str) -> None:
    assert tell(*SAME[name]) != []
    assert tell(*reversed(SAME[name])) != []


@pytest.mark.parametrize("name", NOT_WIDER)
def test_what_is_not_certain_is_not_told(name: str) -> None:
    assert tell(*NOT_WIDER[name], ("deny", "deny")) == []


@pytest.mark.parametrize(
    ("thens", "is_told"),
    [
        (("deny", "deny"), True),
        (("deny", "advise"), True),
        (("deny", "rewrite"), True),
        (("ask", "ask"), True),
        (("ask", "deny"), False),
        (("ask", "advise"), False),
        (("ask", "rewrite"), False),
        (("advise", "advise"), False),
        (("rewrite", "rewrite"), False),
        (("record", "record"), False),
    ],
)
def test_only_where_it_is_as_strict_and_nothing_else_is_told(thens: tuple[str, str], is_told: bool) -> None:
    words = [{"add": "-x"} if then == "rewrite" else {} for then in thens]
    assert bool(tell({"run": "npm", **words[0]}, {"run": "npm ci", **words[1]}, thens)) is is_told


def test_advice_after_the_act_is_told_beside_a_refusal() -> None:
    after = {"event": "PostToolUse"}
    assert tell({"run": "npm", **after}, {"run": "npm ci", **after}, ("deny", "advise")) == []
    assert tell({"run": "npm", **after}, {"run": "npm ci", **after}, ("deny", "deny")) != []


@settings(max_examples=150, deadline=None)
@given(rule_tables(), rule_tables(), st.booleans())
def test_no_call_is_known_of_which_it_is_not_so(first: dict[str, object], second: dict[str, object], joined: bool):
    if joined:  # two rules that nobody has made for each other hardly ever meet
        second = {**second, **{key: value for key, value in first.items() if key not in ("then", "add", "remove")}}
    earlier, later = make_rules(*({**one, "then": "deny"} for one in (_strip(first), _strip(second))))
    if not covers(RuleMeaning(earlier), RuleMeaning(later)):
        return
    for event, facts in CALLS[::3]:
        call = judge_call(event, facts)
        assert earlier.holds(call) or not later.holds(call), event.tool_input


def _strip(table: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in table.items() if key not in ("add", "remove")}


PATTERNS = ("*", "**", "a", "b", "a*", "*b", "a*b", "?", "[ab]", "*.a", "src/*", "")


@settings(max_examples=1000)
@given(st.sampled_from(PATTERNS), st.sampled_from(PATTERNS), st.text("ab./", max_size=4))
def test_a_glob_within_another_matches_nothing_else(wide: str, narrow: str, name: str) -> None:
    if covers_glob(wide, narrow) and matches_glob(name, narrow):
        assert matches_glob(name, wide)


PATH_GLOBS = ("*.sql", "db/a.sql", "db/**", "**", "db/*", "db", "db/old/", "*", "a.sql", "db/*.sql", "db/**/*.sql")
COMMANDS = (
    "rm -rf db",
    "rm db/*",
    "rm -r *",
    "rm db/a.sql",
    "rm d*/a.*",
    "find . -name '*.sql' -delete",
    "rm db/old/x",
)


@pytest.mark.parametrize("kind", ["edit", "delete"])
def test_folders_patterns_and_searches_are_within_what_covers_them(kind: str) -> None:
    lines = COMMANDS if kind == "delete" else tuple(f"sed -i s/a/b/ {one.split()[-1]}" for one in COMMANDS[:5])
    calls = [judge_call(*bash(line)) for line in lines]
    rules = make_rules(*({kind: glob, "then": "deny"} for glob in PATH_GLOBS))
    for earlier in rules:
        for later in rules:
            if covers(RuleMeaning(earlier), RuleMeaning(later)):
                wrong = [call for call in calls if later.holds(call) and not earlier.holds(call)]
                assert not wrong, (earlier.entry, later.entry)


KINDS: Mapping[str, Callable[[int], dict[str, object]]] = {
    "programs": lambda n: {"run": f"tool{n} publish"},
    "verbs of one program": lambda n: {"run": f"git verb{n}"},
    "options": lambda n: {"run": "git push", "flags": f"--option-{n}"},
    "names": lambda n: {"edit": f"file{n}.py"},
    "endings": lambda n: {"edit": f"*.ending{n}"},
    "folders": lambda n: {"edit": f"dir{n}/**"},
    "tools": lambda n: {"tool": f"mcp__{n}__*"},
    "branches": lambda n: {"branch": f"feature/{n}"},
    "many globs": lambda n: {"edit": [f"*.{n}x{m}" for m in range(20)]},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_rules_are_compared_in_no_time(kind: str) -> None:
    made = KINDS[kind]
    rules = make_rules(*(made(number) for number in range(1000)))
    started = time.process_time()
    assert find_shadowed(rules) == []
    assert time.process_time() - started < 1.0


def test_paths_of_hundreds_of_parts_cost_no_more() -> None:
    rules = make_rules(*({"edit": "**/a/" * 95 + f"**/b{number}*"} for number in range(250)))
    started = time.process_time()
    assert find_shadowed(rules) == []
    assert time.process_time() - started < 1.0
