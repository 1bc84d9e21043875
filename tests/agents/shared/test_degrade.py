"""The rules that map what an event cannot honour."""

from synaptic.agents.base import Capability
from synaptic.agents.shared.degrade import degrade_decision
from synaptic.model.decision import Decision, Kind
from synaptic.model.effect import Deliver

INPUT = {"command": "git push --force-with-lease"}
ALL = Capability(deny=True, ask=True, allow=True, rewrite=True, context=True, feedback=True, extras=frozenset({"a"}))
NONE = Capability(message=False)


def note(decision: Decision) -> list[str]:
    return [step.note for step in decision.trace]


def test_an_agent_that_can_do_everything_changes_nothing():
    for kind in Kind:
        decision = Decision(
            kind=kind, reason="r", input=INPUT, context=("c",), messages=("m",), feedback=("f",), extras={"a": 1}
        )
        assert degrade_decision(decision, ALL, "demo") is decision


def test_a_rewrite_becomes_a_deny_with_the_corrected_command():
    got = degrade_decision(
        Decision(kind=Kind.REWRITE, by="g", reason="Unsafe.", input=INPUT), Capability(deny=True), "demo"
    )
    assert (got.kind, got.input) == (Kind.DENY, None)
    assert got.reason == "Unsafe.\nUse instead: git push --force-with-lease"
    assert (got.trace[0].hook, got.trace[0].kind, got.trace[0].phase) == ("g", Kind.REWRITE, "degraded")


def test_a_rewrite_of_another_tool_is_shown_as_json():
    got = degrade_decision(Decision(kind=Kind.REWRITE, input={"file_path": "/p/a"}), Capability(deny=True), "demo")
    assert got.reason == 'Use instead: {"file_path":"/p/a"}'


def test_an_ask_becomes_a_deny_and_never_silence_before_the_act():
    got = degrade_decision(Decision(kind=Kind.ASK, reason="Sure?"), Capability(deny=True), "demo")
    assert (got.kind, got.reason, note(got)) == (Kind.DENY, "Sure?", ["ask not possible here: denied"])


def test_a_deny_that_cannot_be_is_told_to_the_model_or_else_to_the_user():
    denied = Decision(kind=Kind.DENY, reason="no")
    model, user = (
        degrade_decision(denied, Capability(feedback=True), "demo"),
        degrade_decision(denied, Capability(), "demo"),
    )
    assert (model.kind, model.feedback, model.messages) == (Kind.ADVISE, ("no",), ())
    assert (user.kind, user.feedback, user.messages) == (Kind.ADVISE, (), ("no",))
    assert user.trace[0].hook == "demo"


def test_feedback_becomes_context_and_context_waits_for_an_event_that_carries_it():
    told = Decision(kind=Kind.ADVISE, context=("c",), feedback=("f",))
    assert degrade_decision(told, Capability(context=True), "demo").context == ("c", "f")
    later = degrade_decision(told, Capability(), "demo")
    assert (later.kind, later.context, later.effects) == (Kind.NONE, (), (Deliver("c"), Deliver("f")))


def test_nothing_is_lost_without_a_note():
    everything = Decision(
        kind=Kind.REWRITE, reason="r", input=INPUT, allowed=True, context=("c",), messages=("m",), feedback=("f",),
        extras={"a": 1, "b": 2},
    )  # fmt: skip
    got = degrade_decision(everything, NONE, "demo")
    assert got.kind is Kind.NONE and not got.allowed and got.input is None and got.extras == {}
    assert got.warnings == ("m",)
    assert note(got) == [
        "rewrite not possible here: dropped",
        "feedback not possible here: told as context",
        "there is no permission to give here",
        "context not possible here: kept for the session's next event that can carry it",
        "message to the user not possible here: written to stderr",
        "not honoured here: a, b",
    ]
