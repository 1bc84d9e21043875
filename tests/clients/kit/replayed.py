"""Everything in a journal, decided again: with nothing changed it is decided as it was, and nobody was accused."""

from synaptic.engine.past_catalog import CatalogChange
from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.work import witness_report
from synaptic.work.replay import ReplayScope, ReplaySummary, replay_journal

EVER = ReplayScope(since=0.0, until=1e12)


def replay_home(home: Home) -> ReplaySummary:
    """What a replay of the whole journal finds."""
    store = Store.open(home)
    try:
        return replay_journal(store, EVER, CatalogChange())
    finally:
        store.close()


def describe_replay(home: Home) -> str:
    """In one cell: how many events, and what is not as it was or could not be decided again."""
    found = replay_home(home)
    if not found.events:
        return "no event in the journal"
    if found.flips:
        return f"{found.flips} of {found.events} otherwise: {', '.join(one.policy for one in found.list_groups())}"
    told = [*found.why, *([f"{alarms} alarms"] if (alarms := count_alarms(home)) else [])]
    return "; ".join(["as decided", *([", ".join(told)] if told else [])])


def count_alarms(home: Home) -> int:
    """How often the witness has said that the client did not do what it was told: each would be a false alarm."""
    store = Store.open(home)
    try:
        return witness_report.make_report(store, 0.0).alarms
    finally:
        store.close()
