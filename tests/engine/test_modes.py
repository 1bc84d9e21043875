"""Modes through a whole engine: real policies, a real project, the answer as the agent gets it."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synaptic.engine.shadow_queue import ShadowQueue
from synaptic.hooks.config import is_always_enforced
from synaptic.model.grant import NEVER_LIFTED
from synaptic.policies.base import load_policies
from synaptic.shell.globs import matches_glob
from tests.daemon.setting import Setting, output, specific
from tests.engine.calls import sample_calls
from tests.lib.shell import git

PUSH = {"tool_input": {"command": "git push -f origin main"}}


@pytest.fixture
def setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setting:
    monkeypatch.setattr(ShadowQueue, "_start_worker", lambda self: None)
    found = Setting(tmp_path)
    git(found.project, "init", "-q")
    return found


def set_modes(setting: Setting, mode: str, presets: str = '"essentials"') -> None:
    setting.config(f'trust = "all"\npresets = [{presets}]\n[modes]\n"@strict" = "{mode}"\n')


def test_advice_reaches_the_model_and_the_person(setting: Setting) -> None:
    setting.config('trust = "all"\n[policies."git.force-push"]\nmode = "advise"\n')
    answer = setting.answer(setting.elsewhere(**PUSH))
    assert "permissionDecision" not in specific(answer)
    assert "git.force-push would refuse this" in specific(answer)["additionalContext"]
    assert "git.force-push would refuse this" in output(answer)["systemMessage"]
    assert setting.last().decision.code == ""  # nothing that a person would have to allow


def test_a_projects_file_loosens_nothing_and_says_so(setting: Setting) -> None:
    (setting.project / ".synaptic" / "config.toml").write_text('[modes]\n"@essentials" = "shadow"\n')
    answer = setting.answer(setting.elsewhere(**PUSH))
    assert specific(answer)["permissionDecision"] == "deny"
    assert not setting.home.shadow.exists()


def test_a_repeated_call_in_advise_is_never_asked_about(setting: Setting) -> None:
    setting.config('trust = "all"\n[policies."git.force-push"]\nmode = "advise"\n')
    for _ in range(5):
        answer = setting.answer(setting.request(**PUSH))
        assert "permissionDecision" not in specific(answer)


def test_nobody_is_waited_for(setting: Setting) -> None:
    for mode in ("advise", "shadow"):
        setting.config(f'trust = "all"\n[ask]\nwait = 3600\n[policies."git.force-push"]\nmode = "{mode}"\n')
        assert "permissionDecision" not in specific(setting.answer(setting.elsewhere(**PUSH)))


CALLS = sample_calls("/p", 40)
LOOSE = tuple(
    name
    for name in load_policies()
    if not is_always_enforced(name) and not any(matches_glob(name, pattern) for pattern in NEVER_LIFTED)
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_in_shadow_is_off_to_the_byte(setting: Setting, data: st.DataObject) -> None:
    """For any policies and any call, with every preset on."""
    chosen = data.draw(st.sets(st.sampled_from(LOOSE), min_size=1, max_size=30))
    tool, given_input = data.draw(st.sampled_from(CALLS))
    answers = []
    for line in ('mode = "shadow"', "enabled = false"):
        tables = "".join(f'[policies."{name}"]\n{line}\n' for name in sorted(chosen))
        setting.config(f'trust = "all"\npresets = ["strict"]\n{tables}')
        request = setting.request(tool_name=tool, tool_input=given_input, session_id=f"s{len(answers)}")
        event = setting.rehearse(request)
        trace = [(step.hook, step.phase, step.kind, step.reason) for step in event.decision.trace]
        effects = list(map(type, event.decision.effects))  # their times differ
        answers.append((event.answer.stdout, event.answer.stderr, event.answer.exit, trace, effects))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("mode", ["advise", "shadow"])
def test_with_everything_loosened_only_what_cannot_be_is_heard(setting: Setting, mode: str) -> None:
    set_modes(setting, mode, '"strict"')
    kept = ("self.", "devices.raw-write", "system.fork-bomb")
    for tool, given_input in CALLS[::4]:
        decision = setting.rehearse(setting.elsewhere(tool_name=tool, tool_input=given_input)).decision
        assert decision.kind in ("none", "advise") or decision.by.startswith(kept), json.dumps(given_input)
