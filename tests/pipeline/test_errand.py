"""A policy in two halves: what it asks to be run, and what it makes of the end."""

import asyncio
from typing import Any

import pytest

from synaptic.hooks.select import HookIndex
from synaptic.model.call import Call
from synaptic.model.decision import Kind, Verdict, deny
from synaptic.model.errand import Errand, ErrandResult
from synaptic.model.event import PostToolUse, PreToolUse
from synaptic.model.hook import Builtin, Hook
from synaptic.pipeline.run import run_hooks
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from tests.pipeline.chains import TableRuntime, call


class Asks(Policy):
    """Asks a program.

    ## What it does
    Denies when the program fails.
    ## Why
    A test needs one.
    """

    id = "test.asks"
    events = (PreToolUse, PostToolUse)

    def check(self, event: Any, facts: Facts) -> Verdict | None:
        return Verdict(errand=Errand(argv=("lint",), cwd="/p"))

    def conclude(self, event: Any, facts: Facts, ended: ErrandResult) -> Verdict | None:
        if ended.trouble == "crash":
            raise ValueError("a defect")
        return deny(ended.output) if ended.exit else None


class Running(TableRuntime):
    """A runtime whose programs end as the test says."""

    def __init__(self, ended: ErrandResult) -> None:
        super().__init__({})
        self.ended = ended
        self.asked: list[Errand] = []

    async def run_errand(self, call: Call, errand: Errand) -> ErrandResult:
        self.asked.append(errand)
        return self.ended


def decided(ended: ErrandResult, event: str = "PreToolUse"):
    hook = Hook(id=Asks.id, events=("PreToolUse", "PostToolUse"), handler=Builtin(Asks()))
    runtime = Running(ended)
    about = call(event)
    runtime.index = HookIndex([hook])
    decision = asyncio.run(run_hooks(about, runtime.select(about), runtime))
    assert [errand.argv for errand in runtime.asked] == [("lint",)]
    return decision


def test_the_end_decides():
    assert decided(ErrandResult(exit=1, output="F821")).kind is Kind.DENY
    assert decided(ErrandResult()).kind is Kind.NONE


def test_after_the_act_it_is_feedback():
    """S4-003"""
    decision = decided(ErrandResult(exit=1, output="F821"), "PostToolUse")
    assert decision.feedback == ("F821",)


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_a_defect_in_the_second_half_is_a_question_before_the_act_and_a_warning_after_it(event: str):
    decision = decided(ErrandResult(trouble="crash"), event)
    assert decision.kind is (Kind.ASK if event == "PreToolUse" else Kind.NONE)
    assert "ValueError: a defect" in decision.warnings[0]
