"""Sessions that are followed say what a count of all events says, whatever comes and however much of it."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.daemon.client import new_call_id
from synaptic.fleet import sessions
from synaptic.fleet.sessions import HeardSessions
from synaptic.model.decision import Decision, Kind
from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.store.journal import append_records
from synaptic.store.living import count_moves, find_newest_number
from synaptic.store.record import EventRecord


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store.open(Home(tmp_path / "home"))
    yield made
    made.close()


def write(store: Store, session: str, event: str = "PreToolUse", kind: Kind = Kind.NONE, **more: object) -> None:
    given = {"at": time.time(), "agent": "claude", "root": "/p", "tool": "Bash", **more}
    record = EventRecord(call=new_call_id(), event=event, session=session, decision=Decision(kind=kind), **given)
    append_records(store, [record])


def test_what_comes_is_counted_as_if_all_were_counted_anew(store: Store) -> None:
    followed = HeardSessions(store)
    for number in range(40):
        write(store, f"s{number % 3}", kind=Kind.DENY if number % 4 == 0 else Kind.NONE)
        write(store, f"s{number % 3}", "PostToolUse")
        if number % 7 == 0:
            followed.follow()
    newest = find_newest_number(store)
    for one in followed.follow():
        assert (one.calls, one.denied) == count_moves(store, one.session, newest)
        assert one.step is not None and one.step.event == "PreToolUse"
        assert one.last is not None and one.last.event == "PostToolUse"
    assert [one.session for one in HeardSessions(store).follow()] == [one.session for one in followed.follow()]


def test_a_session_that_has_ended_is_gone_and_comes_back_when_it_goes_on(store: Store) -> None:
    followed = HeardSessions(store)
    write(store, "s")
    assert len(followed.follow()) == 1
    write(store, "s", "SessionEnd")
    assert followed.follow() == ()
    write(store, "s")
    (one,) = followed.follow()
    assert one.calls == 2


def test_a_sub_agent_does_not_end_its_session_and_its_steps_are_shown(store: Store) -> None:
    write(store, "s", "UserPromptSubmit")
    write(store, "s", agent_id="sub")
    write(store, "s", "SessionEnd", agent_id="sub")
    (one,) = HeardSessions(store).follow()
    assert one.last is not None and one.last.event == "UserPromptSubmit"
    assert one.step is not None and one.step.agent_id == "sub"


def test_sessions_of_the_day_before_yesterday_are_not_shown(store: Store) -> None:
    write(store, "old", at=time.time() - 200_000)
    write(store, "")
    assert HeardSessions(store).follow() == ()


def test_more_than_is_followed_at_once_is_looked_for_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "PAGE_SIZE", 2)
    followed = HeardSessions(store)
    followed.follow()
    for number in range(30):
        write(store, f"s{number}")
    assert len(followed.follow()) == 30


def test_a_journal_that_was_put_back_is_looked_through_anew(store: Store) -> None:
    followed = HeardSessions(store)
    write(store, "s")
    followed.follow()
    store.write(lambda connection: connection.execute("DELETE FROM events"))
    store.write(lambda connection: connection.execute("DELETE FROM sqlite_sequence"))
    followed.follow()
    write(store, "t")
    followed.follow()
    assert "t" in [one.session for one in followed.follow()]
