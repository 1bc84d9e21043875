"""Native names in, canonical names through, and a rewrite back in the agent's own words."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.agents.shared.translate import (
    Dialect,
    ToolForm,
    decode_request,
    find_native_event,
    refine_failure,
    to_native_input,
)
from synaptic.model.call import Call, Request
from synaptic.model.errors import PayloadError
from synaptic.model.event import PostToolUse, PreToolUse, Stop, Unknown
from synaptic.model.tool import Tool

DIALECT = Dialect(
    agent="other",
    events={"beforeTool": "PreToolUse", "beforeShell": "PreToolUse", "end": "Stop"},
    fields={"sessionId": "session_id", "said": "last_assistant_message"},
    tools={
        "shell": ToolForm("Bash", {"cmd": "command"}, directory="dir"),
        "put": ToolForm("Write", {"path": "file_path", "where": "file_path", "text": "content"}),
        "many": ToolForm("Bash", read=lambda given: Tool("Bash", {"command": "\n".join(given["all"])})),
    },
    mcp=lambda name, payload: f"mcp__{payload['server']}__{name}" if "server" in payload else name,
)


def decode(event="", **payload) -> Call:
    return decode_request(Request("other", event, json.dumps(payload).encode(), "1", {"A": "b"}), DIALECT)


def shell(**given) -> Call:
    return decode("beforeTool", tool_name="shell", tool_input=given, cwd="/p")


def test_tool_and_keys_are_canonical_and_what_they_were_is_kept():
    call = shell(cmd="ls", extra=1)
    assert isinstance(call.event, PreToolUse)
    assert call.event.tool == Tool("Bash", {"command": "ls", "extra": 1})
    assert call.payload["native_tool_name"] == "shell"
    assert call.payload["native_tool_input"] == {"cmd": "ls", "extra": 1}
    assert (call.id, call.agent, call.env, call.warnings) == ("1", "other", {"A": "b"}, ())


def test_what_is_canonical_already_is_not_kept_twice():
    call = decode("PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
    assert not [key for key in call.payload if key.startswith("native_")]


@pytest.mark.parametrize(
    ("asked", "said", "native"),
    [
        ("beforeTool", "beforeTool", "beforeTool"),
        ("PreToolUse", "beforeShell", "beforeShell"),
        ("beforeTool", None, "beforeTool"),
        ("", "beforeTool", "beforeTool"),
        ("PreToolUse", "PreToolUse", "PreToolUse"),
    ],
)
def test_an_event_may_be_named_in_either_vocabulary(asked, said, native):
    call = decode(asked, **({"hook_event_name": said} if said else {}))
    assert call.event.hook_event_name == call.payload["hook_event_name"] == "PreToolUse"
    assert find_native_event(call) == native
    assert call.warnings == ()


def test_the_command_line_wins_over_another_event_in_the_payload():
    call = decode("beforeTool", hook_event_name="end")
    assert isinstance(call.event, PreToolUse)
    assert call.warnings == ("other: called for PreToolUse, but hook_event_name is 'Stop'; PreToolUse was taken",)


def test_an_event_nobody_knows_passes_through():
    call = decode("brandNew", hook_event_name="brandNew", sessionId="s", more=1)
    assert call.event == Unknown(hook_event_name="brandNew", session_id="s")
    assert call.payload["more"] == 1


def test_top_level_keys_are_renamed_and_the_canonical_one_wins():
    call = decode("end", said="done", session_id="s", sessionId="t")
    assert isinstance(call.event, Stop)
    assert (call.event.last_assistant_message, call.event.session_id) == ("done", "s")


@pytest.mark.parametrize(
    ("directory", "cwd"), [("sub", "/p/sub"), ("/else", "/else"), ("../q", "/q"), (".", "/p"), ("", "/p"), (7, "/p")]
)
def test_a_command_is_judged_where_it_runs(directory, cwd):
    call = shell(cmd="ls", dir=directory)
    assert call.event.cwd == cwd
    assert call.payload.get("native_cwd", "/p") == "/p"
    assert call.event.tool_input["dir"] == directory


def test_the_name_of_an_mcp_tool_is_canonical():
    call = decode("beforeTool", tool_name="touch", tool_input={"path": "a"}, server="fm")
    assert call.event.tool_name == "mcp__fm__touch"
    assert call.payload["native_tool_name"] == "touch"
    assert to_native_input(call, DIALECT, {"path": "b"}) == {"path": "b"}


def test_a_tool_input_of_a_wrong_type_is_named_in_a_warning():
    call = decode("beforeTool", tool_name="shell", tool_input=["ls"])
    assert call.event == PreToolUse(hook_event_name="PreToolUse", tool_name="Bash", tool_input={"input": ["ls"]})
    assert call.warnings == ("other: PreToolUse.tool_input is a list, expected an object",)


def test_bytes_that_are_no_object_are_refused():
    with pytest.raises(PayloadError):
        decode_request(Request("other", "end", b"[]", "1"), DIALECT)


def test_a_rewrite_goes_back_in_the_agents_own_keys():
    assert to_native_input(shell(cmd="ls", dir="x"), DIALECT, {"command": "ls -a", "dir": "x"}) == {
        "cmd": "ls -a",
        "dir": "x",
    }


def test_of_two_names_for_one_thing_the_one_that_was_used_goes_back():
    for key in ("path", "where"):
        call = decode("beforeTool", tool_name="put", tool_input={key: "a", "text": "t"})
        assert to_native_input(call, DIALECT, {"file_path": "b", "content": "t"}) == {key: "b", "text": "t"}


@pytest.mark.parametrize("given_", [{"command": "true", "cmd": "rm x"}, {"cmd": "rm x", "command": "true"}])
def test_a_canonical_key_beside_the_agents_own_deceives_nobody(given_):
    """The agent reads its own key, so that is what is judged."""
    call = shell(**given_)
    assert call.event.tool.command == "rm x"
    assert to_native_input(call, DIALECT, {"command": "ls"}) == {"cmd": "ls"}


def test_of_two_keys_of_the_agent_the_first_of_the_table_is_read():
    for given_ in ({"path": "a", "where": "b"}, {"where": "b", "path": "a"}):
        call = decode("beforeTool", tool_name="put", tool_input=given_)
        assert call.event.tool_input == {"file_path": "a"}
        assert to_native_input(call, DIALECT, {"file_path": "c"}) == {"path": "c"}


def test_an_event_without_a_tool_has_no_input_to_write():
    assert to_native_input(decode("end"), DIALECT, {"command": "x"}) is None


KEYS = st.sampled_from(["cmd", "command", "path", "where", "text", "content", "dir", "x"])


@given(name=st.sampled_from(["shell", "put", "unheard"]), given_=st.dictionaries(KEYS, st.text(max_size=5)))
def test_writing_back_what_was_read_changes_no_value_that_was_read(name, given_):
    call = decode("beforeTool", tool_name=name, tool_input=given_)
    back = to_native_input(call, DIALECT, call.event.tool_input)
    again = decode("beforeTool", tool_name=name, tool_input=back)
    assert again.event.tool_input == call.event.tool_input


@given(
    st.dictionaries(
        st.sampled_from(["hook_event_name", "tool_name", "tool_input", "cwd", "sessionId", "server", "said"]),
        st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner)),
    )
)
def test_whatever_arrives_is_decoded(payload):
    for event in ("", "beforeTool", "PostToolUse", "odd"):
        call = decode(event, **payload)
        assert isinstance(call, Call)
        assert isinstance(call.event, PostToolUse) == (
            event == "PostToolUse" or call.event.hook_event_name == "PostToolUse"
        )


@pytest.mark.parametrize(
    ("response", "error"),
    [
        ("fine\n[Process exited with code 0]", None),
        ("bad\n\n[Process exited with code 2]", "Exit code 2\nbad\n\n[Process exited with code 2]"),
        ("[Process exited with code 2]\nsaid the program", None),
        ({"llmContent": "Output: x\nExit Code: 3\nProcess Group PGID: 7\n</untrusted_context>"}, "Exit code 3\n"),
        ({"llmContent": "Output: Exit Code: 3\nExit Code: 0\nSignal: (none)"}, None),
        ({"llmContent": "Exit Code: 3\nmore output"}, None),
        ({"llmContent": [{"text": "Exit Code: 3"}]}, None),
        ({"error": {"message": "gone"}}, "gone"),
        ({"error": "gone"}, "gone"),
        ({"error": {"code": 7}}, "the tool reports an error"),
        ({"error": None, "llmContent": "ok"}, None),
        (None, None),
    ],
)
def test_a_failure_is_told_by_its_own_event(response, error):
    payload = {"tool_response": response}
    assert refine_failure("PostToolUse", payload) == ("PostToolUseFailure" if error else "PostToolUse")
    assert payload.get("error", "").startswith(error or "")
    assert ("error" in payload) == bool(error)


def test_other_events_are_left_alone():
    assert refine_failure("PreToolUse", {"tool_response": {"error": "gone"}}) == "PreToolUse"
