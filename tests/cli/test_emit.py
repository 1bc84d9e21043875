"""Events of an orchestrator on the command line."""

import json

import pytest

from tests.cli.conftest import User
from tests.hooks.example_project import CONTEXTS, RESULTS, bring_examples

BILLING = json.dumps({"user_message": "I need to run the full billing regression tests"})


@pytest.fixture
def routed(user: User) -> User:
    user.configures('presets = ["routing"]\ntrust = "all"\n')
    user.writes(".system/registry/a.yaml", "abilities:\n  - {id: billing_regression, summary: billing regression}\n")
    return user


def test_a_context_goes_in_and_the_merged_result_comes_out(routed: User):
    """S2-030, S2-080"""
    shown = routed.runs("emit", "UserPromptSubmit", stdin=BILLING)
    assert shown.code == 0
    assert shown.json["suggested_abilities"][0]["id"] == "billing_regression"


def test_an_event_without_hooks_is_nothing_special(user: User):
    """S2-034"""
    shown = user.runs("emit", "PreAbilityCall", stdin='{"ability_id": "a"}')
    assert (shown.code, shown.json, shown.err) == (0, {}, "")


def test_a_blocked_event_is_exit_code_2(routed: User):
    """S2-069"""
    context = {"ability_id": "a", "operation_key": "db.delete", "environment": "prod"}
    shown = routed.runs("emit", "PreAbilityCall", stdin=json.dumps(context))
    assert shown.code == 2 and shown.json["error"] == "blocked_by_policy"


def test_a_wrong_context_is_told_and_refused_when_asked(routed: User):
    """S2-053"""
    wrong = json.dumps({"ability_id": "a", "status": "ok"})
    tolerant = routed.runs("emit", "PostAbilityCall", stdin=wrong)
    assert tolerant.code == 0 and "status" in tolerant.err
    strict = routed.runs("emit", "PostAbilityCall", "--strict", stdin=wrong)
    assert strict.code == 1 and "status" in strict.err
    assert "no JSON object" in routed.runs("emit", "SessionStop", stdin="[1]").err
    assert "did you mean `SessionStop`" in routed.runs("emit", "SesionStop", stdin="").err


def test_the_daemon_answers_the_same(routed: User):
    routed.types("daemon", "start")
    shown = routed.runs("emit", "UserPromptSubmit", "--blocking-only", stdin=BILLING)
    assert shown.json["suggested_abilities"][0]["id"] == "billing_regression"


def test_the_examples_of_a_repository_are_printed_with_their_results(user: User):
    """S2-035, S2-060, S2-061, S2-062, S2-063, S2-064, S2-067, S2-094: without a daemon, then with one."""
    user.configures('trust = "all"\n')
    bring_examples(user.project)
    for event in RESULTS:
        check_example(user, event)
    user.types("daemon", "start")
    for event in ("PostAbilityCall", "SessionStop"):
        check_example(user, event)
    waiting = user.types("follow-ups", "list", "--json").json
    assert "services/billing/src/invoice.ts" in json.dumps(waiting)


def check_example(user: User, event: str) -> None:
    shown = user.runs("emit", event, stdin=json.dumps(CONTEXTS[event]))
    assert (shown.code, shown.err) == (0, "")
    assert shown.json == RESULTS[event]
