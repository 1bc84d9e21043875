"""What a YAML declaration asks for is what happens, through the whole engine and from an agent's own events."""

import json
from collections.abc import Mapping

import msgspec
import pytest

from synaptic.model.call import Answer
from synaptic.model.context import describe_fault
from synaptic.policies.routing.summary import MAX_SUMMARY
from tests.daemon.setting import Setting, output, specific
from tests.hooks.example_project import EXAMPLES, read_contexts, write_file, write_handler

EVENTS = ("UserPromptSubmit", "PreAbilityCall", "PostAbilityCall", "SessionStart", "SessionEnd", "SessionStop")
SKILL = {"tool_name": "Skill", "tool_input": {"skill": "billing_regression"}, "tool_use_id": "t1"}


def declare(setting: Setting, name: str, event: object, **keys: object) -> None:
    handler = {"kind": "script", "command": f"./scripts/hooks/{name}.sh"}
    write_handler(setting.project, name, keys.pop("answer", {}), str(keys.pop("body", "")))
    table = {"id": name, "event_type": event, "handler": handler, **keys}
    write_file(setting.project / f".system/hooks/{name}.yaml", json.dumps(table))


def emit(setting: Setting, event: str, env: Mapping[str, str] | None = None, **fields: object) -> Answer:
    base = {"event_type": event, "session_id": "s1", "timestamp": "2025-01-15T10:23:45Z"}
    context = {**base, "repository_root": str(setting.project), **fields}
    request = setting.raw(event, json.dumps(context).encode(), "synaptic")
    return setting.answer(msgspec.structs.replace(request, env={**request.env, **(env or {})}))


def called(setting: Setting, ability: str = "billing_regression", **fields: object) -> Answer:
    return emit(setting, "PostAbilityCall", ability_id=ability, status="success", **fields)


def live(setting: Setting) -> None:
    """One session of an agent, with a skill in it."""
    for event, fields in (
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": "run the billing regression"}),
        ("PreToolUse", SKILL),
        ("PostToolUse", {**SKILL, "tool_response": {"stdout": "word " * 200_000}, "duration_ms": 5}),
        ("Stop", {"stop_hook_active": False}),
    ):
        setting.answer(setting.request(event, **fields))


def has_ended(setting: Setting, name: str) -> bool:
    """An agent waits ten seconds for the hooks of an end, which a busy machine may need for one: asked until it ran."""
    setting.answer(setting.request("SessionEnd", reason="other"))
    return "SessionEnd" in {context["event_type"] for context in read_contexts(setting.project, name)}


def test_every_event_of_an_agents_session_reaches_its_hooks_with_a_whole_context(setting: Setting):
    """S2-004, S2-005, S2-050 to S2-054, S2-057: one hook for all six, an unknown event beside it disturbs nobody."""
    setting.config('trust = "all"\npresets = ["routing"]\n')
    declare(setting, "wrong", "PostAbilityCal")
    declare(setting, "all_six", list(EVENTS), timeout=60)
    live(setting)
    assert setting.wait_for(lambda: has_ended(setting, "all_six"), 60)
    seen = read_contexts(setting.project, "all_six")
    assert {context["event_type"] for context in seen} == set(EVENTS)
    for context in seen:
        assert describe_fault(context["event_type"], context) == ""
        assert (context["session_id"], context["repository_root"]) == ("s1", str(setting.project))
    assert read_contexts(setting.project, "wrong") == []


def test_a_megabyte_of_a_tools_output_is_a_summary_for_the_handlers(setting: Setting):
    """S2-056"""
    setting.config('trust = "all"\npresets = ["routing"]\n')
    declare(setting, "after", "PostAbilityCall")
    live(setting)
    (context,) = read_contexts(setting.project, "after")
    assert "word word" in context["output_summary"] and len(context["output_summary"]) <= MAX_SUMMARY
    assert len(json.dumps(context)) < 16_000


MATCHES: dict[str, dict[str, object]] = {
    "no_match": {},
    "any_ability": {"ability_scope": "*"},
    "its_id": {"ability_scope": "billing_regression"},
    "another_id": {"ability_scope": "billing"},
    "one_of_two": {"ability_scope": ["x", "billing_regression"]},
    "any_length": {"min_duration_ms": 0},
    "long": {"min_duration_ms": 100},
    "its_key": {"operation_key": "workflow.billing.regression"},
    "another_key": {"operation_key": "agent.code_review"},
    "changed_paths": {"only_if_changed_paths": ["services/**"]},
}
ALWAYS = {"no_match", "any_ability", "its_id", "one_of_two", "any_length"}
CALLS: list[tuple[dict[str, object], set[str]]] = [
    ({}, ALWAYS),
    ({"duration_ms": 99}, ALWAYS),
    ({"duration_ms": 100}, {*ALWAYS, "long"}),
    ({"duration_ms": 101, "operation_key": "workflow.billing.regression"}, {*ALWAYS, "long", "its_key"}),
    ({"ability": "other"}, {"no_match", "any_ability", "any_length"}),
]


def test_hooks_run_for_exactly_the_calls_that_their_conditions_name(setting: Setting):
    """S2-006, S2-007, S2-009, S2-010, S2-011: absent changed files match no path."""
    for name, match in MATCHES.items():
        declare(setting, name, "PostAbilityCall", **({"match": match} if match else {}))
    for fields, expected in CALLS:
        called(setting, **fields)
        assert {step.hook for step in setting.last().decision.trace if step.phase == "run"} == expected, fields


@pytest.mark.parametrize(
    ("changed", "runs"),
    [(["services/billing/src/a.ts"], 1), (["docs/a.md", "apps/b.ts"], 1), (["docs/a.md"], 0), ([], 0), (None, 0)],
)
def test_a_stop_runs_what_watches_a_changed_path(setting: Setting, changed: list[str] | None, runs: int):
    """S2-010"""
    declare(setting, "build", "SessionStop", match={"only_if_changed_paths": ["services/**", "apps/**"]})
    emit(setting, "SessionStop", **({} if changed is None else {"changed_files": changed}))
    assert len(read_contexts(setting.project, "build")) == runs


def test_an_in_process_handler_is_given_the_context_as_an_argument(setting: Setting):
    """S2-013, S2-030: its result counts as a script's does."""
    text = (
        "def check(context):\n    return {'messages_to_user': [context['event_type'] + ' ' + context['ability_id']]}\n"
    )
    write_file(setting.project / "hooks/warm.py", text)
    table = {
        "id": "warm",
        "event_type": "PostAbilityCall",
        "handler": {"kind": "python", "function": "hooks/warm.py:check"},
    }
    write_file(setting.project / ".system/hooks/warm.yaml", json.dumps(table))
    assert output(called(setting))["messages_to_user"] == ["PostAbilityCall billing_regression"]


def test_effects_are_words_and_nobody_carries_them_out(setting: Setting):
    """S2-015: the handler of the example does nothing, so nothing is there afterwards."""
    text = (EXAMPLES / "post_tool_use_tracker.yaml").read_text()
    assert "append_to: .system/logs/tool_call.md" in text and "update_usage_cache" in text
    write_file(setting.project / ".system/hooks/post_tool_use_tracker.yaml", text)
    write_handler(setting.project, "post_tool_use_tracker", {})
    called(setting)
    assert len(read_contexts(setting.project, "post_tool_use_tracker")) == 1
    assert not (setting.project / ".system/logs").exists() and not (setting.project / ".system/cache").exists()


@pytest.mark.parametrize("hooks", ["no folder", "an empty folder", "all disabled"])
def test_everything_goes_on_without_hooks(setting: Setting, hooks: str):
    """S2-016, S2-021, S2-034"""
    if hooks == "an empty folder":
        (setting.project / ".system/hooks").mkdir(parents=True)
    if hooks == "all disabled":
        declare(setting, "off", list(EVENTS), enabled=False, blocking=True, body="exit 1")
    for event in EVENTS:
        answer = emit(setting, event, ability_id="a", status="success", user_message="m")
        assert (output(answer), answer.stderr, answer.exit) == ({}, b"", 0)
    answer = setting.answer(setting.request("PreToolUse", **SKILL))
    assert (answer.stdout, answer.stderr, answer.exit) == (b"", b"", 0)
    assert read_contexts(setting.project, "off") == []


def test_the_environment_of_the_caller_switches_a_disabled_hook_on(setting: Setting):
    """S2-022: `enabled: false` in the file, on in `dev`, for each call as its caller's environment says."""
    declare(setting, "build", "SessionStop", enabled=False, environments=["dev"])
    for env, runs in (({}, 0), ({"SYNAPTIC_ENV": "prod"}, 0), ({"SYNAPTIC_ENV": "dev"}, 1), ({}, 1)):
        emit(setting, "SessionStop", env)
        assert len(read_contexts(setting.project, "build")) == runs


def test_a_running_daemon_sees_an_edit_with_the_next_event(running: Setting):
    """S2-025: registered once, kept, and read again only because a file changed."""
    for answer in ("one", "two"):
        declare(running, "says", "UserPromptSubmit", answer={"messages_to_user": [answer]}, summary=answer)
        for _ in range(2):
            told = running.daemon(running.request("UserPromptSubmit", prompt="hello"))
            assert output(told)["systemMessage"] == answer
    (running.project / ".system/hooks/says.yaml").unlink()
    assert specific(running.daemon(running.request("UserPromptSubmit", prompt="hello"))) == {}
