"""The three example hooks of a repository on the command line: how they are registered, and why one does not run."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import User
from tests.hooks.example_project import EXAMPLES, write_file, write_handler
from tests.hooks.test_registration import EXAMPLE

NAMES = ("skill_activation_prompt", "post_tool_use_tracker", "session_stop_build_check")
BUILD = ".system/hooks/session_stop_build_check.yaml"
TRACKER = ".system/hooks/post_tool_use_tracker.yaml"
SCRIPT = "scripts/hooks/post_tool_use_tracker.sh"


@pytest.fixture
def repository(user: User, monkeypatch: pytest.MonkeyPatch) -> User:
    """The files as they are in the text, the build check also on in `dev`; the user has agreed to all of it."""
    monkeypatch.setenv("PATH", f"{user.home.bin}:/usr/bin:/bin")
    for name in NAMES:
        write_file(user.project / f".system/hooks/{name}.yaml", (EXAMPLES / f"{name}.yaml").read_text())
        write_handler(user.project, name, {})
    with (user.project / BUILD).open("a") as file:
        file.write("environments: [dev]\n")
    user.types("trust", "--yes")
    return user


def test_registration_prints_the_example_byte_for_byte(repository: User, monkeypatch: pytest.MonkeyPatch):
    """S2-001, S2-002, S2-021, S2-022, S2-023: in `dev` all three, elsewhere the two that are enabled."""
    assert list(repository.types("hook", "register").json) == ["UserPromptSubmit", "PostAbilityCall"]
    monkeypatch.setenv("SYNAPTIC_ENV", "dev")
    shown = repository.types("hook", "register")
    assert (shown.out, shown.err, shown.code) == (f"{EXAMPLE}\n", "", 0)


def replace(file: str, old: str, new: str) -> Callable[[Path], object]:
    return lambda project: (project / file).write_text((project / file).read_text().replace(old, new))


FAULTS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "disabled": (replace(TRACKER, "enabled: true", "enabled: false"), "`enabled: false`", "post_tool_use_tracker"),
    "no YAML": (replace(TRACKER, "id: post", "id: [post"), "no valid YAML", TRACKER),
    "unknown event": (replace(TRACKER, "PostAbilityCall", "PostAbilityCal"), "did you mean", TRACKER),
    "not executable": (lambda project: (project / SCRIPT).chmod(0o644), "is not executable", "chmod +x"),
    "missing": (lambda project: (project / SCRIPT).unlink(), "is missing", "post_tool_use_tracker"),
    "changed": (lambda project: (project / SCRIPT).write_text("#!/bin/sh\n"), "not trusted", "synaptic trust"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_hook_that_does_not_run_is_explained(repository: User, fault: str):
    """S2-101, S2-102: enabled, in the registration, executable; a build check that is off is named and no fault."""
    repository.types("up")
    sound = repository.types("doctor", "--json").json
    assert sound["ok"] and any("session_stop_build_check" in json.dumps(one) for one in sound["findings"])
    do, *words = FAULTS[fault]
    do(repository.project)
    found = repository.types("doctor", "--json").json["findings"]
    told = [f"{one['check']}: {one['seen']} | {one['fix']}" for one in found if one["state"] != "ok"]
    assert any(all(word in line for word in words) for line in told), told


def test_settings_that_never_call_the_registration_are_explained(repository: User):
    """S2-101: called at startup"""
    repository.types("up")
    repository.settings.write_text("{}")
    found = repository.types("doctor", "--json").json["findings"]
    assert any("no entry for" in one["seen"] and "synaptic bootstrap" in one["fix"] for one in found)
