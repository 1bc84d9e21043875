"""An orchestrator's whole way on the command line: a request, a hint, a check in the registry, a call, its record."""

import json

import pytest

from tests.cli.conftest import User
from tests.hooks.example_project import read_contexts, write_handler

REGISTRY = """\
abilities:
  - {id: billing_regression, kind: workflow, summary: Run the full regression suite for billing}
  - {id: signup_e2e, kind: workflow, summary: Test the signup flow end-to-end}
"""
TASK = ".system/implement/task-123/tool_call.md"


@pytest.fixture
def routed(user: User) -> User:
    user.configures('presets = ["routing"]\ntrust = "all"\n')
    user.writes(".system/registry/a.yaml", REGISTRY)
    return user


@pytest.mark.parametrize(
    ("request_text", "ability"),
    [
        ("Run the full billing regression tests for me", "billing_regression"),
        ("Please test the signup flow end-to-end", "signup_e2e"),
    ],
)
def test_from_a_request_to_the_record_of_its_call(routed: User, request_text: str, ability: str):
    """S2-080, S2-081, S2-084, S2-094, S2-100"""
    told = routed.runs("emit", "UserPromptSubmit", stdin=json.dumps({"user_message": request_text})).json
    (hint,) = told["suggested_abilities"]
    assert hint["id"] == ability and hint["reason"] and 0.5 < hint["confidence"] <= 1
    assert ability in told["messages_to_user"][0]
    assert ability in [one["id"] for one in routed.types("ability", "list", "--json").json["abilities"]]
    assert not (routed.project / ".system/logs/tool_call.md").exists()
    done = routed.runs("ability", "run", "--tool-call-path", TASK, ability, "--", "echo", "all 42 passed")
    assert (done.code, done.out) == (0, "all 42 passed\n")
    for path in (".system/logs/tool_call.md", TASK):
        (line,) = (routed.project / path).read_text().splitlines()
        assert f"`{ability}` success" in line and "all 42 passed" in line
    usage = json.loads((routed.project / ".system/cache/ability_usage.json").read_text())
    assert {name: one["count"] for name, one in usage.items()} == {ability: 1}


@pytest.mark.parametrize(("blocking", "runs"), [(True, False), (False, True)])
def test_a_hook_that_fails_before_a_call_stops_it_only_when_it_blocks(routed: User, blocking: bool, runs: bool):
    """S2-031, S2-032"""
    routed.writes("scripts/broken.sh", "#!/bin/sh\nexit 1\n", 0o755)
    table = {"id": "broken", "event_type": "PreAbilityCall", "blocking": blocking}
    handler = {"kind": "script", "command": "./scripts/broken.sh"}
    routed.writes(".system/hooks/broken.yaml", json.dumps({**table, "handler": handler}))
    done = routed.runs("ability", "run", "billing_regression", "--", "touch", "ran")
    assert (routed.project / "ran").exists() is runs
    assert (done.code == 0) is runs and "broken" in done.err


def test_a_megabyte_of_output_is_a_summary_for_the_hooks(routed: User):
    """S2-056: the person sees all of it, a handler and the log its beginning."""
    write_handler(routed.project, "after", {})
    handler = {"kind": "script", "command": "./scripts/hooks/after.sh"}
    table = {"id": "after", "event_type": "PostAbilityCall", "handler": handler, "timeout": 60}
    routed.writes(".system/hooks/after.yaml", json.dumps(table))
    loud = "head -c 1000000 /dev/zero | tr '\\0' x"
    assert len(routed.runs("ability", "run", "billing_regression", "--", "sh", "-c", loud).out) == 1_000_000
    (context,) = read_contexts(routed.project, "after")
    assert context["output_summary"].startswith("xxx") and len(json.dumps(context)) < 16_000
    assert len((routed.project / ".system/logs/tool_call.md").read_text()) < 16_000
