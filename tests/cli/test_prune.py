"""Old events are forgotten, the newest stays."""

import time

from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import EventRecord
from tests.cli.conftest import User

DAY = 24 * 3600.0


def remember(user: User, *ages: float) -> None:
    store = Store.open(user.home)
    records = [
        EventRecord(call=f"call{number}", at=time.time() - age * DAY, agent="claude", event="Stop")
        for number, age in enumerate(ages)
    ]
    journal.append_records(store, records)
    store.close()


def test_prune_removes_what_is_older(user: User):
    remember(user, 90, 60, 40, 3, 0)
    assert user.types("prune", "--dry-run", "--json").json["events"] == 3
    assert user.types("prune", "--json").json["events"] == 3
    assert len(user.types("tail", "--json").out.splitlines()) == 2


def test_the_number_of_days_can_be_said(user: User):
    remember(user, 9, 8, 2, 0)
    assert "about 2 events" in user.types("prune", "--days", "5", "--dry-run").out
    assert "2 events older than 5 days removed" in user.types("prune", "--days", "5").out
    assert user.types("prune", "--dry-run", "--days", "5", "--json").json["events"] == 0


def test_without_a_journal_there_is_nothing_to_prune(user: User):
    assert user.types("prune").code == 1
