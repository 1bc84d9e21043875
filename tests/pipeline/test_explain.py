from synaptic.model.call import Answer
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.pipeline.explain import EventStory, explain_event


def story(decision: Decision, **changes: object) -> EventStory:
    fields: dict[str, object] = {
        "number": 7,
        "call": "c7",
        "when": "2026-01-02 03:04:05",
        "agent": "claude",
        "event": "PreToolUse",
        "subject": "Bash",
        "session": "s",
        "root": "/p",
        "payload": "{}",
        "decision": decision,
        "answer": Answer(b"{}", b"", 0),
        "micros": 1234,
    }
    return EventStory(**{**fields, **changes})  # type: ignore[arg-type]


def test_the_whole_walk_is_told_in_order() -> None:
    trace = (
        TraceStep(hook="tmp", kind=Kind.REWRITE, priority=20, reason="keeps scratch files here", micros=12),
        TraceStep(hook="broken", priority=25, fault="crash", note="exited with 1", micros=3000),
        TraceStep(hook="guard", kind=Kind.DENY, priority=30, reason="not on main", micros=40),
        TraceStep(hook="late", priority=50, phase="skipped", note="after a deny"),
    )
    decision = Decision(kind=Kind.DENY, by="guard", reason="not on main", warnings=("hook broken",), trace=trace)
    text = "\n".join(explain_event(story(decision)))
    assert "Event 7: PreToolUse about Bash, from claude at 2026-01-02 03:04:05" in text
    assert "4 hooks were concerned, lowest priority number first" in text
    assert " 20 tmp rewrote the input in 12 µs: keeps scratch files here" in text
    assert " 25 broken failed, crash, in 3.0 ms (exited with 1)" in text
    assert " 50 late was skipped (after a deny)" in text
    assert "Decision: deny by guard: it was stopped." in text
    assert "warning: hook broken" in text
    assert "(exit code 0), 1.2 ms after it arrived" in text


def test_an_event_without_hooks_is_told_too() -> None:
    text = "\n".join(explain_event(story(Decision(), answer=Answer(), subject="", root="")))
    assert "No hook is registered for this event." in text
    assert "Answer to claude: nothing" in text


def test_every_phase_has_words() -> None:
    phases = ("run", "recheck", "started", "skipped", "degraded", "background")
    trace = tuple(TraceStep(hook="h", phase=phase) for phase in phases)
    lines = explain_event(story(Decision(trace=trace)))
    assert any("looked again at the rewritten input" in line for line in lines)
    assert any("started in the background" in line for line in lines)
    assert any("adapted to what this agent can honour" in line for line in lines)


def test_long_texts_are_cut() -> None:
    lines = explain_event(story(Decision(), payload="x" * 5000))
    assert any("(5000 characters)" in line for line in lines)


def test_policies_that_said_nothing_share_a_line() -> None:
    trace = (
        TraceStep(hook="policies", phase="quiet", note="git.clean git.discard"),
        TraceStep(hook="git.reset-hard", kind=Kind.DENY, priority=22, reason="no"),
        TraceStep(hook="policies", phase="skipped", note="after a deny: git.stash-loss"),
    )
    lines = explain_event(story(Decision(kind=Kind.DENY, by="git.reset-hard", trace=trace)))
    assert "2 policies were asked and had nothing to say: git.clean, git.discard" in lines
    assert "1 hook was concerned, lowest priority number first:" in lines
    assert "1 policy was not asked any more after the deny: git.stash-loss" in lines


def test_what_was_lifted_and_what_would_lift_the_rest_is_told() -> None:
    trace = (
        TraceStep(hook="git.reset-hard", priority=22, phase="lifted", note="deny lifted by grant g1 (once): no"),
        TraceStep(hook="practice.branch-guard", kind=Kind.DENY, priority=32, reason="not on main"),
        TraceStep(hook="practice.doc-gate", kind=Kind.DENY, priority=33, phase="told", reason="no header"),
    )
    by = "practice.branch-guard"
    decision = Decision(kind=Kind.DENY, by=by, code="k7qmd", grants=("g1",), trace=trace)
    text = "\n".join(explain_event(story(decision, exceptions={"g1": "lifts git.reset-hard once, made by tom"})))
    assert " 22 git.reset-hard was lifted by an exception (deny lifted by grant g1 (once): no)" in text
    assert "33 practice.doc-gate was heard after that, and would have denied it too: no header" in text
    assert "exception g1: lifts git.reset-hard once, made by tom" in text
    assert "synaptic allow k7qmd (it lifts practice.branch-guard, practice.doc-gate)" in text


def test_a_refusal_without_a_code_says_so_and_a_rehearsed_one_says_nothing() -> None:
    decision = Decision(kind=Kind.DENY, by="self.guard", reason="no", trace=(TraceStep(hook="h"),))
    assert any("it has no code" in line for line in explain_event(story(decision)))
    assert not any("it has no code" in line for line in explain_event(story(decision, number=0)))
    assert not any("it has no code" in line for line in explain_event(story(Decision(kind=Kind.ALLOW))))
