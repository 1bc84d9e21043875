"""Claude Code's payloads in, and the shapes of its answers."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.agents.claude.dialect import ADAPTER
from synaptic.agents.claude.entries import build_entries
from synaptic.agents.shared.ours import EntryPlan
from synaptic.model.call import Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.effect import Deliver
from synaptic.model.errors import PayloadError
from synaptic.model.event import EVENTS, PreToolUse, SessionStart, Stop, SubagentStart, Unknown

FILES = sorted((Path(__file__).parent / "claude").glob("*.json"))


def decode(event="", **payload) -> Call:
    return ADAPTER.decode(Request("claude", event, json.dumps(payload).encode(), "1", {"A": "b"}))


def bash(**more) -> Call:
    tool_input = {"command": "git push --force", "description": "Push", "timeout": 5}
    return decode("PreToolUse", tool_name="Bash", tool_input=tool_input, **more)


def encoded(call: Call, decision: Decision):
    answer = ADAPTER.encode(call, ADAPTER.degrade(call, decision))
    return json.loads(answer.stdout) if answer.stdout else None


def test_there_are_sixty_five_recorded_payloads():
    assert len(FILES) == 65
    assert {file.name.partition(".")[0] for file in FILES} == set(EVENTS) - {
        "PreAbilityCall",
        "PostAbilityCall",
        "SessionStop",
    }


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_recorded_payload_becomes_its_event_without_a_warning(file):
    """S3-060, S3-063, S3-066, S4-004"""
    raw = json.loads(file.read_bytes())
    name = file.name.partition(".")[0]
    call = ADAPTER.decode(Request("claude", name, file.read_bytes(), "7"))
    assert type(call.event) is EVENTS[name]
    assert call.warnings == ()
    assert call.payload == raw
    known = {field: raw[field] for field in call.event.__struct_fields__ if field in raw}
    event = json.loads(msgspec.json.encode(call.event))
    assert {field: event[field] for field in known} == known
    assert (call.id, call.agent, call.root, call.at) == ("7", "claude", "", 0.0)


def test_the_environment_is_passed_on():
    assert bash().env == {"A": "b"}


def test_the_command_argument_names_the_event_when_the_payload_does_not():
    """S0-020"""
    call = decode("PostToolUse", tool_name="Bash")
    assert call.event == EVENTS["PostToolUse"](hook_event_name="PostToolUse", tool_name="Bash")
    assert call.payload["hook_event_name"] == "PostToolUse"
    assert call.warnings == ()


def test_the_payload_names_the_event_when_the_argument_does_not():
    assert isinstance(decode("", hook_event_name="SessionStart").event, SessionStart)


def test_the_command_argument_wins_over_another_name_in_the_payload():
    """S0-020"""
    call = decode("PreToolUse", hook_event_name="Stop")
    assert isinstance(call.event, PreToolUse)
    assert call.warnings == ("claude: called for PreToolUse, but hook_event_name is 'Stop'; PreToolUse was taken",)


def test_no_name_at_all_is_an_unknown_event_with_a_warning():
    call = decode("")
    assert call.event == Unknown()
    assert "no event was named" in call.warnings[0]


def test_an_event_nobody_knows_passes_through_with_all_its_fields():
    """S3-066"""
    call = decode("BrandNew", session_id="s", context_usage=0.5, pid=1)
    assert call.event == Unknown(hook_event_name="BrandNew", session_id="s")
    assert call.payload["context_usage"] == 0.5 and call.payload["pid"] == 1


def test_session_start_needs_no_permission_mode():
    """S3-063"""
    call = decode("SessionStart", session_id="s", source="startup")
    assert call.event.permission_mode == "" and call.warnings == ()


def test_a_numeric_looking_session_id_stays_a_string():
    """S3-064"""
    assert decode("Stop", session_id="7").event.session_id == "7"


def test_camel_case_keys_are_taken_at_the_top_and_left_alone_below():
    """S3-060, S3-061, S3-062"""
    call = decode(
        hookEventName="PreToolUse", sessionId="s", transcriptPath="/t", permissionMode="plan", toolName="Write",
        toolInput={"filePath": "a", "file_path": "b"},
    )  # fmt: skip
    event = call.event
    assert isinstance(event, PreToolUse)
    assert (event.session_id, event.transcript_path, event.permission_mode) == ("s", "/t", "plan")
    assert event.tool_input == {"filePath": "a", "file_path": "b"}
    assert "toolName" not in call.payload and call.payload["tool_name"] == "Write"


def test_snake_case_wins_when_both_spellings_are_there():
    """S3-061"""
    assert decode("Stop", session_id="real", sessionId="other").event.session_id == "real"


def test_subagent_type_and_response_are_understood_and_kept():
    """S4-005"""
    start = decode("SubagentStart", subagent_type="planner")
    assert isinstance(start.event, SubagentStart) and start.event.subject == "planner"
    assert start.payload["subagent_type"] == start.payload["agent_type"] == "planner"
    stop = decode("Stop", response="done")
    assert isinstance(stop.event, Stop) and stop.event.last_assistant_message == "done"
    assert decode("SubagentStop", subagent_type="x", agent_type="guardian").event.agent_type == "guardian"


def test_the_former_name_of_the_agent_tool_is_translated():
    assert decode("PreToolUse", tool_name="Task").event.tool_name == "Agent"


def test_the_project_root_field_stays_in_the_payload():
    """S0-021"""
    assert decode("PreToolUse", **{"claude-project-root": "/p"}).payload["claude-project-root"] == "/p"


def test_a_wrong_type_drops_that_field_alone_and_says_so():
    """S3-065"""
    call = decode("PreToolUse", tool_name="Bash", tool_input="rm", session_id=7, cwd="/p")
    given = {"input": ["rm"]}  # what a tool is given is judged all the same
    assert call.event == PreToolUse(hook_event_name="PreToolUse", tool_name="Bash", cwd="/p", tool_input=given)
    assert call.warnings == (
        "claude: PreToolUse.session_id is a number, expected a string",
        "claude: PreToolUse.tool_input is a string, expected an object",
    )
    assert ADAPTER.encode(call, Decision()).stdout == b""


def test_null_is_the_same_as_absent():
    call = decode("PreToolUse", tool_name="Bash", agent_id=None)
    assert call.event.tool_name == "Bash" and call.warnings == ()


@pytest.mark.parametrize(
    "stdin", [b"", b" \n", b"garbage", b"[]", b'"x"', b"7", b"null", b"{", b'{"a":1}x', b"\xff\xfe"]
)
def test_what_is_no_json_object_is_refused_with_a_short_message(stdin):
    with pytest.raises(PayloadError) as caught:
        ADAPTER.decode(Request("claude", "PreToolUse", stdin, "1"))
    message = str(caught.value)
    assert message.startswith("claude PreToolUse: ") and len(message) < 200 and "\n" not in message


@pytest.mark.parametrize("depth", [300, 2_000, 100_000])
@pytest.mark.parametrize("ends", [(b"[", b"]"), (b'{"a":', b"}")])
def test_what_is_nested_too_deep_is_refused(depth, ends):
    nested = ends[0] * depth + b"1" + ends[1] * depth
    with pytest.raises(PayloadError, match="nested deeper than"):
        ADAPTER.decode(Request("claude", "PreToolUse", b'{"tool_input":{"x":' + nested + b"}}", "1"))


@pytest.mark.parametrize(
    "text",
    [b"rm \xff -rf", b"rm \\ud800 -rf", b"rm \x01 -rf"],
    ids=["a stray byte", "half a surrogate pair", "a raw control character"],
)
def test_a_damaged_text_does_not_dodge_a_guard(text):
    stdin = b'{"tool_name":"Bash","tool_input":{"command":"' + text + b'"}}'
    call = ADAPTER.decode(Request("claude", "PreToolUse", stdin, "1"))
    assert call.event.tool.command.startswith("rm ") and call.event.tool.command.endswith(" -rf")
    msgspec.json.encode(call.payload)


@pytest.mark.parametrize("number", [b"NaN", b"-Infinity", b"1e999", b"9" * 5_000, b"9" * 300])
def test_an_odd_number_does_not_dodge_a_guard(number):
    stdin = b'{"tool_name":"Bash","tool_input":{"command":"ls","timeout":' + number + b"}}"
    call = ADAPTER.decode(Request("claude", "PreToolUse", stdin, "1"))
    assert call.event.tool.command == "ls"
    msgspec.json.encode(call.payload)


def test_a_byte_order_mark_is_skipped():
    assert ADAPTER.decode(Request("claude", "Stop", b'\xef\xbb\xbf{"session_id":"s"}', "1")).event.session_id == "s"


@settings(max_examples=300, deadline=None)
@given(event=st.sampled_from([*EVENTS, "", "New"]), stdin=st.binary(max_size=200))
def test_any_bytes_are_a_call_or_a_payload_error(event, stdin):
    _decode_or_refuse(event, stdin)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), file=st.sampled_from(FILES))
def test_a_damaged_payload_is_a_call_or_a_payload_error(data, file):
    damaged = bytearray(json.dumps(json.loads(file.read_bytes()), separators=(",", ":")).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(damaged)))
        damaged[start : start + data.draw(st.integers(0, 5))] = data.draw(st.binary(max_size=5))
    _decode_or_refuse(file.name.partition(".")[0], bytes(damaged))


@settings(max_examples=200, deadline=None)
@given(data=st.data(), file=st.sampled_from(FILES))
def test_a_field_of_any_type_never_breaks_a_call(data, file):
    payload = json.loads(file.read_bytes())
    odd = st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
        max_leaves=4,
    )
    for key in data.draw(st.lists(st.sampled_from(sorted(payload)), max_size=3)):
        payload[key] = data.draw(odd)
    call = ADAPTER.decode(Request("claude", file.name.partition(".")[0], json.dumps(payload).encode(), "1"))
    assert type(call.event).__name__ == file.name.partition(".")[0]


def _decode_or_refuse(event, stdin):
    try:
        call = ADAPTER.decode(Request("claude", event, stdin, "1"))
    except PayloadError:
        return
    assert isinstance(call, Call)
    msgspec.json.encode(call.payload)
    msgspec.json.encode(call.event)


def test_a_deny_has_exactly_the_agents_shape():
    """S4-006, S0-050"""
    denied = Decision(kind=Kind.DENY, by="git.force-push", reason="Not on main.")
    assert encoded(bash(), denied) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "Not on main.",
        }
    }


@pytest.mark.parametrize("mode", [{}, {"permission_mode": "bypassPermissions"}])
def test_a_rewrite_that_nobody_would_be_asked_about_is_an_allow_with_the_whole_input(mode):
    """S4-007, S0-050"""
    call = bash(**mode)
    new = call.event.tool.replace_values(command="git push --force-with-lease")
    assert encoded(call, Decision(kind=Kind.REWRITE, reason="Safer.", input=new)) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "permissionDecisionReason": "Safer.",
            "updatedInput": {"command": "git push --force-with-lease", "description": "Push", "timeout": 5},
        }
    }


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "auto", "dontAsk", "somethingNew"])
def test_a_rewrite_never_skips_a_permission_prompt(mode):
    call = bash(permission_mode=mode)
    decision = Decision(kind=Kind.REWRITE, reason="Safer.", input={"command": "x"})
    assert encoded(call, decision)["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "updatedInput": {"command": "x"},
        "additionalContext": "Safer.",
    }
    allowed = msgspec.structs.replace(decision, allowed=True)
    assert encoded(call, allowed)["hookSpecificOutput"]["permissionDecision"] == "allow"


def test_advice_carries_no_decision():
    """S4-008, S4-009"""
    for event in ("PreToolUse", "PostToolUse"):
        told = encoded(decode(event), Decision(kind=Kind.ADVISE, context=("Run the tests.",)))
        assert told == {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "Run the tests."}}


def test_a_reason_with_quotes_and_newlines_is_escaped():
    """S4-012"""
    reason = 'branch "x\'y"\n\\ \t\x00 é'
    said = encoded(bash(), Decision(kind=Kind.DENY, reason=reason))
    assert said["hookSpecificOutput"]["permissionDecisionReason"] == reason.strip()


def test_a_failed_hook_is_loud_and_blocks_nothing():
    """S4-002"""
    answer = ADAPTER.encode(bash(), Decision(warnings=("hook a: crash: exit 1\nat line 2",)))
    assert answer.exit == 0
    assert answer.stderr == b"synaptic: hook a: crash: exit 1 at line 2\n"
    assert json.loads(answer.stdout) == {"systemMessage": "synaptic: hook a: crash: exit 1\nat line 2"}


def test_nothing_to_say_prints_nothing():
    """S4-001"""
    answer = ADAPTER.encode(bash(), Decision())
    assert (answer.stdout, answer.stderr, answer.exit) == (b"", b"", 0)


def test_lint_feedback_reaches_the_model():
    """S4-003"""
    told = encoded(decode("PostToolUse", tool_name="Edit"), Decision(kind=Kind.ADVISE, feedback=("a.py:1 E501",)))
    assert told == {"decision": "block", "reason": "a.py:1 E501"}


def test_stop_speaks_with_a_message_or_a_block_and_keeps_advice_for_later():
    """S4-011"""
    call = decode("Stop")
    assert encoded(call, Decision(kind=Kind.ADVISE, messages=("Summary.",))) == {"systemMessage": "Summary."}
    assert encoded(call, Decision(kind=Kind.ADVISE, feedback=("No plan.",))) == {
        "decision": "block",
        "reason": "No plan.",
    }
    advice = ADAPTER.degrade(call, Decision(kind=Kind.ADVISE, by="a.b", context=("Later.",)))
    assert advice.effects == (Deliver("Later."),)
    assert (advice.trace[0].hook, advice.trace[0].phase) == ("a.b", "degraded")
    assert ADAPTER.encode(call, advice).stdout == b""


def test_managed_settings_cannot_be_vetoed():
    denied = Decision(kind=Kind.DENY, reason="no")
    assert encoded(decode("ConfigChange", source="user_settings"), denied) == {"decision": "block", "reason": "no"}
    assert encoded(decode("ConfigChange", source="policy_settings"), denied) == {"systemMessage": "no"}


def test_instructions_that_look_like_json_stay_text():
    call = decode("PreCompact", trigger="auto")
    for text in ('{"a":1}', '{"async":true}'):
        decision = ADAPTER.degrade(call, Decision(kind=Kind.ADVISE, context=(text,)))
        assert ADAPTER.encode(call, decision).stdout == f"Instructions: {text}".encode()


def test_an_extra_of_a_wrong_type_is_left_out_because_it_would_void_the_deny():
    decision = Decision(kind=Kind.DENY, reason="no", extras={"continue": "false", "terminalSequence": "\x1b[2J"})
    degraded = ADAPTER.degrade(bash(), decision)
    assert degraded.extras == {}
    assert degraded.trace[0].note == "value not valid: continue, terminalSequence"


def test_deny_beats_defer_and_defer_beats_ask():
    extras = {"permissionDecision": "defer"}
    for kind, word in ((Kind.DENY, "deny"), (Kind.ASK, "defer"), (Kind.ALLOW, "defer"), (Kind.NONE, "defer")):
        said = encoded(bash(), Decision(kind=kind, reason="r", extras=extras))
        assert said["hookSpecificOutput"]["permissionDecision"] == word
    smuggled = ADAPTER.degrade(bash(), Decision(extras={"permissionDecision": "allow"}))
    assert smuggled.extras == {}


def test_each_event_answers_within_the_time_its_settings_entry_asks_for():
    for event, entry in build_entries(EntryPlan(dispatch="/home/dev/.synaptic/bin/dispatch", token="0" * 32)).items():
        assert ADAPTER.get_capability(event).timeout == entry["hooks"][0]["timeout"]


def test_compaction_carries_its_own_instructions_and_nothing_that_waits_for_the_model():
    assert not ADAPTER.get_capability("PreCompact").context
    call = decode("PreCompact")
    decision = ADAPTER.degrade(call, Decision(kind=Kind.ADVISE, context=("Keep the plan.",)))
    assert ADAPTER.encode(call, decision).stdout == b"Keep the plan."
