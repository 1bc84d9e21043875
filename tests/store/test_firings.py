"""How often hooks were asked, from the journal."""

from synaptic.model.decision import Decision, Kind, Step
from synaptic.store import journal
from synaptic.store.firings import Firings, firings


def test_every_run_is_counted_and_a_skipped_one_is_not(store, record):
    steps = (
        Step(hook="a", kind=Kind.DENY),
        Step(hook="b"),
        Step(hook="c", phase="skipped"),
        Step(hook="a", kind=Kind.DENY, phase="recheck"),
        Step(hook="policies", phase="quiet", note="d e"),
    )
    journal.append(
        store, [record(decision=Decision(trace=steps), at=5.0), record(decision=Decision(trace=steps[:1]), at=7.0)]
    )
    journal.append(store, [record(decision=Decision())])
    assert firings(store) == {"a": Firings(2, 2), "b": Firings(1), "d": Firings(1), "e": Firings(1)}


def test_an_empty_journal_and_one_without_contents(store, record):
    assert firings(store) == {}
    journal.append(store, [record()], "structure")
    assert firings(store)["git.force-push"].fired == 1
