"""Refusals by their handle: each kept once, signed, without secrets, and not for ever."""

import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from typing import Any

import msgspec
import pytest

from synaptic.model.decision import Decision, Kind
from synaptic.model.grant import RefusedAct, RefusedNews, RefusedSubject
from synaptic.model.home import Home
from synaptic.store import journal, refused, retention
from synaptic.store.db import Store
from synaptic.store.record import EventRecord
from tests.store.conftest import make_record

ACT = RefusedAct(policy="git.reset-hard", options="o", fingerprint="f")
SECRET = "ghp_" + "a1B2" * 9


def make(code: str = "k7qmd", root: str = "/p", reason: str = "because", **changes: Any) -> EventRecord:
    subject = RefusedSubject(
        code=code,
        acts=(ACT,),
        asks=False,
        tool="Bash",
        shown="git reset --hard",
        root=root,
        cwd="/p",
        shape="git reset",
    )
    news = RefusedNews(msgspec.structs.replace(subject, **changes), "to start over", reason)
    return make_record(at=time.time(), decision=Decision(kind=Kind.DENY, by=ACT.policy, code=code), refused=news)


def write(store: Store, records: Iterable[EventRecord]) -> None:
    journal.claim_records(store, list(records))


def execute(home: Home, sql: str) -> None:
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute(sql)


def test_a_refusal_is_found_by_its_handle_and_by_its_call(store: Store) -> None:
    record = make()
    write(store, [record])
    (found,) = refused.find_by_code(store, "k7qmd")
    assert found == refused.find_by_call(store, record.call)
    assert (found.code, found.policies, found.count, found.answer) == ("k7qmd", ("git.reset-hard",), 1, "")
    assert (found.reason, found.said, found.subject.shown) == ("because", "to start over", "git reset --hard")
    assert (found.session, found.agent) == ("s1", "claude")
    assert refused.find_by_code(store, "none") == ()
    assert refused.find_by_call(store, "none") is None


def test_the_same_refusal_again_is_counted(store: Store) -> None:
    records = [make() for _ in range(3)]
    write(store, records)
    (found,) = refused.list_refused(store)
    assert (found.count, found.call) == (3, records[-1].call)


def test_a_repeated_call_is_not_counted_twice(store: Store) -> None:
    record = make()
    write(store, [record])
    write(store, [record])
    assert refused.list_refused(store)[0].count == 1


def test_a_stranger_leaves_no_refusal(store: Store) -> None:
    write(store, [msgspec.structs.replace(make(), moves_state=False)])
    assert refused.list_refused(store) == ()


def test_two_refusals_that_have_the_same_handle_by_chance_are_both_found(store: Store) -> None:
    write(store, [make(root="/p"), make(root="/q")])
    assert {found.subject.root for found in refused.find_by_code(store, "k7qmd")} == {"/p", "/q"}


@pytest.mark.parametrize(
    "change",
    [
        "value = replace(CAST(value AS TEXT), 'git reset', 'git push')",
        "value = CAST(replace(CAST(value AS TEXT), 'reset-hard', 'force-push') AS BLOB)",
        "mac = zeroblob(32)",
        "value = zeroblob(5)",
        "value = ''",
    ],
)
def test_a_changed_row_is_no_refusal(store: Store, home: Home, change: str) -> None:
    """Else an agent could have a person allow something else than what they see."""
    write(store, [make()])
    execute(home, f"UPDATE refused SET {change}")
    assert refused.find_by_code(store, "k7qmd") == refused.list_refused(store) == ()


def test_the_value_of_one_row_under_the_mac_of_another_is_no_refusal(store: Store, home: Home) -> None:
    write(store, [make("aaaa"), make("bbbb", shown="other")])
    execute(home, "UPDATE refused SET mac = (SELECT mac FROM refused WHERE code = 'bbbb') WHERE code = 'aaaa'")
    assert [found.code for found in refused.list_refused(store)] == ["bbbb"]


def test_secrets_are_not_written_down(store: Store, home: Home) -> None:
    write(store, [make(shown=f"curl -H token:{SECRET}", cwd=f"/{SECRET}", shape=SECRET, reason=f"holds {SECRET}")])
    with closing(sqlite3.connect(home.database)) as connection:
        assert SECRET not in repr(connection.execute("SELECT * FROM refused").fetchall())


def test_half_a_letter_costs_no_other_record_its_entry(store: Store) -> None:
    record = make(shown="ls \ud800", cwd="/\udc00", reason="\ud800")
    write(store, [record, make_record(call="other")])
    assert journal.find_entry(store, "other") is not None
    assert len(refused.list_refused(store)) == 1


def test_how_many_are_kept_is_bounded_and_the_newest_stay(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refused, "MOST_KEPT", 50)
    # The oldest are looked for now and then: a few more than that many may be there.
    many = [msgspec.structs.replace(make(root=f"/{number}"), at=float(number)) for number in range(3000)]
    write(store, many)
    found = refused.list_refused(store, most=9999)
    assert 50 <= len(found) < 2000
    assert found[0].last_at == 2999.0


def test_old_ones_go_with_the_events_of_their_time(store: Store) -> None:
    write(store, [make("aaaa"), make("bbbb", root="/q")])
    store.write(lambda connection: connection.execute("UPDATE refused SET last_at = 5 WHERE code = 'aaaa'"))
    retention.prune_events(store, 1)
    assert [found.code for found in refused.list_refused(store)] == ["bbbb"]


def test_one_whose_event_was_pruned_can_still_be_answered(store: Store) -> None:
    write(store, [make(), make_record(at=time.time())])
    store.write(lambda connection: connection.execute("DELETE FROM events"))
    (found,) = refused.find_by_code(store, "k7qmd")
    assert refused.answer_refused(store, [found.mark], "upheld", 9.0) == 1
    assert refused.find_by_code(store, "k7qmd")[0].answer == "upheld"


def test_an_answer_stays_when_the_refusal_comes_again(store: Store) -> None:
    write(store, [make()])
    refused.answer_refused(store, [refused.list_refused(store)[0].mark], "upheld", 9.0)
    write(store, [make()])
    (found,) = refused.list_refused(store)
    assert (found.answer, found.answered_at, found.count) == ("upheld", 9.0, 2)


def test_a_killed_process_leaves_its_refusals(store: Store, home: Home) -> None:
    write(store, [make()])
    with closing(Store.open(home)) as other:
        assert refused.find_by_code(other, "k7qmd")[0].count == 1
