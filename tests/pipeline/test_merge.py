from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.decision import Decision, Failure, Fault, Kind, Verdict, advise, allow, ask, deny, rewrite
from synaptic.model.event import Timing
from synaptic.model.result import HookResult
from synaptic.pipeline.merge import HookOutcome, merge_outcomes, merge_part, merge_results
from tests.pipeline.chains import hook

texts = st.text(max_size=8)
verdicts = st.one_of(
    st.none(),
    st.builds(deny, texts),
    st.builds(ask, texts),
    st.builds(allow, texts),
    st.builds(rewrite, st.fixed_dictionaries({"command": texts}), texts),
    st.builds(advise, texts),
    st.builds(Failure, st.sampled_from(Fault), texts),
)
said = st.lists(
    st.builds(
        lambda number, outcome, on_error: HookOutcome(hook=hook(f"h{number}", on_error=on_error), answer=outcome),
        st.integers(0, 99),
        verdicts,
        st.sampled_from(["allow", "deny"]),
    ),
    max_size=6,
)
inputs = st.none() | st.fixed_dictionaries({"command": texts})


def _denies(one: HookOutcome) -> bool:
    return one.verdict.says is Kind.DENY


@given(said, inputs)
def test_deny_wins_over_everything_before_the_act(spoken: list[HookOutcome], final: dict[str, object] | None) -> None:
    """Law: no rewrite, allow, other hook or failure turns a deny into anything else."""
    decision = merge_outcomes(Timing.BEFORE, spoken, final)
    assert (decision.kind is Kind.DENY) is any(map(_denies, spoken))
    if decision.kind is Kind.DENY:
        assert decision.reason
        assert decision.input is None


@given(said, inputs, st.sampled_from([Timing.AFTER, Timing.STOP, Timing.OBSERVE]))
def test_nothing_told_after_the_act_is_a_verdict(
    spoken: list[HookOutcome], final: dict[str, object], when: Timing
) -> None:
    """Law: only events before the act may influence the act. S2-071"""
    decision = merge_outcomes(when, spoken, final)
    assert decision.kind in (Kind.NONE, Kind.ADVISE)
    assert decision.input is None
    assert len(decision.feedback) == sum(map(_denies, spoken))


@given(said, inputs)
def test_the_trace_keeps_every_hook_in_order(spoken: list[HookOutcome], final: dict[str, object] | None) -> None:
    decision = merge_outcomes(Timing.BEFORE, spoken, final)
    assert [step.hook for step in decision.trace] == [one.hook.id for one in spoken]


@given(said)
def test_a_failure_is_open_and_loud_unless_it_is_set_to_deny(spoken: list[HookOutcome]) -> None:
    """Law: technical failure is open and loud. S0-038, S0-049"""
    decision = merge_outcomes(Timing.BEFORE, spoken)
    for one in spoken:
        if isinstance(one.answer, Failure):
            assert any(one.hook.id in warning for warning in decision.warnings)


@given(said, inputs, st.randoms())
def test_the_kind_does_not_depend_on_the_order(
    spoken: list[HookOutcome], final: dict[str, object], random: object
) -> None:
    shuffled = list(spoken)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert merge_outcomes(Timing.BEFORE, spoken, final).kind is merge_outcomes(Timing.BEFORE, shuffled, final).kind


def test_highest_rank_wins_and_trace_keeps_all() -> None:
    spoken = [
        HookOutcome(hook=hook("a"), answer=allow("fine")),
        HookOutcome(hook=hook("b"), answer=ask("sure?")),
        HookOutcome(hook=hook("c"), answer=advise("look")),
    ]
    decision = merge_outcomes(Timing.BEFORE, spoken, {"command": "x"})
    assert (decision.kind, decision.by, decision.reason) == (Kind.ASK, "b", "sure?")
    assert decision.input == {"command": "x"}
    assert decision.context == ("look",)


def test_the_first_of_several_denies_is_named() -> None:
    spoken = [HookOutcome(hook=hook("a"), answer=deny("one")), HookOutcome(hook=hook("b"), answer=deny("two"))]
    assert merge_outcomes(Timing.BEFORE, spoken).by == "a"


def test_silence_of_all_is_no_decision() -> None:
    """S0-035, S0-036, S2-034"""
    assert merge_outcomes(Timing.BEFORE, []) == Decision()
    assert (
        merge_outcomes(Timing.BEFORE, [HookOutcome(hook=hook("a")), HookOutcome(hook=hook("b"), answer=Verdict())]).kind
        is Kind.NONE
    )


def test_a_rewrite_is_no_permission_unless_somebody_allows() -> None:
    spoken = [HookOutcome(hook=hook("a"), answer=rewrite({"command": "x"}, "why"))]
    assert not merge_outcomes(Timing.BEFORE, spoken, {"command": "x"}).allowed
    allowing = [*spoken, HookOutcome(hook=hook("b"), answer=allow())]
    assert merge_outcomes(Timing.BEFORE, allowing, {"command": "x"}).allowed


def test_results_of_several_hooks_are_merged_by_rule() -> None:
    """S2-035, S2-036, S2-066, S2-067"""
    one = HookResult(
        logs=({"level": "info", "message": "m1"},),
        messages_to_user=("first",),
        suggested_abilities=({"id": "billing", "reason": "r1", "confidence": 0.4},),
        new_intent={"intent": "learn"},
        extra={"update_matcher_suggestions": [1]},
    )
    other = HookResult(
        messages_to_user=("second",),
        suggested_abilities=(
            {"id": "billing", "reason": "r2", "confidence": 0.9},
            {"id": "signup", "reason": "r3"},
        ),
        new_intent={"intent": "check"},
        usage_recorded=True,
        error="blocked_by_policy",
    )
    merged = merge_results([("a", one), ("b", other)])
    assert merged is not None
    assert merged.logs == ({"level": "info", "message": "m1", "hook": "a"},)
    assert merged.messages_to_user == ("first", "second")
    assert [(item["id"], item.get("confidence"), item["reason"]) for item in merged.suggested_abilities] == [
        ("billing", 0.9, "r1; r2"),
        ("signup", None, "r3"),
    ]
    assert merged.new_intent == {"intent": "learn"}
    assert merged.intents == ({"intent": "learn"}, {"intent": "check"})
    assert merged.usage_recorded
    assert merged.error == "blocked_by_policy"
    assert merged.extra == {"a": {"update_matcher_suggestions": [1]}}


@given(said, said)
def test_a_part_never_weakens_the_whole_and_its_deny_is_a_deny_of_the_whole(
    spoken: list[HookOutcome], of_part: list[HookOutcome]
) -> None:
    """Law: deny wins, also between a call and the files or the ability event that it stands for."""
    whole, part = merge_outcomes(Timing.BEFORE, spoken), merge_outcomes(Timing.BEFORE, of_part)
    both = merge_part(whole, part)
    assert both.kind.rank == max(whole.kind.rank, part.kind.rank)
    assert (both.kind is Kind.DENY) == (Kind.DENY in (whole.kind, part.kind))
    assert both.kind is not Kind.DENY or both.input is None
    assert both.effects == whole.effects + part.effects
