"""An agent that stops raises the stop of its session, with the files that the session changed."""

import json
from collections.abc import Callable

import pytest

from synaptic.model.call import Answer, Request
from synaptic.model.decision import TraceStep
from synaptic.store import follow_ups
from synaptic.store.db import Store
from tests.daemon.setting import Setting, output, specific
from tests.hooks.example_project import BUILD_MESSAGES, bring_examples, read_contexts, write_file, write_handler

CHECK = "session_stop_build_check"
INVOICE = "services/billing/src/invoice.ts"


@pytest.fixture
def stopping(setting: Setting) -> Setting:
    bring_examples(setting.project)
    return setting


def declare(setting: Setting, name: str, answer: object, event: object = "SessionStop", **keys: object) -> None:
    handler = {"kind": "script", "command": f"./scripts/hooks/{name}.sh"}
    write_handler(setting.project, name, answer, str(keys.pop("body", "")))
    table = {"id": name, "event_type": event, "handler": handler, **keys}
    write_file(setting.project / f".system/hooks/{name}.yaml", json.dumps(table))


def edit(setting: Setting, path: str, **more: object) -> Answer:
    given = {"file_path": str(setting.project / path), "old_string": "a", "new_string": "b"}
    fields = {"tool_name": "Edit", "tool_input": given, "tool_response": {}, **more}
    return setting.answer(setting.request("PostToolUse", **fields))


def seen(setting: Setting, name: str = CHECK) -> list[list[str]]:
    return [context["changed_files"] for context in read_contexts(setting.project, name)]


def raised(setting: Setting) -> list[TraceStep]:
    return [step for step in setting.last().decision.trace if step.phase == "raised"]


def test_a_stop_raises_it_with_the_files_of_the_session(stopping: Setting):
    """S2-010, S2-050, S2-054, S2-064, S2-087: messages reach the user, the failing file is queued, nobody waits."""
    edit(stopping, INVOICE)
    edit(stopping, "services/other.ts", session_id="another session")
    answer = stopping.answer(stopping.request("Stop"))
    assert output(answer) == {"systemMessage": "\n".join(BUILD_MESSAGES)}
    (context,) = read_contexts(stopping.project, CHECK)
    assert context["event_type"] == "SessionStop" and context["session_id"] == "s1" and context["timestamp"]
    assert context["changed_files"] == [INVOICE] and context["repository_root"] == str(stopping.project)
    store = Store.open(stopping.home)
    (waiting,) = follow_ups.list_follow_ups(store, str(stopping.project))
    store.close()
    assert (waiting.kind, waiting.payload, waiting.hook) == ("open_file", {"path": INVOICE}, CHECK)
    entry = stopping.last()
    (step,) = [step for step in entry.decision.trace if step.hook == CHECK]
    assert step.micros > 0 and [one.note for one in raised(stopping)] == ["1 changed files"]


@pytest.mark.parametrize("door", ["fallback", "daemon"])
def test_every_door_raises_it(stopping: Setting, door: str):
    """S2-087"""
    if door == "daemon":
        stopping.install()
        stopping.start()
    send: Callable[[Request], Answer] = getattr(stopping, door)
    given = {"file_path": str(stopping.project / INVOICE), "content": "x"}
    send(stopping.request("PostToolUse", tool_name="Write", tool_input=given, tool_response={}))
    assert output(send(stopping.request("Stop")))["systemMessage"].splitlines() == BUILD_MESSAGES
    assert seen(stopping) == [[INVOICE]]


def test_conditions_are_about_files_that_are_new_and_the_context_has_all(stopping: Setting):
    """S2-010: a check runs again when something that it watches has changed again."""
    declare(stopping, "always", {})
    for path in ("docs/a.md", INVOICE):
        edit(stopping, path)
        stopping.answer(stopping.request("Stop"))
    for path in ("", "docs/b.md", "apps/x.ts"):
        if path:
            edit(stopping, path)
        stopping.answer(stopping.request("Stop"))
    assert seen(stopping) == [["docs/a.md", INVOICE], ["docs/a.md", INVOICE, "docs/b.md", "apps/x.ts"]]
    assert [len(files) for files in seen(stopping, "always")] == [1, 2, 2, 3, 4]


def test_file_patterns_match_the_changed_files(setting: Setting):
    """S2-011"""
    declare(setting, "typed", {}, match={"file_patterns": ["**/*.ts"]})
    edit(setting, "a.py")
    setting.answer(setting.request("Stop"))
    assert seen(setting, "typed") == []
    edit(setting, "src/a.ts")
    setting.answer(setting.request("Stop"))
    assert seen(setting, "typed") == [["a.py", "src/a.ts"]]


def test_a_session_without_changes_stops_too(setting: Setting):
    """S2-054"""
    declare(setting, "always", {"messages_to_user": ["bye"]})
    assert output(setting.answer(setting.request("Stop"))) == {"systemMessage": "bye"}
    assert seen(setting, "always") == [[]]


def test_nothing_is_read_or_raised_where_nobody_listens(setting: Setting):
    edit(setting, INVOICE)
    setting.answer(setting.request("Stop"))
    assert raised(setting) == []


def test_an_end_raises_it_where_no_stop_came(stopping: Setting):
    """S2-087"""
    edit(stopping, INVOICE)
    stopping.answer(stopping.request("SessionEnd", reason="other"))
    assert seen(stopping) == [[INVOICE]]


def test_an_end_after_a_stop_raises_nothing(stopping: Setting):
    declare(stopping, "always", {})
    stopping.answer(stopping.request("UserPromptSubmit", prompt="change it"))
    edit(stopping, INVOICE)
    stopping.answer(stopping.request("Stop"))
    stopping.answer(stopping.request("SessionEnd", reason="other"))
    assert (len(seen(stopping)), len(seen(stopping, "always")), raised(stopping)) == (1, 1, [])


def test_an_end_in_the_middle_of_a_turn_raises_it_once_more(stopping: Setting):
    edit(stopping, INVOICE)
    stopping.answer(stopping.request("Stop"))
    stopping.answer(stopping.request("UserPromptSubmit", prompt="go on"))
    edit(stopping, "apps/x.ts")
    stopping.answer(stopping.request("SessionEnd", reason="other"))
    assert seen(stopping) == [[INVOICE], [INVOICE, "apps/x.ts"]]


def test_a_stop_that_is_held_up_raises_it_when_it_happens(stopping: Setting):
    """Law: Stop cannot loop. A hook that keeps the agent going is asked first, and the stop is raised once it stops."""
    hold = 'grep -q \'"stop_hook_active": *true\' || echo \'{"decision": "block", "reason": "more"}\''
    stopping.register("hold", hold, event="Stop", matcher="", protocol="native")
    edit(stopping, INVOICE)
    held = output(stopping.answer(stopping.request("Stop", stop_hook_active=False)))
    assert held["decision"] == "block" and seen(stopping) == []
    free = output(stopping.answer(stopping.request("Stop", stop_hook_active=True)))
    assert "decision" not in free and seen(stopping) == [[INVOICE]]


@pytest.mark.parametrize("keys", [{}, {"blocking": True}, {"protocol": "native"}, {"protocol": "exitcode"}])
@pytest.mark.parametrize(
    "answer",
    [
        {"decision": "block", "reason": "not yet"},
        {"error": "blocked_by_policy", "messages_to_user": ["not yet"]},
        {"action": "block", "reason": "not yet"},
        {"hookSpecificOutput": {"hookEventName": "SessionStop", "permissionDecision": "deny"}},
    ],
)
def test_no_answer_holds_the_agent_up(setting: Setting, keys: dict, answer: dict):
    """S2-071"""
    declare(setting, "late", answer, **keys)
    for active in (False, True):
        told = output(setting.answer(setting.request("Stop", stop_hook_active=active)))
        assert "decision" not in told and told.get("continue") is not False
        assert raised(setting)


@pytest.mark.parametrize("body", ["exit 1", "exit 2", "echo nonsense", "sleep 600"])
@pytest.mark.parametrize("blocking", [False, True])
def test_a_hook_that_fails_is_told_and_holds_nobody_up(setting: Setting, body: str, blocking: bool):
    """S2-031, S2-071"""
    declare(setting, "broken", {}, body=body, blocking=blocking, timeout=1)
    answer = setting.answer(setting.request("Stop"))
    assert answer.exit == 0 and "decision" not in output(answer)
    assert b"broken" in answer.stderr


def test_suggestions_reach_the_model_with_the_next_event(setting: Setting):
    """S2-062, S2-063"""
    answer = {"suggested_abilities": [{"id": "mend_build", "reason": "the build is broken"}], "logs": ["seen"]}
    declare(setting, "suggests", answer)
    assert output(setting.answer(setting.request("Stop"))) == {}
    told = setting.answer(setting.request("UserPromptSubmit", prompt="what now?"))
    assert "- mend_build: the build is broken" in specific(told)["additionalContext"]


@pytest.mark.parametrize("event", ["SubagentStop", "StopFailure", "PreCompact"])
def test_other_ends_raise_nothing(setting: Setting, event: str):
    declare(setting, "always", {})
    setting.answer(setting.request(event))
    setting.answer(setting.request("Stop", agent_id="helper"))
    assert seen(setting, "always") == []


@pytest.mark.parametrize("event", ["Stop", "SessionEnd"])
def test_an_orchestrator_raises_its_own(setting: Setting, event: str):
    declare(setting, "always", {})
    context = {"event_type": event, "session_id": "s", "timestamp": "t", "repository_root": str(setting.project)}
    setting.answer(setting.raw(event, json.dumps(context).encode(), "synaptic"))
    assert seen(setting, "always") == []


def test_a_policy_that_listens_to_both_is_asked_once(stopping: Setting):
    """S2-087"""
    text = 'trust = "all"\n[policies."routing.session-stop-build-check"]\nenabled = true\ncommand = ["true"]\n'
    stopping.config(text)
    edit(stopping, INVOICE)
    told = output(stopping.answer(stopping.request("Stop")))["systemMessage"]
    assert told.count("Billing build") == 1


def test_without_contents_in_the_journal_it_is_raised_without_files(setting: Setting):
    setting.config('trust = "all"\njournal = "structure"\n')
    declare(setting, "always", {})
    edit(setting, INVOICE)
    setting.answer(setting.request("Stop"))
    setting.answer(setting.request("SessionEnd", reason="other"))
    assert seen(setting, "always") == [[]]


def test_sessions_without_a_name_share_nothing(setting: Setting):
    declare(setting, "always", {})
    edit(setting, INVOICE, session_id="")
    setting.answer(setting.request("Stop", session_id=""))
    assert seen(setting, "always") == [[]]


def test_the_stop_of_another_agent_raises_it_too(setting: Setting):
    """S2-087"""
    declare(setting, "always", {"messages_to_user": ["bye"]})
    patch = "*** Begin Patch\n*** Add File: a.ts\n+x\n*** Update File: b/c.ts\n@@\n-x\n+y\n*** End Patch\n"
    base = {"session_id": "s1", "cwd": str(setting.project), "turn_id": "t"}
    ended = {"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_response": "ok", "tool_use_id": "1"}
    for event, more in (("PostToolUse", ended), ("Stop", {"stop_hook_active": False})):
        stdin = json.dumps({**base, "hook_event_name": event, **more}).encode()
        answer = setting.answer(setting.raw(event, stdin, "codex"))
    assert output(answer) == {"systemMessage": "bye"}
    assert sorted(seen(setting, "always")[0]) == ["a.ts", "b/c.ts"]
