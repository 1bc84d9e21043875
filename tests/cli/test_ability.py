"""Abilities on the command line."""

import json

import pytest

from tests.cli.conftest import User
from tests.hooks.test_knowledge import ROUTE, ROUTING


@pytest.fixture
def routed(user: User) -> User:
    user.configures('presets = ["routing"]\ntrust = "all"\n')
    user.writes(".system/registry/a.yaml", "abilities:\n  - {id: billing_regression, summary: billing regression}\n")
    return user


def test_the_pool_is_listed_and_searched(routed: User):
    assert routed.types("ability", "list", "--json").json["abilities"][0]["id"] == "billing_regression"
    found = routed.types("ability", "suggest", "run the billing regression", "--json").json["suggested_abilities"]
    assert found[0]["id"] == "billing_regression" and found[0]["confidence"] > 0.8
    assert "billing_regression" in routed.types("ability", "suggest", "billing regression").out


def test_a_command_runs_between_its_hooks(routed: User):
    """S2-084, S2-094"""
    shown = routed.runs("ability", "run", "billing_regression", "--", "sh", "-c", "echo done; exit 3")
    assert (shown.code, shown.out) == (3, "done\n")
    line = (routed.project / ".system/logs/tool_call.md").read_text()
    assert "`billing_regression` failure" in line and "done" in line
    usage = json.loads((routed.project / ".system/cache/ability_usage.json").read_text())
    assert usage["billing_regression"]["failures"] == 1


def test_a_blocked_call_does_not_run_whoever_calls(routed: User):
    """S2-069, S2-073"""
    words = ("--operation-key", "db.delete", "--environment", "production", "wipe", "--", "touch", "ran")
    shown = routed.runs("ability", "run", *words, CI="1")
    assert shown.code == 2 and "blocked_by_policy" in shown.err and "would write to production" in shown.err
    assert not (routed.project / "ran").exists()


def test_documents_and_lint(routed: User):
    """S2-092, S2-093"""
    routed.writes("ROUTING.md", ROUTING)
    routed.writes("docs/routes/quality.md", ROUTE)
    routed.writes("docs/policy.md", "x")
    words = ("execution.quality_gates", "pre_commit_checks", "--stage", "understand", "--json")
    found = routed.types("ability", "documents", *words).json["suggested_documents"]
    assert [item["path"] for item in found] == ["docs/policy.md"]
    lint = routed.types("ability", "lint", "--json")
    assert lint.code == 1 and any("docs/missing.md" in problem for problem in lint.json["problems"])
