from synaptic.model.call import Call
from synaptic.model.event import PreToolUse, Stop


def test_a_rewrite_changes_event_and_payload_together() -> None:
    event = PreToolUse(tool_name="Bash", tool_input={"command": "ls"})
    call = Call("c", "claude", event, {"tool_input": {"command": "ls"}, "novelty": 1})
    after = call.with_input({"command": "pwd"})
    assert after.payload == {"tool_input": {"command": "pwd"}, "novelty": 1}
    assert call.payload["tool_input"] == {"command": "ls"}


def test_an_event_without_input_stays_as_it_is() -> None:
    call = Call("c", "claude", Stop(), {})
    assert call.with_input({"command": "pwd"}) is call
