"""Which events have something to say, and how many quiet ones lie between them."""

import random

from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.store import journal, journal_outline
from synaptic.store.journal_filter import JournalFilter, matches_entry
from synaptic.store.journal_outline import LAST_NUMBER, OutlineGap, OutlineItem, read_outline
from tests.store.conftest import make_record

START = 1_790_000_000.0
QUIET = Decision(trace=(TraceStep(hook="policies", phase="quiet", note="git.force-push"),))
SPOKEN = (
    Decision(kind=Kind.DENY, by="git.stash", reason="no"),
    Decision(warnings=("w",)),
    Decision(grants=("g1",)),
    Decision(trace=(TraceStep(hook="x.sh", fault="crash"),)),
)


def write(store, *decisions: Decision, **changes) -> None:
    journal.append_records(
        store, [make_record(decision=one, at=START + at, **changes) for at, one in enumerate(decisions)]
    )


def list_plainly(store, chosen: JournalFilter, most: int, before: int) -> list[OutlineItem]:
    """The same, from every event."""
    items: list[OutlineItem] = []
    for entry in journal.read_last_entries(store, 10_000):
        if entry.id >= before or not matches_entry(chosen, entry):
            continue
        if entry.decision == QUIET:
            last = items[-1] if items and isinstance(items[-1], OutlineGap) else None
            items[len(items) - bool(last) :] = [OutlineGap(last.number + 1 if last else 1)]
        else:
            items.append(entry.id)
            if sum(isinstance(one, int) for one in items) == most:
                break
    return items


def test_whatever_somebody_said_has_its_number_and_the_rest_is_counted(store):
    write(store, QUIET, *SPOKEN, QUIET, QUIET)
    assert read_outline(store, JournalFilter(), 10) == [OutlineGap(2), 5, 4, 3, 2, OutlineGap(1)]
    assert read_outline(store, JournalFilter(), 2) == [OutlineGap(2), 5, 4]
    assert read_outline(store, JournalFilter(), 10, 3) == [2, OutlineGap(1)]
    assert read_outline(store, JournalFilter(), 0) == []


def test_an_empty_journal_has_no_outline(store):
    for chosen in (JournalFilter(), JournalFilter(project="x"), JournalFilter(since=1.0, until=2.0)):
        assert read_outline(store, chosen, 10) == []


def test_it_is_what_a_look_at_every_event_finds(store):
    chance = random.Random(20)
    for _ in range(300):
        decision = chance.choice((QUIET, QUIET, QUIET, *SPOKEN))
        names = {"root": f"/p{chance.randrange(3)}", "agent": chance.choice(("claude", "codex")), "tool": "Bash"}
        journal.append_records(
            store, [make_record(decision=decision, at=START + _, session=f"s{chance.randrange(4)}", **names)]
        )
    # Pruned from the front.
    store.write(lambda connection: connection.execute("DELETE FROM events WHERE id < 20"))
    for chosen in (
        JournalFilter(),
        JournalFilter(project="p1"),
        JournalFilter(agents=("co*",)),
        JournalFilter(session="s2"),
        JournalFilter(tools=("none",)),
        JournalFilter(since=START + 50, until=START + 200),
        JournalFilter(since=START + 50, project="p2", session="s"),
    ):
        for most, before in ((1, LAST_NUMBER), (7, 150), (1000, LAST_NUMBER)):
            assert read_outline(store, chosen, most, before) == list_plainly(store, chosen, most, before), chosen


def test_quiet_events_of_one_project_are_counted_among_the_newest_alone(store, monkeypatch):
    monkeypatch.setattr(journal_outline, "MOST_COUNTED", 3)
    write(store, *([QUIET] * 5), SPOKEN[0], *([QUIET] * 5), root="/p")
    here = JournalFilter(project="p")
    assert read_outline(store, here, 10) == [OutlineGap(3, is_whole=False), 6, OutlineGap(0, is_whole=False)]
    assert read_outline(store, JournalFilter(), 10) == [OutlineGap(5), 6, OutlineGap(5)]
