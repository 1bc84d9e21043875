"""The fifteen hook methods: what they answer, what they leave in the database, and what they refuse."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.daemon import hook_methods, rpc
from synaptic.engine.walk import open_engine
from synaptic.model.errors import StoreError
from synaptic.model.event import CLAUDE_EVENTS
from synaptic.model.layers import Beat, EndSession, SetStatus
from synaptic.policies.base import load_policies
from synaptic.store import journal, layers, lease
from tests.daemon.fleet import HOOKS, Fleet
from tests.daemon.setting import Setting

PAYLOAD = {"summary": "Cart works.", "lastAction": "tests", "nextSteps": ["tax"], "requiredFiles": ["a.py", "gone.py"]}


@pytest.fixture
def fleet(setting: Setting) -> Iterator[Fleet]:
    made = Fleet(setting)
    yield made
    made.store.close()


def finished_with(fleet: Fleet, session: int, payload: object = PAYLOAD) -> None:
    fleet.write("UPDATE sessions SET dehydration_payload = ? WHERE id = ?", json.dumps(payload), session)
    fleet.do(EndSession(session=session))


def test_there_are_exactly_fifteen_and_each_is_one_event_of_the_agent() -> None:
    """S3-100, S3-132, S3-D03: the names that an agent's events lead to are all there."""
    assert sorted(name for name in rpc.METHODS if name.startswith("hooks.")) == sorted(
        f"hooks.{name}" for name in HOOKS
    )
    known = {event.__name__ for event in CLAUDE_EVENTS}
    assert {served.event for served in hook_methods.HOOK_METHODS.values()} <= known
    assert len({served.event for served in hook_methods.HOOK_METHODS.values()}) == len(hook_methods.HOOK_METHODS) == 15
    handlers = [policy for policy in load_policies().values() if policy.preset == "fleet"]
    beside = ["fleet.kept-dialogue", "fleet.skill-call", "fleet.skill-start"]
    """Policies of the same one process that are called by no name of their own."""
    assert sorted(policy.id for policy in handlers) == sorted(
        [*(served.policy for served in hook_methods.HOOK_METHODS.values()), *beside]
    )
    for served in hook_methods.HOOK_METHODS.values():
        assert served.event in {event.__name__ for event in load_policies()[served.policy].events}


@pytest.mark.parametrize("name", HOOKS)
def test_what_nobody_knows_is_answered_permissively(fleet: Fleet, name: str) -> None:
    """S3-009, S3-070: no error, no deny, nothing written."""
    answer = fleet.call(name, cwd="/nonexistent")
    assert answer.get("allow", True) is True
    assert "deny" not in json.dumps(answer)
    assert answer.get("decision") is None
    assert (fleet.count("sessions"), fleet.count("agents"), fleet.count("projects")) == (0, 0, 1)


@pytest.mark.parametrize("name", HOOKS)
def test_names_in_both_spellings_and_fields_nobody_knows(fleet: Fleet, name: str) -> None:
    """S3-060, S3-061, S3-066"""
    fleet.open(fleet.effort(), host="h1")
    fields = {_camel(key): value for key, value in fleet.params(name, context_usage=0.5, pid=1).items()}
    camel = asyncio.run(fleet._call(name, "", fields))
    assert camel.keys() == fleet.call(name).keys() or name in ("sessionStart", "subagentStart")
    assert "toolName" not in camel


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def test_only_the_names_on_top_are_translated(fleet: Fleet) -> None:
    """S3-062"""
    fleet.open(fleet.effort(), host="h1")
    fleet.call("postToolUse", tool_input={"file_path": "/home/dev/a.py", "filePath": "/other"})
    assert fleet.one("SELECT loaded_files FROM sessions") == '["/home/dev/a.py"]'


def test_what_is_missing_is_named(fleet: Fleet) -> None:
    """S3-044, S3-063, S3-101"""
    for name, served in hook_methods.HOOK_METHODS.items():
        for field in (*hook_methods.BASE_FIELDS, *served.required):
            with pytest.raises(rpc.RpcError) as refused:
                fleet.call(name, **{field: None})
            assert refused.value.code == "VALIDATION_ERROR"
            assert refused.value.issues == (f"{field}: is required",)
    assert fleet.call("sessionStart", permission_mode=None, model=None, transcript_path=None)["found"] is False


@pytest.mark.parametrize("name", ["preToolUse", "postToolUse", "postToolUseFailure", "permissionRequest"])
def test_a_tools_input_is_an_object(fleet: Fleet, name: str) -> None:
    """S3-065"""
    with pytest.raises(rpc.RpcError) as refused:
        fleet.call(name, tool_input="x")
    assert refused.value.code == "VALIDATION_ERROR"
    assert refused.value.issues[0].startswith("tool_input:")


def test_the_agents_session_is_never_ours_and_ids_of_ours_are_not_taken(fleet: Fleet) -> None:
    """S3-064, S3-074"""
    first, second = fleet.effort(), fleet.effort(task="other")
    for _ in range(6):
        fleet.open(first, host="x")
    newest = fleet.open(second, host="3")
    answer = fleet.call("preToolUse", session_id="3", effort_id=first, engine_session_id=3, effortId=first)
    assert (fleet.heartbeat(3), fleet.heartbeat(newest)) == (0, 1)
    assert answer["heartbeatCount"] == 1


def test_a_start_opens_a_session_and_tells_where_the_effort_is(fleet: Fleet) -> None:
    """S3-001, S3-002, S3-006, S3-101, S3-102, S3-103, S3-106"""
    effort = fleet.effort()
    first, second = fleet.call("sessionStart"), fleet.call("sessionStart")
    assert (first["found"], first["effortId"], first["skill"], first["phase"]) == (True, effort, "implement", None)
    assert (first["taskDir"], first["filesToPreload"], first["skillConfig"]) == (f"{fleet.root}/.tasks/cart", [], None)
    assert "| Phase: none | Heartbeat: 0/10" in first["sessionContext"]
    assert first["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert first["sessionContext"] in first["hookSpecificOutput"]["additionalContext"]
    assert second["effortId"] == effort
    assert second["sessionId"] != first["sessionId"]
    assert fleet.one("SELECT prev_session_id FROM sessions WHERE id = ?", second["sessionId"]) == first["sessionId"]
    assert fleet.ended(first["sessionId"])
    assert not fleet.ended(second["sessionId"])


def test_windows_end_efforts_go_on_and_the_task_stays(fleet: Fleet) -> None:
    """S3-001 to S3-006: one task, two efforts, three windows; none of those that ended opens again."""
    first = fleet.effort(skill="brainstorm")
    one = fleet.call("sessionStart")
    finished_with(fleet, one["sessionId"])
    two = fleet.call("sessionStart", session_id="h2")
    assert (two["effortId"], two["sessionId"] != one["sessionId"]) == (first, True)
    fleet.finish(first)
    second = fleet.effort(skill="implement")
    three = fleet.call("sessionStart", session_id="h3")
    assert (three["effortId"], three["skill"]) == (second, "implement")
    assert (fleet.count("tasks"), fleet.count("efforts"), fleet.count("sessions")) == (1, 2, 3)
    assert fleet.ended(one["sessionId"])
    fleet.call("preToolUse", session_id="h1")
    assert (fleet.ended(one["sessionId"]), fleet.heartbeat(one["sessionId"])) == (True, 0)


def test_a_start_without_an_effort_opens_nothing(fleet: Fleet) -> None:
    """S3-102"""
    fleet.finish(fleet.effort())
    answer = fleet.call("sessionStart")
    assert (answer["found"], answer["sessionId"], answer["effortId"]) == (False, None, None)
    assert "hookSpecificOutput" not in answer
    assert fleet.count("sessions") == 0


def test_what_a_window_left_is_told_to_the_next_one_once(fleet: Fleet) -> None:
    """S3-104, S3-107, S3-191, S3-193, S3-D01: after a proper finish the payload is delivered, to a new session."""
    session = fleet.open(fleet.effort(), host="h1")
    Path(fleet.root, "a.py").write_text("A = 1\n")
    finished_with(fleet, session)
    second, third = fleet.call("sessionStart", session_id="h2"), fleet.call("sessionStart", session_id="h3")
    assert second["dehydratedContext"] == PAYLOAD
    assert second["sessionId"] not in (None, session)
    told = second["hookSpecificOutput"]["additionalContext"]
    assert "## Session Recovery (Dehydrated Context)" in told
    assert "[a.py]\nA = 1" in told
    assert "[MISSING gone.py]" in told
    assert third["dehydratedContext"] is None
    assert "Dehydrated" not in third["hookSpecificOutput"]["additionalContext"]


def test_without_a_payload_the_effort_is_read_from_its_files(fleet: Fleet) -> None:
    """S3-104, S3-191"""
    fleet.finish(fleet.effort(skill="brainstorm"))
    fleet.open(fleet.effort(), host="h1")
    folder = Path(fleet.root, ".tasks", "cart")
    folder.mkdir(parents=True)
    for name in ("1_BRAINSTORM.md", "1_BRAINSTORM_LOG.md", "2_IMPLEMENT_LOG.md"):
        (folder / name).write_text(f"## Done\n{name}: all of it\n")
    answer = fleet.call("sessionStart")
    told = answer["hookSpecificOutput"]["additionalContext"]
    assert answer["dehydratedContext"] is None
    assert f"- {folder}/2_IMPLEMENT_LOG.md" in told
    assert f"- {folder}/1_BRAINSTORM.md" in told
    assert "### The End Of The Log\n## Done\n2_IMPLEMENT_LOG.md: all of it" in told
    assert "1_BRAINSTORM_LOG.md" not in told


def test_files_to_read_first_are_templates_then_directives_each_once(fleet: Fleet) -> None:
    """S3-105"""
    effort = fleet.effort()
    fleet.write("UPDATE efforts SET discovered_directives = ? WHERE id = ?", '["/t/LOG.md", "/p/AGENTS.md"]', effort)
    fleet.write(
        "INSERT INTO skills (project_id, name, templates, phases, updated_at) VALUES (1, 'implement', ?, ?, 0)",
        '{"logTemplate": "/t/LOG.md", "planTemplate": ""}',
        '["0: A"]',
    )
    answer = fleet.call("sessionStart")
    assert answer["filesToPreload"] == ["/t/LOG.md", "/p/AGENTS.md"]
    assert answer["skillConfig"]["phases"] == ["0: A"]
    fleet.write("UPDATE efforts SET discovered_directives = 'not-json{{{'")
    assert fleet.call("sessionStart")["filesToPreload"] == ["/t/LOG.md"]


def test_the_limit_is_the_efforts_in_both_lines(fleet: Fleet) -> None:
    """S3-123, S3-D12"""
    fleet.effort(metadata='{"blockAfter": 5}')
    started = fleet.call("sessionStart")
    fleet.do(Beat(session=started["sessionId"], add=2))
    assert "Heartbeat: 0/5" in started["sessionContext"]
    prompted = fleet.call("userPrompt")
    assert (prompted["heartbeat"], "Heartbeat: 2/5" in prompted["sessionContext"]) == ("2/5", True)


def test_a_prompt_is_told_where_the_effort_is(fleet: Fleet) -> None:
    """S3-029, S3-122, S3-123"""
    nothing = fleet.call("userPrompt")
    assert nothing == {
        "sessionContext": "",
        "effortId": None,
        "sessionId": None,
        "taskDir": None,
        "skill": None,
        "phase": None,
        "heartbeat": "0/10",
    }
    effort = fleet.effort(metadata="not-json{{{")
    session = fleet.open(effort, host="h1")
    answer = fleet.call("userPrompt")
    assert (answer["effortId"], answer["sessionId"], answer["heartbeat"]) == (effort, session, "0/10")
    assert answer["hookSpecificOutput"]["additionalContext"] == answer["sessionContext"]
    assert fleet.status() == "working"


def test_the_tenth_call_is_stopped_until_the_agent_logs(fleet: Fleet) -> None:
    """S3-005, S3-055, S3-110, S3-113, S3-140, S3-141"""
    session = fleet.open(fleet.effort(), host="h1")
    first = fleet.call("preToolUse")
    assert first == {
        "allow": True,
        "heartbeatCount": 1,
        "contextUsage": None,
        "overflowWarning": False,
        "pendingPreloads": [],
        "firedRules": [],
    }
    assert all(fleet.call("preToolUse")["allow"] for _ in range(8))
    for count in (10, 11, 12):
        blocked = fleet.call("preToolUse")
        assert (blocked["allow"], blocked["heartbeatCount"], blocked["firedRules"]) == (False, count, [])
        assert blocked["reason"].startswith(f"heartbeat-block: {count}/10")
        said = blocked["hookSpecificOutput"]
        assert (said["permissionDecision"], said["permissionDecisionReason"]) == ("deny", blocked["reason"])
    show = fleet.call("preToolUse", tool_name="Bash", tool_input={"command": "synaptic effort show"})
    assert (show["allow"], fleet.heartbeat(session)) == (True, 12)
    log = fleet.call("preToolUse", tool_name="Bash", tool_input={"command": "synaptic effort log 'done'"})
    assert (log["allow"], log["heartbeatCount"], fleet.heartbeat(session)) == (True, 0, 0)
    assert fleet.call("preToolUse")["heartbeatCount"] == 1


def test_an_effort_without_a_session_counts_nothing(fleet: Fleet) -> None:
    """S3-111"""
    fleet.effort()
    assert fleet.call("preToolUse")["allow"] is True
    assert fleet.count("sessions") == 0


@pytest.mark.parametrize("metadata", ['{"loading": true}', '{"dehydrating": true}'])
def test_an_effort_that_is_busy_with_itself_is_not_counted(fleet: Fleet, metadata: str) -> None:
    """S3-112"""
    session = fleet.open(fleet.effort(metadata=metadata), host="h1")
    assert fleet.call("preToolUse")["allow"] is True
    assert fleet.heartbeat(session) == 0


def test_edits_of_one_file_in_a_row_count_once(fleet: Fleet) -> None:
    """S3-144"""
    fleet.open(fleet.effort(), host="h1")
    counts = [
        fleet.call("preToolUse", tool_name=tool, tool_input={"file_path": path})["heartbeatCount"]
        for tool, path in (("Edit", "a"), ("Edit", "a"), ("Edit", "b"), ("Read", "a"), ("Edit", "b"))
    ]
    assert counts == [1, 1, 2, 3, 4]


def test_a_full_context_is_told_and_blocks_nothing(fleet: Fleet) -> None:
    """S3-146, S3-147, S3-190, S3-D02: what is on the session's row counts."""
    session = fleet.open(fleet.effort(), host="h1")
    seen = []
    for usage in (0.89, 0.90, 0.95):
        fleet.write("UPDATE sessions SET context_usage = ? WHERE id = ?", usage, session)
        answer = fleet.call("preToolUse")
        told = "synaptic effort dehydrate" in answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        seen.append((answer["contextUsage"], answer["overflowWarning"], answer["allow"], told))
    assert seen == [(0.89, False, True, False), (0.90, True, True, True), (0.95, True, True, True)]


def test_the_transcript_says_how_full_the_context_is(fleet: Fleet, tmp_path: Path) -> None:
    """S3-146, S3-D02"""
    session = fleet.open(fleet.effort(), host="h1")
    transcript = tmp_path / "t.jsonl"
    usage = {"input_tokens": 4000, "cache_read_input_tokens": 180_000, "output_tokens": 0}
    message = {"type": "assistant", "message": {"model": "claude-sonnet-4-5", "usage": usage}}
    transcript.write_text(json.dumps(message) + "\n")
    first = fleet.call("preToolUse", transcript_path=str(transcript))
    second = fleet.call("preToolUse", transcript_path=str(transcript))
    assert (first["contextUsage"], first["overflowWarning"], first["allow"]) == (0.92, True, True)
    assert "92% full" in first["hookSpecificOutput"]["additionalContext"]
    assert (second["overflowWarning"], "hookSpecificOutput" in second) == (True, False)
    assert fleet.one("SELECT context_usage FROM sessions WHERE id = ?", session) == 0.92


def test_guard_rules_are_reported_in_their_order(fleet: Fleet) -> None:
    """S3-149, S3-150, S3-D02"""
    rules = [
        {"ruleId": "a", "condition": {"field": "heartbeat_counter", "op": "gte", "value": 1}, "payload": {"text": "x"}},
        {"ruleId": "b", "condition": {"field": "heartbeat_counter", "op": "gte", "value": 99}, "payload": {}},
        {"ruleId": "c", "condition": {"field": "context_usage", "op": "gt", "value": 0.5}, "payload": "y"},
        {"ruleId": "d", "condition": {"field": "moon", "op": "gte", "value": 1}, "payload": "z"},
        {"ruleId": "e", "condition": {"field": "heartbeat_counter", "op": "like", "value": 1}, "payload": "z"},
    ]
    session = fleet.open(fleet.effort(metadata=json.dumps({"guards": rules, "blockAfter": 3})), host="h1")
    first = fleet.call("preToolUse")
    fleet.write("UPDATE sessions SET context_usage = 0.6 WHERE id = ?", session)
    second, third = fleet.call("preToolUse"), fleet.call("preToolUse")
    assert [rule["ruleId"] for rule in first["firedRules"]] == ["a"]
    assert second["firedRules"] == [{"ruleId": "a", "payload": {"text": "x"}}, {"ruleId": "c", "payload": "y"}]
    assert second["allow"] is True
    assert (third["allow"], third["firedRules"]) == (False, [])


def test_what_waits_for_the_model_is_told_once(fleet: Fleet) -> None:
    """S3-116, S3-117, S3-118, S3-132"""
    waiting = [{"ruleId": "style", "content": "Tabs."}, {"ruleId": "tests", "content": "First."}]
    metadata = json.dumps({"pendingInjections": waiting, "blockAfter": 7})
    session = fleet.open(fleet.effort(metadata=metadata), host="h1")
    fleet.call("preToolUse")
    first, second = fleet.call("postToolUse"), fleet.call("postToolUse")
    assert (first["pendingInjections"], first["heartbeatCount"]) == (waiting, 1)
    told = first["hookSpecificOutput"]
    assert told["hookEventName"] == "PostToolUse"
    assert told["additionalContext"] == "[Directive: style]\nTabs.\n\n[Directive: tests]\nFirst."
    assert (second["pendingInjections"], "hookSpecificOutput" in second) == ([], False)
    assert json.loads(fleet.one("SELECT metadata FROM efforts")) == {"blockAfter": 7}
    assert fleet.heartbeat(session) == 1


def test_questions_and_answers_are_kept_as_messages(fleet: Fleet) -> None:
    """S3-013, S3-023, S3-116, S3-180"""
    session = fleet.open(fleet.effort(), host="h1")
    asked = {"questions": [{"question": f"Q{n}?", "options": [{"label": "A"}, "B"]} for n in (1, 2, 3)]}
    answers = {"answers": {"Q1?": "A", "Q9?": "B"}}
    answer = fleet.call("postToolUse", tool_name="AskUserQuestion", tool_input=asked, tool_response=answers)
    entry = answer["dialogueEntry"]
    assert [one["answer"] for one in entry["questions"]] == ["A", "", ""]
    assert entry["questions"][0]["options"] == ["A", "B"]
    assert fleet.messages() == [(session, "dialogue", entry)]
    assert fleet.call("postToolUse", tool_name="AskUserQuestion", tool_input={})["dialogueEntry"] is None
    assert not list(Path(fleet.root).rglob("DIALOGUE*"))
    assert not list(Path(fleet.root).rglob(".state.json"))


def test_directives_near_a_touched_file_are_found_in_the_same_call(fleet: Fleet) -> None:
    """S3-116, S3-160, S3-161, S3-162"""
    fleet.open(fleet.effort(), host="h1")
    folder = Path(fleet.root, "src")
    (folder / ".directives").mkdir(parents=True)
    pitfalls = folder / ".directives" / "PITFALLS.md"
    pitfalls.write_text("mind the gap")
    touched = {"tool_name": "Read", "tool_input": {"file_path": str(folder / "a.py")}}
    first, second = fleet.call("postToolUse", **touched), fleet.call("postToolUse", **touched)
    assert first["discoveredDirectives"] == [str(pitfalls)]
    assert str(pitfalls) in first["hookSpecificOutput"]["additionalContext"]
    assert json.loads(fleet.one("SELECT discovered_directives FROM efforts")) == [str(pitfalls)]
    assert second["discoveredDirectives"] == []


def test_a_failure_is_shown_and_kept(fleet: Fleet) -> None:
    """S3-119, S3-120, S3-231"""
    effort = fleet.effort()
    alone = fleet.call("postToolUseFailure")
    assert (alone["agentUpdated"], alone["messageLogged"]) == (True, False)
    session = fleet.open(effort, host="h1")
    answer = fleet.call("postToolUseFailure", error="boom", is_interrupt=True)
    assert (answer, fleet.status()) == ({"agentUpdated": True, "messageLogged": True}, "error")
    [(kept, role, content)] = fleet.messages()
    assert (kept, role) == (session, "system")
    assert (content["event"], content["tool"], content["error"]) == ("tool_failure", "Bash", "boom")
    assert fleet.call("stop")["agentUpdated"] is True
    assert (fleet.status(), fleet.ended(session)) == ("done", False)


def test_the_transitions_of_a_status(fleet: Fleet) -> None:
    """S3-023, S3-124, S3-125, S3-231, S3-D10"""
    fleet.effort()
    seen = []
    for name in ("sessionStart", "userPrompt", "notification", "permissionRequest", "permissionRequest"):
        fleet.call(name)
        seen.append(fleet.status())
    assert seen == ["done", "working", "attention", "attention", "attention"]
    fleet.do(SetStatus(agent="h1", status="checked"))
    fleet.call("postToolUse")
    assert fleet.status() == "working"
    for name, status in (("postToolUseFailure", "error"), ("stop", "done"), ("userPrompt", "working")):
        fleet.call(name)
        assert fleet.status() == status
    fleet.call("sessionEnd")
    assert fleet.status() == "done"


def test_the_end_of_a_window_ends_its_session_once(fleet: Fleet) -> None:
    """S3-108"""
    session = fleet.open(fleet.effort(), host="h1")
    assert fleet.call("sessionEnd") == {"sessionEnded": True, "agentUpdated": True}
    assert fleet.ended(session)
    assert fleet.call("sessionEnd") == {"sessionEnded": False, "agentUpdated": True}
    newer = fleet.open(1, host="h2")
    assert fleet.call("sessionEnd", session_id="h1")["sessionEnded"] is False
    assert not fleet.ended(newer)


def test_an_end_of_the_transcript_that_says_why(fleet: Fleet, tmp_path: Path) -> None:
    """S3-120, S3-121"""
    fleet.bind("main:builder", fleet.effort())
    transcript = tmp_path / "t.jsonl"
    transcript.write_text(
        '{"type":"assistant","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"API Error: '
        'context_length_exceeded"}]}}\n'
    )
    held = lease.take_lease(fleet.setting.home.root, "main:builder")
    assert held is not None
    answer = fleet.call("stop", "main:builder", transcript_path=str(transcript))
    assert (answer["exhaustion"], answer["restartRequested"]) == ("context", True)
    assert fleet.one("SELECT restart_prompt FROM agents WHERE id = 'main:builder'").startswith("Go on with the effort")


def test_a_full_context_under_a_supervisor_ends_and_starts_anew(fleet: Fleet) -> None:
    """S3-010, S3-109, S3-240, S3-245"""
    effort = fleet.effort()
    fleet.bind("main:builder", effort)
    session = fleet.open(effort, host="h1", agent="main:builder")
    assert fleet.call("preCompact", "main:builder")["restartRequested"] is False
    held = lease.take_lease(fleet.setting.home.root, "main:builder")
    assert held is not None
    assert fleet.call("preCompact", "main:builder", trigger="manual")["restartRequested"] is False
    assert not fleet.ended(session)
    answer = fleet.call("preCompact", "main:builder")
    assert (answer["sessionEnded"], answer["restartRequested"], answer["decision"]) == (True, True, "block")
    assert fleet.ended(session)
    assert fleet.one("SELECT dehydration_payload FROM sessions WHERE id = ?", session) is None
    assert fleet.one("SELECT restart_prompt FROM agents WHERE id = 'main:builder'") == answer["restartPrompt"]
    assert fleet.one("SELECT restart_at FROM agents WHERE id = 'main:builder'") is not None


def test_a_sub_agent_has_a_session_of_its_own_and_leaves_its_parents_alone(fleet: Fleet) -> None:
    """S3-011, S3-128, S3-130, S3-145, S3-D04"""
    effort = fleet.effort()
    parent = fleet.open(effort, host="h1")
    started = fleet.call("subagentStart")
    own = started["sessionId"]
    assert (own not in (None, parent), started["effortId"]) == (True, effort)
    assert "synaptic effort log" in started["hookSpecificOutput"]["additionalContext"]
    assert fleet.call("subagentStart")["sessionId"] == own
    blocked = [fleet.call("preToolUse", agent_id="sub1")["allow"] for _ in range(12)]
    assert blocked == [True] * 9 + [False] * 3
    fleet.call("preToolUse")
    fleet.call("preToolUse", agent_id="sub1", tool_name="Bash", tool_input={"command": "synaptic effort log x"})
    assert (fleet.heartbeat(own), fleet.heartbeat(parent)) == (0, 1)
    fleet.call("postToolUse", agent_id="sub1", tool_input={"file_path": "/home/dev/read.py"})
    stopped, again = fleet.call("subagentStop"), fleet.call("subagentStop")
    assert (stopped["sessionEnded"], stopped["loadedFiles"], again["sessionEnded"]) == (
        True,
        ["/home/dev/read.py"],
        False,
    )
    assert (fleet.ended(own), fleet.ended(parent)) == (True, False)
    assert json.loads(fleet.one("SELECT loaded_files FROM efforts")) == ["/home/dev/read.py"]
    assert fleet.call("preToolUse")["heartbeatCount"] == 2
    assert fleet.status() is None


def test_no_parent_is_no_reason_to_fail(fleet: Fleet) -> None:
    """S3-128"""
    assert fleet.call("subagentStart") == {"sessionId": None, "effortId": None}


def test_a_teammate_that_is_idle_is_done_and_its_coordinator_hears_of_it(fleet: Fleet) -> None:
    """S3-126"""
    fleet.open(fleet.effort(), host="h1")
    fleet.do(SetStatus(agent="shop:lead", status="working", named=True, host="lead-window"))
    fleet.do(SetStatus(agent="shop:w2", status="working", label="W2", named=True))
    fleet.write("UPDATE agents SET parent = 'shop:lead' WHERE id = 'shop:w2'")
    answer = fleet.call("teammateIdle")
    assert answer == {"agentUpdated": True, "coordinatorSignalled": True, "messageLogged": True}
    assert (fleet.status("shop:w2"), fleet.status("shop:lead")) == ("done", "working")
    assert fleet.one("SELECT signals FROM agents WHERE id = 'shop:lead'") == 1
    assert fleet.one("SELECT text FROM deliveries WHERE session = 'lead-window'") == "W2 of the team shop is idle."
    assert fleet.messages()[0][2]["event"] == "teammate_idle"


def test_a_completed_task_of_the_agent_is_none_of_our_tasks(fleet: Fleet) -> None:
    """S3-127"""
    fleet.open(fleet.effort(), host="h1")
    before = fleet.one("SELECT json_array(dir_path, title, keywords, created_at) FROM tasks")
    answer = fleet.call("taskCompleted", task_id=f"{fleet.root}/.tasks/cart")
    assert answer == {"messageLogged": True}
    assert fleet.one("SELECT json_array(dir_path, title, keywords, created_at) FROM tasks") == before
    assert fleet.messages()[0][2]["taskSubject"] == "totals"


def test_a_changed_skill_is_forgotten(fleet: Fleet) -> None:
    """S3-131"""
    sql = "INSERT INTO skills (project_id, name, path, updated_at) VALUES (1, ?, ?, 0)"
    fleet.write(sql, "fix", "/s/fix/SKILL.md")
    fleet.write(sql, "test", "/s/test/SKILL.md")
    assert fleet.call("configChange")["skillForgotten"] is False
    assert fleet.call("configChange", source="skills", file_path="/s/fix/SKILL.md")["skillForgotten"] is True
    assert fleet.one("SELECT group_concat(name) FROM skills") == "test"


def test_agents_have_efforts_of_their_own(fleet: Fleet) -> None:
    """S3-007, S3-046, S3-071, S3-072"""
    first, second = fleet.effort(), fleet.effort(task="other")
    fleet.bind("A", first)
    fleet.bind("B", second)
    found = [fleet.call("userPrompt", agent)["effortId"] for agent in ("A", "B", "", "default", "ghost")]
    assert found == [first, second, second, second, second]
    assert fleet.call("userPrompt", "A", pid=4)["effortId"] == fleet.call("userPrompt", "A", pid=5)["effortId"]


def test_a_folder_inside_the_project_belongs_to_it(fleet: Fleet) -> None:
    """S3-075"""
    effort = fleet.effort()
    inside = Path(fleet.root, "packages", "own")
    (inside / ".git").mkdir(parents=True)
    assert fleet.call("userPrompt", cwd=str(inside))["effortId"] == effort
    assert fleet.call("userPrompt", "named", cwd=str(inside))["effortId"] == effort
    assert fleet.count("projects") == 1


def test_a_database_that_cannot_be_written_blocks_nobody(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3-009, S3-070"""
    session = fleet.open(fleet.effort(metadata='{"blockAfter": 0}'), host="h1")

    def full(*given: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(journal, "claim_records", full)
    assert fleet.call("preToolUse")["allow"] is True
    assert fleet.call("sessionStart")["sessionId"] is None
    assert fleet.heartbeat(session) == 0


def test_what_fails_half_way_leaves_nothing(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3-D05, S3-016"""
    fleet.open(fleet.effort(), host="h1")
    monkeypatch.setitem(layers.layer_effects.EFFECT_WRITERS, layers.layer_effects.Note, _broken)
    assert fleet.call("postToolUseFailure") == {"agentUpdated": False, "messageLogged": False}
    assert (fleet.status(), fleet.count("messages")) == (None, 0)


def _broken(*given: object) -> None:
    raise ZeroDivisionError("no")


def test_a_calls_number_is_forgotten_when_it_is_answered(fleet: Fleet) -> None:
    """S3-140: a call in flight counts ahead of the next one, a call that is answered does not."""
    fleet.open(fleet.effort(), host="h1")

    async def calls() -> list[int]:
        engine = open_engine(fleet.setting.home)
        try:
            answers = [hook_methods.call_hook(engine, "preToolUse", fleet.params("preToolUse")) for _ in range(5)]
            counts = [answer["heartbeatCount"] for answer in await asyncio.gather(*answers)]
            assert not engine.means.reservations
            return counts
        finally:
            await engine.close()

    assert sorted(asyncio.run(calls())) == [1, 2, 3, 4, 5]


def test_a_request_over_http_carries_its_environment(fleet: Fleet) -> None:
    """S3-040, S3-046: `env` beside the method of a JSON-RPC document."""
    fleet.effort()
    body = {"method": "hooks.userPrompt", "id": 1, "params": fleet.params("userPrompt"), "env": {"AGENT_ID": "C"}}

    async def ask() -> bytes:
        engine = open_engine(fleet.setting.home)
        service = type("Service", (), {"engine": engine})()
        try:
            return await rpc.answer_json_rpc(service, json.dumps(body).encode())
        finally:
            await engine.close()

    assert json.loads(asyncio.run(ask()))["result"]["heartbeat"] == "0/10"
    assert fleet.status("C") == "working"


def test_what_was_said_becomes_messages_at_the_end_of_turns_and_windows(fleet: Fleet, tmp_path: Path) -> None:
    """S3-180, S3-182, S3-D07"""
    transcript = tmp_path / "t.jsonl"

    def say(role: str, text: str) -> None:
        with transcript.open("a") as file:
            file.write(json.dumps({"type": role, "message": {"role": role, "content": text}}) + "\n")

    def kept() -> list[tuple[str, str]]:
        sql = "SELECT role, content FROM messages ORDER BY id"
        return fleet.store.read(lambda connection: connection.execute(sql).fetchall())

    fleet.effort()
    where = {"transcript_path": str(transcript)}
    session = fleet.call("sessionStart", **where)["sessionId"]
    say("user", "build the cart")
    say("assistant", "done")
    fleet.event("Stop", stop_hook_active=False, **where)
    assert kept() == [("user", "build the cart"), ("assistant", "done")]
    fleet.event("Stop", stop_hook_active=False, **where)
    assert len(kept()) == 2
    say("user", "and the total")
    fleet.event("PreCompact", trigger="manual", **where)
    assert kept()[-1] == ("user", "and the total")
    say("assistant", "my last words")
    finished_with(fleet, session)
    fleet.event("SessionEnd", reason="other", **where)
    assert kept()[-1] == ("assistant", "my last words")
    assert fleet.one("SELECT count(DISTINCT session_id) FROM messages") == 1
