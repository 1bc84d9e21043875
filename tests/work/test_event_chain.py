from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.work.event_chain import make_chain


def test_who_saw_which_input_follows_from_the_order():
    steps = [
        TraceStep(hook="policies", phase="quiet", note="a.b c.d"),
        TraceStep(hook="first", micros=10),
        TraceStep(hook="one", kind=Kind.REWRITE, micros=40),
        TraceStep(hook="middle"),
        TraceStep(hook="two", kind=Kind.REWRITE),
        TraceStep(hook="last", kind=Kind.DENY),
        TraceStep(hook="first", phase="recheck"),
        TraceStep(hook="gone", phase="skipped"),
        TraceStep(hook="policies", phase="skipped", note="after a deny: e.f"),
    ]
    chain = make_chain(Decision(trace=tuple(steps)))
    sights = ["first", "first", "between", "between", "final", "final", "none"]
    assert [link.sees for link in chain.links] == sights
    assert [link.hook for link in chain.links if link.writes] == ["one", "two"]
    assert (chain.links[0].share, chain.links[1].share) == (0.25, 1.0)
    assert (chain.silent, chain.unreached) == (("a.b", "c.d"), ("e.f",))


def test_without_a_rewrite_all_saw_what_was_sent():
    chain = make_chain(Decision(trace=(TraceStep(hook="a"), TraceStep(hook="b", fault="crash"))))
    assert [link.sees for link in chain.links] == ["first", "first"]
    assert chain.links[1].tone == "failed"
