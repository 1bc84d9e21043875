"""A decision that says nothing takes the short way, which leads where the long one does."""

import pytest

from synaptic.agents.claude import dialect
from synaptic.agents.shared.degrade import degrade_decision
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.effect import Deliver
from synaptic.model.event import EVENTS

SILENT = Decision(trace=(TraceStep(hook="policies", phase="quiet", note="a b"),))


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_silence_is_answered_with_silence_at_every_event(name: str) -> None:
    call = Call("c", "claude", EVENTS[name](hook_event_name=name), {})
    assert degrade_decision(SILENT, dialect._find_capability(call.event), "claude") is SILENT
    assert dialect.ADAPTER.degrade(call, SILENT) is SILENT
    assert dialect.ADAPTER.encode(call, SILENT) == dialect._build_answer(call.event, SILENT, b"")


def test_warnings_of_the_call_are_still_told() -> None:
    call = Call(
        "c", "claude", EVENTS["PreToolUse"](hook_event_name="PreToolUse"), {}, warnings=("a field was dropped",)
    )
    assert b"a field was dropped" in dialect.ADAPTER.encode(call, SILENT).stderr


@pytest.mark.parametrize(
    "said",
    [
        Decision(kind=Kind.DENY),
        Decision(reason="x"),
        Decision(input={}),
        Decision(allowed=True),
        Decision(context=("x",)),
        Decision(messages=("x",)),
        Decision(feedback=("x",)),
        Decision(warnings=("x",)),
        Decision(extras={"x": 1}),
        Decision(effects=(Deliver("x"),)),
    ],
    ids=repr,
)
def test_whatever_is_said_is_no_silence(said: Decision) -> None:
    assert SILENT.is_silent
    assert not said.is_silent
