"""Gates in a chain of scripted hooks: what is heard from them changes no decision."""

from collections.abc import Mapping
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from synaptic.hooks import select
from synaptic.model.decision import Decision, Kind, Verdict, advise, allow, ask, deny, rewrite
from synaptic.model.event import PreToolUse
from synaptic.model.hook import Builtin
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from tests.pipeline.chains import Says, TableRuntime, decide, hook
from tests.pipeline.test_run import FactsOfInput

COUNTED = Change(section="session:counted", add={"n": 1})


class Guard(Policy):
    """Denies a word.

    ## What it does
    Denies.
    ## Why
    To be tried.
    """

    id = "test.guard"
    events = (PreToolUse,)
    word: str = "ls"
    says: Kind = Kind.DENY

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if self.word not in event.tool.command:
            return None
        return Verdict(says=self.says, reason=f"no {self.word}", context=("hint",), effects=(COUNTED,))


class Gate(Guard):
    """The same as a gate.

    ## What it does
    Denies.
    ## Why
    To be tried.
    """

    id = "test.gate"
    is_gate = True


def decide_with(policies: Mapping[str, Policy], says: Mapping[str, Says] | None = None) -> Decision:
    scripts = dict(says or {})
    hooks = [hook(name, 20 + place, handler=Builtin(one)) for place, (name, one) in enumerate(policies.items())]
    return decide([*hooks, *(hook(name, 60 + place) for place, name in enumerate(scripts))], TableRuntime(scripts))


def phases(decision: Decision) -> list[tuple[str, str]]:
    return [(step.hook, step.phase) for step in decision.trace]


def test_gates_behind_a_gate_are_heard_and_guards_are_not() -> None:
    decision = decide_with({"a": Gate(), "b": Guard(), "c": Gate(), "d": Gate(word="rm"), "e": Gate()})
    assert decision.reason == "a: no ls\nc: no ls\ne: no ls"
    assert phases(decision) == [
        ("policies", "quiet"),
        ("a", "run"),
        ("c", "told"),
        ("e", "told"),
        ("policies", "skipped"),
    ]
    assert decision.trace[0].note == "d" and decision.trace[-1].note == "after a deny: b"
    assert decision.effects == (COUNTED,)  # of the one that has decided


def test_behind_a_guard_nobody_is_heard() -> None:
    decision = decide_with({"a": Guard(), "b": Gate()})
    assert (decision.by, decision.reason) == ("a", "no ls")
    assert decision.trace[-1].note == "after a deny: b"


def test_a_gate_that_would_only_ask_or_advise_has_no_reason_to_tell() -> None:
    decision = decide_with({"a": Gate(), "b": Gate(says=Kind.ASK), "c": Gate(says=Kind.ALLOW)})
    assert decision.reason == "no ls" and decision.kind is Kind.DENY
    assert decision.trace[0].note == "b c"


def test_gates_are_heard_about_a_rewritten_call_as_well() -> None:
    turns: Says = lambda seen: rewrite({"command": "rm"}, "x") if seen["command"] == "ls" else None  # noqa: E731
    decision = decide_with({"a": Gate(word="rm"), "b": Gate(word="rm"), "c": Gate(word="cp")}, {"turns": turns})
    assert decision.reason == "a: no rm\nb: no rm"
    assert ("a", "recheck") in phases(decision) and ("b", "told") in phases(decision)
    # All of them were silent at first; nobody is named twice.
    assert [step.note.split() for step in decision.trace if step.phase == "quiet"] == [["a", "b", "c"]]


def test_facts_are_gathered_once() -> None:
    runtime = FactsOfInput({})
    decide([hook(name, 20 + n, handler=Builtin(Gate())) for n, name in enumerate("abcd")], runtime)
    assert runtime.gathered == ["ls"]


def test_hooks_that_observe_hear_of_a_call_that_gates_refuse_once() -> None:
    runtime = TableRuntime({"watch": advise("seen")})
    first, second = (hook(name, priority, handler=Builtin(Gate())) for name, priority in (("a", 20), ("b", 60)))
    decision = decide([first, hook("watch", 50, blocking=False), second, hook("late", 70)], runtime)
    assert runtime.ran == ["watch"]
    assert phases(decision) == [("a", "run"), ("watch", "run"), ("b", "told"), ("late", "skipped")]


policies = st.builds(
    lambda kind, word, says: kind(word=word, says=says),
    st.sampled_from([Gate, Guard]),
    st.sampled_from(["ls", "rm", "-a"]),
    st.sampled_from([Kind.DENY, Kind.DENY, Kind.ASK, Kind.ALLOW]),
)
scripts: st.SearchStrategy[Says] = st.sampled_from(
    [None, deny("no"), ask("?"), allow(), lambda seen: rewrite({"command": "ls -a"}, "all")]
)


@given(st.lists(policies, max_size=6), st.lists(scripts, max_size=3))
def test_what_is_heard_changes_neither_the_decision_nor_what_follows(chain: list[Policy], after: list[Says]) -> None:
    """Law: deny wins, and the order is total. Who decides, with which input and effects, is as without hearing."""
    named = {f"p{n}": policy for n, policy in enumerate(chain)}
    says = {f"s{n}": said for n, said in enumerate(after)}
    heard = decide_with(named, says)
    with patch.object(select, "_is_gate", lambda policy: False):
        alone = decide_with(named, says)
    assert (heard.kind, heard.by, heard.input, heard.effects, heard.allowed) == (
        alone.kind,
        alone.by,
        alone.input,
        alone.effects,
        alone.allowed,
    )
    assert alone.reason in heard.reason
    if heard.reason != alone.reason:
        assert heard.reason.startswith(f"{heard.by}: {alone.reason}\n")
