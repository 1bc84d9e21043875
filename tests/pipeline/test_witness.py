"""The judgement on calls: cases, and what holds for every combination of signs."""

import tomllib
from functools import reduce
from itertools import combinations
from operator import or_
from pathlib import Path

import pytest

from synaptic.model.decision import Decision, Kind
from synaptic.model.tool import Tool
from synaptic.model.witness import ALARMS, Sign, Standing
from synaptic.pipeline.witness import add_report, describe_asked, describe_input, judge_call, judge_kept

CASES = tomllib.loads(Path(__file__).with_name("witness.toml").read_text(encoding="utf-8"))["case"]
EVERY = [reduce(or_, some, Sign(0)) for count in range(len(Sign) + 1) for some in combinations(Sign, count)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_became_of_a_call(case):
    assert judge_call(reduce(or_, (Sign[name] for name in case["signs"]))) == Standing(case["want"])


def test_nothing_that_was_let_through_or_asked_about_raises_an_alarm():
    untold = [signs for signs in EVERY if Sign.TOLD not in signs]
    assert not [signs for signs in untold if signs & (Sign.LET | Sign.QUESTION) and judge_call(signs) in ALARMS]


def test_what_was_told_stays_told_and_nothing_else_is_an_alarm_afterwards():
    assert all((judge_kept(signs) in ALARMS) == (Sign.TOLD in signs) for signs in EVERY)


def test_nothing_raises_an_alarm_that_has_neither_run_nor_is_in_a_transcript():
    unseen = [signs for signs in EVERY if not signs & (Sign.RAN | Sign.WRITTEN | Sign.NO_ENTRY | Sign.TOLD)]
    assert not [signs for signs in unseen if judge_call(signs) in ALARMS]


def test_an_unasked_call_needs_settings_without_an_entry():
    assert all(Sign.NO_ENTRY in signs for signs in EVERY if judge_call(signs) is Standing.UNASKED)


def test_a_result_with_another_input_is_no_disobedience():
    report = add_report({1: Sign.REFUSED}, 2, Sign.RAN)
    assert judge_call(report) is Standing.NOT_OBSERVABLE


def test_a_result_under_an_unknown_number_stays_what_it_is():
    assert add_report({}, 2, Sign.RAN) == Sign.RAN
    assert add_report({2: Sign.RAN}, 3, Sign.RAN) == Sign.RAN


def test_what_agents_add_and_leave_out_makes_no_other_call():
    bare = Tool("Edit", {"file_path": "/p/a", "old_string": "x", "new_string": "y"})
    told = Tool("Edit", {"new_string": "y", "old_string": "x", "file_path": "/p/a", "replace_all": False})
    assert describe_input(bare) == describe_input(told)
    command = Tool("Bash", {"command": "make", "description": "build", "timeout": 5})
    assert describe_input(command) == describe_input(Tool("Bash", {"command": "make"}))


def test_another_file_is_another_call():
    assert describe_input(Tool("Read", {"file_path": "/a"})) != describe_input(Tool("Read", {"file_path": "/b"}))
    assert describe_input(Tool("Read", {"file_path": "/a"})) != describe_input(Tool("Write", {"file_path": "/a"}))


@pytest.mark.parametrize("given", [{"x": "\ud800"}, {"x": object()}, {"x": {1: 2}}, {}])
def test_any_input_can_be_described(given):
    assert describe_input(Tool("Odd", given))


def test_a_rewrite_that_changes_nothing_that_counts_replaces_nothing():
    tool = Tool("Bash", {"command": "make", "description": "a"})
    same = Decision(kind=Kind.REWRITE, input={"command": "make", "description": "b"})
    assert describe_asked(tool, "t1", same).let == b""
    other = describe_asked(tool, "t1", Decision(kind=Kind.REWRITE, input={"command": "make -n"}))
    assert other.let == b"$make -n"
    assert Sign.LET in other.signs
