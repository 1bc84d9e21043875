"""The hooks of an event from a Python program."""

import json
from pathlib import Path

import pytest

from synaptic.api import run_hooks
from tests.hooks.example_project import CONTEXTS, RESULTS, bring_examples


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SYNAPTIC_HOME", raising=False)
    config = tmp_path / "home/.synaptic/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('trust = "all"\npresets = ["routing"]\n')
    hooks = tmp_path / "project/.system/hooks"
    hooks.mkdir(parents=True)
    (tmp_path / "project/.git").mkdir()
    script = tmp_path / "project/echo.sh"
    script.write_text('#!/bin/sh\nprintf \'{"extra_of_mine": %s}\' "$(cat)"\n')
    script.chmod(0o755)
    definition = {"id": "echo", "event_type": "PreAbilityCall", "blocking": True}
    (hooks / "echo.yaml").write_text(json.dumps({**definition, "handler": {"kind": "script", "command": "./echo.sh"}}))
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


@pytest.mark.parametrize("blocking_only", [False, True])
def test_handlers_get_the_context_and_the_result_comes_back(project: Path, blocking_only: bool):
    """S2-030, S2-038, S2-055, S2-057"""
    result = run_hooks("PreAbilityCall", {"ability_id": "a", "mine": 1}, blocking_only)
    context = result["extra"]["echo"]["extra_of_mine"]
    assert context["ability_id"] == "a" and context["mine"] == 1
    assert context["event_type"] == "PreAbilityCall" and context["repository_root"] == str(project)
    assert context["session_id"] and context["timestamp"]


def test_a_blocked_act_has_an_error(project: Path):
    """S2-069"""
    context = {"ability_id": "a", "operation_key": "db.drop", "environment": "prod"}
    assert run_hooks("PreAbilityCall", context)["error"] == "blocked_by_policy"


@pytest.mark.parametrize("event", RESULTS)
def test_the_examples_of_a_repository_are_answered_with_their_results(project: Path, event: str):
    """S2-035, S2-060, S2-061, S2-062, S2-063, S2-064, S2-067"""
    (project.parent / "home/.synaptic/config.toml").write_text('trust = "all"\n')
    bring_examples(project)
    assert run_hooks(event, CONTEXTS[event]) == RESULTS[event]
    assert run_hooks(event, CONTEXTS[event], blocking_only=True) == {}
