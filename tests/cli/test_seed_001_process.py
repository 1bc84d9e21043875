"""The sane process at the command line: its four hooks, its tests of itself, its settings."""

import json
from collections import Counter

import pytest

from synaptic.policies.base import Policy, load_policies
from synaptic.policies.cases import load_cases
from synaptic.policies.sane.edit_after_failures import EditAfterFailures
from synaptic.policies.sane.prompt_commands import PromptCommands
from synaptic.policies.sane.safemode_edit import SafemodeEdit
from synaptic.policies.sane.unsummarised_stop import UnsummarisedStop
from tests.cli.conftest import User

FOUR = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
SETTINGS = {
    '"sane.edit-after-failures".threshold': (3, "2"),
    '"sane.oversized-file".warning': (500, "40"),
    '"sane.oversized-file".limit': (800, "50"),
    '"sane.system-path".folders': (
        ["/etc", "/var", "/usr", "/bin", "/sbin", "/System", "/Library"],
        '["/etc", "/opt"]',
    ),
}


def test_the_four_hooks_are_registered_with_the_agent_and_listed(user: User):
    """S1-001"""
    user.configures('presets = ["sane"]\n')
    assert user.types("bootstrap").code == 0
    entries = json.loads(user.settings.read_text())["hooks"]
    for event in FOUR:
        ((hook,),) = [group["hooks"] for group in entries[event]]
        assert (hook["command"], hook["args"][0]) == (str(user.home.dispatch), event)
        listed = [hook["id"] for hook in user.types("list", "--event", event, "--json").json["hooks"]]
        assert any(name.startswith("sane.") for name in listed), event


def test_the_process_has_at_least_the_tests_it_was_described_with(user: User):
    """S1-005: 26 for prompts, 11 before tools, 8 after them, 4 at a stop; all pass and are counted."""
    ours = {name: policy for name, policy in load_policies().items() if name.startswith("sane.")}
    events = Counter(case.event for policy in ours.values() for case in load_cases(policy))
    assert [events[event] >= least for event, least in zip(FOUR, (26, 11, 8, 4), strict=True)] == [True] * 4
    for name, policy in ours.items():
        shown = user.types("self-test", name)
        assert (shown.code, f"{len(load_cases(policy))} cases passed, 0 failed" in shown.out) == (0, True), name


@pytest.mark.parametrize("policy", [PromptCommands, SafemodeEdit, EditAfterFailures, UnsummarisedStop])
def test_a_broken_rule_of_each_of_the_four_is_found(user: User, monkeypatch: pytest.MonkeyPatch, policy: type[Policy]):
    """S1-005"""
    monkeypatch.setattr(policy, "check", lambda self, event, facts: None)
    shown = user.types("self-test", policy.id)
    assert shown.code == 1
    assert f"{policy.id}: " in shown.out


def read_option(user: User, key: str) -> object:
    name, _, option = key.rpartition(".")
    shown = user.types("policy", "show", name.strip('"'), "--json").json
    return next(one["value"] for one in shown["options"] if one["name"] == option)


def test_every_number_and_path_of_the_process_is_set_in_one_file(user: User):
    """S1-005, S1-007: with the known defaults, and the file tests itself."""
    user.configures('presets = ["sane"]\n')
    for key, (default, value) in SETTINGS.items():
        assert read_option(user, key) == default
        assert user.types("config", "set", f"policies.{key}", value).code == 0
        assert read_option(user, key) == json.loads(value)
    assert user.types("config", "validate").code == 0
    user.home.config.write_text(user.home.config.read_text().replace("threshold = 2", 'threshold = "two"'))
    broken = user.types("config", "validate")
    assert broken.code == 1
    assert "threshold" in broken.out + broken.err
