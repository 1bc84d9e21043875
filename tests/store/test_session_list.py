from itertools import chain

from synaptic.model.decision import Decision, Kind
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.session_list import MOST_LOOKED_AT, WantedSessions, list_sessions_before
from tests.daemon.setting import Setting
from tests.store.conftest import make_record

LAST = 2**62


def fill(setting: Setting, count: int) -> Store:
    store = Store.open(setting.home)
    records = [
        make_record(
            call=f"c{number}-{turn}", session=f"s{number:03}", agent="codex" if number % 2 else "claude",
            root="/p/shop", decision=Decision(kind=Kind.DENY if number == 4 else Kind.NONE),
        )
        for turn in range(2)
        for number in range(count)
    ]  # fmt: skip
    journal.append_records(store, records)
    return store


def list_names(store: Store, wanted: WantedSessions, most: int) -> list[list[str]]:
    pages, before = [], LAST
    while before:
        page = list_sessions_before(store, wanted, most, before)
        pages.append([one.found.id for one in page.sessions])
        before = page.further
    return pages


def test_pages_hold_every_session_once_the_newest_first(setting: Setting):
    store = fill(setting, 7)
    names = [f"s{number:03}" for number in range(7)]
    assert list_names(store, WantedSessions(), 3) == [names[:3:-1], names[3:0:-1], names[:1]]
    found = list_sessions_before(store, WantedSessions(), 1, LAST).sessions[0]
    assert (found.found.events, found.is_whole) == (2, True)
    store.close()


def test_filters_choose_and_what_was_looked_through_is_bounded(setting: Setting):
    store = fill(setting, MOST_LOOKED_AT + 10)
    assert list(chain(*list_names(store, WantedSessions(denied=True), 30))) == ["s004"]
    assert len(list_names(store, WantedSessions(denied=True), 30)) == 2
    assert len(list(chain(*list_names(store, WantedSessions(agent="codex", project="shop"), 50)))) == 35
    assert list_names(store, WantedSessions(project="nix"), 5) == [[], []]
    store.close()
