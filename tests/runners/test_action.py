"""Approve, block, modify."""

import json

import pytest

from synaptic.model.decision import Fault, Kind, Verdict
from synaptic.runners.dialect import interpret_output
from synaptic.runners.output import ProcessOutput
from tests.runners.making import make_event, make_hook
from tests.runners.saying import say, specific


def test_block_denies_with_its_reason():
    """S0-033"""
    assert say({"action": "block", "reason": "no"}) == Verdict(says=Kind.DENY, reason="no")


def test_approve_is_no_objection_and_no_permission_that_the_user_did_not_give():
    """S0-033, S0-036"""
    assert say({"action": "approve"}) is None


def test_modify_changes_only_the_keys_it_names():
    """S0-033, S4-007: other tool_input fields survive."""
    event = make_event(tool_input={"command": "ls", "timeout": 5})
    for protocol, answer in (
        ("decision", {"action": "modify", "input": {"command": "ls -a"}}),
        ("native", specific(updatedInput={"command": "ls -a"})),
    ):
        verdict = interpret_output(make_hook(protocol=protocol), event, ProcessOutput(json.dumps(answer).encode()))
        assert verdict.input == {"command": "ls -a", "timeout": 5}
        assert verdict.kind is Kind.REWRITE


@pytest.mark.parametrize("new", [None, "ls", 3, ["ls"], True])
def test_a_new_input_that_is_no_object_is_a_failure(new):
    assert say({"action": "modify", "input": new}).fault is Fault.OUTPUT
    if new is not None:
        assert say(specific(updatedInput=new), "native").fault is Fault.OUTPUT


def test_modify_of_an_event_without_input_is_a_failure():
    assert say({"action": "modify", "input": {"a": 1}}, event="UserPromptSubmit").fault is Fault.OUTPUT
