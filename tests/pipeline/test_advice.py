"""Hooks that only advise: what they say is told, and nothing follows from it."""

import json
from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.decision import Decision, Failure, Fault, Kind, Recorded, Verdict, allow, ask, deny, rewrite
from synaptic.model.event import PreToolUse
from synaptic.model.hook import Builtin, Hook, Mode
from synaptic.model.state import Change
from synaptic.pipeline.advice import soften_answer, soften_verdict
from synaptic.pipeline.lifting import GrantLook, Refusal
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from tests.pipeline.chains import Says, TableRuntime, call, decide, hook
from tests.pipeline.test_gates import COUNTED, Gate, Guard

STRONG = (Kind.DENY, Kind.ASK)


class Failing(Policy):
    """Always fails.

    ## What it does
    Nothing.
    ## Why
    To be tried.
    """

    id = "test.failing"
    events = (PreToolUse,)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        raise RuntimeError("on purpose")


class Needing(Policy):
    """Needs what cannot be found out.

    ## What it does
    Nothing.
    ## Why
    To be tried.
    """

    id = "test.needing"
    events = (PreToolUse,)
    needs = ("git",)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        return None


class Blind(TableRuntime):
    """A runtime in which git cannot be asked."""

    async def gather_facts(self, about, needs):  # type: ignore[no-untyped-def]
        return Facts(root=about.root, failed={"git": "no git"} if "git" in needs else {})


class Granting(TableRuntime):
    """A runtime that counts who looks for an exception."""

    def __init__(self, says: Mapping[str, Says]) -> None:
        super().__init__(says)
        self.looked: list[str] = []

    def look_for_grant(self, refusal: Refusal) -> GrantLook:
        self.looked.append(refusal.hook.id)
        return GrantLook(grant="g1")


def one(policy: Policy, mode: Mode = "advise", priority: int = 30) -> Hook:
    return hook(policy.id, priority, handler=Builtin(policy), mode=mode)


def test_a_refusal_is_told_to_both_and_the_call_goes_on() -> None:
    decision = decide([one(Guard())], TableRuntime({}))
    assert decision.kind is Kind.ADVISE and decision.reason == "" and decision.effects == ()
    assert decision.context[0] == decision.messages[0]
    assert decision.context[0].startswith("test.guard would refuse this") and "no ls" in decision.context[0]
    step = next(step for step in decision.trace if step.hook == "test.guard")
    assert step.kind is Kind.ADVISE and step.note == "would deny; it is set to advise"


def test_a_question_is_told_and_nobody_is_asked() -> None:
    decision = decide([one(Guard(says=Kind.ASK))], TableRuntime({}))
    assert decision.kind is Kind.ADVISE and "would ask a person about this" in decision.context[0]


def test_a_rewrite_is_suggested_to_the_model_alone() -> None:
    decision = decide([hook("a", mode="advise")], TableRuntime({"a": rewrite({"command": "rm -i x"}, "safer")}))
    assert decision.input is None and decision.messages == ()
    assert decision.context[0].endswith("so it goes on as it is: rm -i x")


def test_a_permission_is_none() -> None:
    decision = decide([hook("a", mode="advise")], TableRuntime({"a": allow("fine")}))
    assert decision.kind is Kind.NONE and not decision.allowed


def test_no_exception_is_looked_for() -> None:
    runtime = Granting({"a": deny("no")})
    assert decide([hook("a", mode="advise")], runtime).grants == () and runtime.looked == []
    decide([hook("a")], runtime)
    assert runtime.looked == ["a"]


def test_after_a_refusal_that_was_only_told_the_others_are_asked() -> None:
    runtime = TableRuntime({"b": deny("really")})
    decision = decide([one(Guard()), hook("b", 60)], runtime)
    assert (decision.kind, decision.by, decision.reason) == (Kind.DENY, "b", "really")


@pytest.mark.parametrize(("mode", "kind"), [("enforce", Kind.ASK), ("advise", Kind.NONE)])
def test_a_crash_is_no_question_and_is_told(mode: Mode, kind: Kind) -> None:
    decision = decide([one(Failing(), mode)], TableRuntime({}))
    assert decision.kind is kind and "on purpose" in decision.warnings[0]


@pytest.mark.parametrize(("mode", "kind"), [("enforce", Kind.ASK), ("advise", Kind.NONE)])
def test_facts_that_fail_are_no_question_and_are_told(mode: Mode, kind: Kind) -> None:
    decision = decide([one(Needing(), mode)], Blind({}))
    assert decision.kind is kind and "no git" in decision.warnings[0]


def test_a_guard_that_is_enforced_is_still_asked_for_when_another_one_advises() -> None:
    class Later(Needing):
        __doc__ = Needing.__doc__
        id = "test.later"

    decision = decide([one(Needing()), one(Later(), "enforce", 31)], Blind({}))
    assert decision.kind is Kind.ASK and decision.by == "test.later"


def test_a_gate_that_advises_is_not_heard_after_another_gate() -> None:
    class Other(Gate):
        __doc__ = Gate.__doc__
        id = "test.other"

    gates = [one(Gate(), "enforce", 20), one(Other(), "advise", 21)]
    decision = decide(gates, TableRuntime({}))
    assert decision.reason == "no ls" and not any(step.phase == "told" for step in decision.trace)
    # And its own refusal, which is only advice, makes nobody speak.
    decision = decide([one(Gate(), "advise", 20), one(Other(), "enforce", 21)], TableRuntime({}))
    assert (decision.kind, decision.by) == (Kind.DENY, "test.other")


def test_what_it_would_say_about_a_rewritten_call_is_told_too() -> None:
    runtime = TableRuntime({"b": rewrite({"command": "rm x"}, "other")})
    decision = decide([one(Guard(word="rm")), hook("b", 60)], runtime)
    assert decision.kind is Kind.REWRITE and "no rm" in decision.context[0]


def test_what_it_only_writes_down_is_still_written() -> None:
    assert soften_verdict("a", Verdict(context=("hint",), effects=(COUNTED,))).effects == (COUNTED,)
    assert soften_verdict("a", deny("no", COUNTED)).effects == ()
    assert soften_verdict("a", rewrite({"command": "x"}, "y", COUNTED)).effects == ()


def test_a_stop_is_not_kept_from_stopping() -> None:
    decision = decide([hook("a", events=("Stop",), mode="advise")], TableRuntime({"a": deny("wait")}), call("Stop"))
    assert decision.feedback == () and "wait" in decision.context[0]


def test_fields_of_an_agent_are_left_out() -> None:
    assert soften_verdict("a", Verdict(extras={"continue": False})) == Verdict()


def test_a_long_input_is_cut() -> None:
    told = soften_verdict("a", rewrite({"command": "x" * 5000}, "")).context[0]
    assert len(told) < 2200


TEXTS = st.sampled_from(("", "a reason"))
INPUTS = st.none() | st.sampled_from(({"command": "ls -l"}, {"command": "rm x"}))
VERDICTS = st.builds(
    Verdict,
    says=st.sampled_from((Kind.NONE, Kind.ALLOW, Kind.ASK, Kind.DENY)),
    reason=TEXTS,
    input=INPUTS,
    context=st.sampled_from(((), ("hint",))),
    effects=st.sampled_from(((), (COUNTED,))),
    extras=st.sampled_from(({}, {"continue": False})),
)
ANSWERS = st.none() | VERDICTS | st.builds(Failure, st.sampled_from(Fault), st.just("broken"), asks=st.booleans())
NAMES = ("a", "b", "c", "d")
CHAINS = st.lists(st.tuples(ANSWERS, st.sampled_from(("enforce", "advise"))), min_size=1, max_size=4)


def run_chain(chain: list[tuple[Verdict | Failure | None, Mode]], left_out: frozenset[str] = frozenset()) -> Decision:
    named = [(name, said, mode) for name, (said, mode) in zip(NAMES, chain, strict=False) if name not in left_out]
    hooks = [hook(name, 20 + NAMES.index(name), mode=mode) for name, _, mode in named]
    return decide(hooks, TableRuntime({name: said for name, said, _ in named}))


@given(CHAINS)
def test_whatever_a_hook_that_advises_says_the_decision_is_the_others(chain: list) -> None:
    """Kind, reason, input and permission are as without it; a silent decision may become advice."""
    advising = frozenset(name for name, (_, mode) in zip(NAMES, chain, strict=False) if mode == "advise")
    whole, without = run_chain(chain), run_chain(chain, advising)
    same = ("by", "reason", "input", "allowed", "feedback", "extras", "refused", "grants")
    assert [getattr(whole, name) for name in same] == [getattr(without, name) for name in same]
    assert whole.kind is without.kind or (without.kind is Kind.NONE and whole.kind is Kind.ADVISE)
    said = [step for step in whole.trace if step.hook in advising]
    assert not any(step.kind.rank > Kind.ADVISE.rank for step in said)


@given(VERDICTS)
def test_softened_twice_is_softened_once(verdict: Verdict) -> None:
    once = soften_verdict("a", verdict)
    assert soften_verdict("a", once) == once and once.kind.rank <= Kind.ADVISE.rank


def test_silence_and_what_is_only_noted_stay() -> None:
    assert soften_answer("a", None) == (None, "")
    noted = Recorded(effects=(Change(section="session:x", add={"n": 1}),))
    softened, note = soften_answer("a", noted)
    assert isinstance(softened, Verdict) and softened.effects == noted.effects and note == ""
    assert soften_answer("a", ask("?"))[1].startswith("would ask")


def test_an_input_that_is_no_command_is_shown_as_json() -> None:
    told = soften_verdict("a", rewrite({"file_path": "/x"}, "")).context[0]
    assert json.loads(told.rpartition("is: ")[2]) == {"file_path": "/x"}
    assert msgspec.json.encode({"file_path": "/x"}).decode() in told
