import re

import pytest

from synaptic.hooks.select import HookIndex, compile_glob, compile_matcher, matches_call
from synaptic.model.event import SessionStop
from synaptic.model.hook import Match
from tests.pipeline.chains import call, hook


@pytest.mark.parametrize(
    ("text", "subject", "matches"),
    [
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("Bash", "bash", False),
        (".*", "BashOutput", True),
        ("", "Anything", True),
        ("*", "Anything", True),
        ("mcp__filesystem__.*", "mcp__filesystem__write", True),
        ("mcp__filesystem__.*", "Bash", False),
        ("Write|Edit", "Edit", True),
        ("Write|Edit", "MultiEdit", False),
        ("Write, Edit", "Edit", True),
        ("B.*", "ABash", False),
        ("Task", "Agent", True),
    ],
)
def test_matcher_is_a_full_match_of_names_or_a_regular_expression(text: str, subject: str, matches: bool) -> None:
    """S0-023, S0-024, S4-043"""
    assert compile_matcher(text)(subject) is matches


def test_an_invalid_matcher_is_an_error_for_the_registry_to_catch() -> None:
    """S0-025"""
    with pytest.raises(re.error):
        compile_matcher("(")


def test_hooks_come_in_ascending_priority_and_equal_ones_in_source_order() -> None:
    """S0-026, S0-027, S0-069"""
    hooks = [hook("b", 20, order=3), hook("a", 10, order=2), hook("c", 50, order=1), hook("d", 10, order=1)]
    assert [one.id for one in HookIndex(hooks).select(call()).hooks] == ["d", "a", "b", "c"]


def test_any_integer_is_a_priority() -> None:
    """S0-069"""
    assert [one.id for one in HookIndex([hook("late", 200), hook("first", 0)]).select(call()).hooks] == [
        "first",
        "late",
    ]


def test_only_hooks_of_the_event_are_selected() -> None:
    """S0-020, S0-023"""
    hooks = [hook("pre"), hook("post", events=("PostToolUse",)), hook("both", events=("PreToolUse", "PostToolUse"))]
    assert [one.id for one in HookIndex(hooks).select(call("PostToolUse")).hooks] == ["both", "post"]


def test_a_matcher_is_ignored_where_the_event_has_no_subject() -> None:
    assert HookIndex([hook("stop", events=("Stop",), matcher="Bash")]).select(call("Stop")).hooks


def test_a_matcher_of_session_start_looks_at_its_source() -> None:
    """S4-043"""
    index = HookIndex([hook("start", events=("SessionStart",), matcher="startup|resume")])
    assert index.select(call("SessionStart", source="resume")).hooks
    assert not index.select(call("SessionStart", source="clear")).hooks


@pytest.mark.parametrize(
    ("match", "fields", "expected"),
    [
        (Match(), {}, True),
        (Match(ability_scope=("*",)), {}, True),
        (Match(ability_scope=("billing_*",)), {}, True),
        (Match(ability_scope=("code_review_agent",)), {}, False),
        (Match(ability_scope=("x", "billing_regression")), {}, True),
        (Match(min_duration_ms=100), {"duration_ms": 99}, False),
        (Match(min_duration_ms=100), {"duration_ms": 100}, True),
        (Match(min_duration_ms=100), {"duration_ms": 101}, True),
        (Match(min_duration_ms=100), {}, False),
        (Match(min_duration_ms=0), {}, True),
        (Match(operation_key=("workflow.*",)), {"operation_key": "workflow.billing.regression"}, True),
        (Match(operation_key=("agent.*",)), {"operation_key": "workflow.billing.regression"}, False),
        (Match(ability_scope=("billing_*",), min_duration_ms=5), {"duration_ms": 1}, False),
    ],
)
def test_all_conditions_that_are_present_must_hold(match: Match, fields: dict[str, object], expected: bool) -> None:
    """S2-006, S2-007, S2-008, S2-009, S2-011, S2-012"""
    about = call("PostAbilityCall", ability_id="billing_regression", **fields)
    assert matches_call(match, about) is expected


@pytest.mark.parametrize(
    ("changed", "expected"),
    [(("services/billing/src/a.ts",), True), (("/p/services/a.ts",), True), (("docs/a.md",), False), ((), False)],
)
def test_changed_paths_are_globs_that_cross_directories(changed: tuple[str, ...], expected: bool) -> None:
    """S2-010"""
    about = call("SessionStop", changed_files=changed)
    assert isinstance(about.event, SessionStop)
    assert matches_call(Match(only_if_changed_paths=("services/**", "apps/**")), about) is expected


def test_file_patterns_look_at_the_paths_a_tool_names() -> None:
    """S2-011"""
    about = call("PreToolUse", tool_name="Write", tool_input={"file_path": "/p/src/a.py"})
    assert matches_call(Match(file_patterns=("src/*.py",)), about)
    assert not matches_call(Match(file_patterns=("*.py",)), about)


def test_a_star_stays_inside_one_name() -> None:
    assert not compile_glob("a/*.ts").fullmatch("a/b/c.ts")
    assert compile_glob("a/**/c.ts").fullmatch("a/c.ts")
    assert compile_glob("a?.[ch]").fullmatch("ab.c")
    assert not compile_glob("[!a].c").fullmatch("a.c")
    assert compile_glob("[z-a]").fullmatch("[z-a]")


def test_selection_is_remembered_per_event_and_subject() -> None:
    index = HookIndex([hook(f"h{number}", matcher=f"Tool{number}") for number in range(1000)])
    assert [one.id for one in index.select(call("PreToolUse", tool_name="Tool7")).hooks] == ["h7"]
    about = call("PreToolUse", tool_name="Tool7")
    assert index.select(about) is index.select(about)
