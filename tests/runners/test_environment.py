"""Variables that always fit."""

import os
import subprocess

from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.runners.environment import ENVIRONMENT_LIMIT, STRING_LIMIT, build_environment
from tests.runners.making import make_call, make_hook, make_invocation

names = st.text("ABCDEFGH_", min_size=1, max_size=6)


def variables(call, **fields):
    return build_environment(make_invocation(make_hook(), call, **fields), "m")


def test_an_event_without_a_tool_has_no_input():
    """C-08: an inherited HOOK_INPUT is never believed."""
    found = variables(make_call("/p", "Stop", env={"HOOK_INPUT": "old", "HOOK_TOOL": "old"})).variables
    assert "HOOK_INPUT" not in found
    assert (found["HOOK_EVENT"], found["HOOK_TOOL"]) == ("Stop", "")


def test_names_and_values_that_exec_refuses_are_left_out():
    found = variables(make_call("/p", tool_name="a\0b\ud800", env={"A=B": "x", "C": "nul\0", "D": "ok"})).variables
    assert found["HOOK_TOOL"] == "ab?"
    assert "D" in found and "C" not in found and "A=B" not in found


def test_the_longest_possible_string_can_still_be_executed():
    found = variables(make_call("/p", env={"A": "x" * (STRING_LIMIT - 3), "B": "x" * (STRING_LIMIT - 2)}))
    assert found.dropped == ("B",)
    assert subprocess.run(["/bin/true"], env=found.variables, check=False).returncode == 0


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(names, st.integers(0, 300_000), max_size=20))
def test_whatever_the_agent_sends_fits(sizes):
    """S0-032"""
    call = make_call("/p", env={name: "x" * size for name, size in sizes.items()} or {"A": ""})
    found = variables(call)
    lengths = [len(os.fsencode(f"{name}={value}")) + 1 for name, value in found.variables.items()]
    assert max(lengths) <= STRING_LIMIT + 1
    assert sum(lengths) <= ENVIRONMENT_LIMIT
    assert set(found.dropped) | set(found.variables) >= set(sizes)
