"""Exceptions on disk: only what this home has signed counts, each once, and no damage brings one back."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from synaptic.model.errors import StoreError
from synaptic.model.grant import Grant, RefusedAct
from synaptic.model.home import Home
from synaptic.store import grants, journal, losses, retention
from synaptic.store.db import Store
from synaptic.store.grants import StoredGrant
from synaptic.store.key import locate_key
from synaptic.store.record import EventRecord

ACT = RefusedAct(policy="git.reset-hard", options="o", fingerprint="f")


def make(id: str = "g1", **changes: Any) -> Grant:
    return msgspec.structs.replace(
        Grant(id=id, at=time.time(), policy=ACT.policy, options="o", fingerprint="f"), **changes
    )


def like(id: str, text: str = "git push *", **changes: Any) -> Grant:
    return make(id, fingerprint="", like=text, subject="git", scope="always", **changes)


def using(record: Callable[..., EventRecord], call: str, *ids: str) -> EventRecord:
    return record(call=call, at=time.time(), grants=ids)


def claim(store: Store, *records: EventRecord) -> list[bool]:
    return journal.claim_records(store, records)


def get(store: Store, id: str = "g1") -> StoredGrant:
    (found,) = [one for one in grants.list_grants(store) if one.grant.id == id]
    return found


def execute(home: Home, sql: str, *values: object) -> None:
    """As another program of the same user."""
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute(sql, values)


def read_row(home: Home, id: str = "g1") -> tuple[bytes, bytes]:
    with closing(sqlite3.connect(home.database)) as connection:
        return connection.execute("SELECT value, mac FROM grants WHERE id = ?", (id,)).fetchone()


@pytest.fixture
def other(home: Home, store: Store) -> Iterator[Store]:
    """Another process's access."""
    opened = Store.open(home)
    yield opened
    opened.close()


def test_what_was_added_is_found_by_everybody_for_its_own_act_only(store: Store, other: Store) -> None:
    grants.add_grants(store, [make(), make("g2", policy="x"), make("g3", options="p"), make("g4", fingerprint="g")])
    assert [one.id for one in grants.find_for_act(other, ACT)] == ["g1"]


def test_patterns_are_found_by_their_subject(store: Store) -> None:
    grants.add_grants(store, [like("g1"), like("g2", options="p"), like("g3", policy="x")])
    assert [one.id for one in grants.find_for_act(store, ACT, "git")] == ["g1"]
    assert grants.find_for_act(store, ACT, "rm") == ()
    assert grants.find_for_act(store, ACT) == ()


def test_a_once_grant_is_used_up_by_one_call(store: Store, other: Store, record: Any) -> None:
    grants.add_grants(store, [make()])
    assert claim(store, using(record, "c1", "g1")) == [True]
    assert claim(other, using(record, "c2", "g1")) == [False]
    assert journal.find_entry(store, "c2") is None
    assert (get(store).grant.used_by, get(store).uses) == ("c1", 1)


def test_of_many_in_one_transaction_one_has_it(store: Store, record: Any) -> None:
    grants.add_grants(store, [make()])
    records = [using(record, f"c{number}", "g1") for number in range(20)]
    assert claim(store, *records) == [True] + [False] * 19


def test_the_same_call_again_uses_nothing(store: Store, other: Store, record: Any) -> None:
    grants.add_grants(store, [make(), make("g2")])
    claim(store, using(record, "c1", "g1"))
    assert claim(other, using(record, "c1", "g2")) == [False]
    assert (get(store, "g2").uses, get(store, "g2").grant.used_by) == (0, "")


def test_all_exceptions_of_a_call_count_or_none_is_used(store: Store, record: Any) -> None:
    grants.add_grants(store, [make(), make("g2"), make("g3", revoked=1.0)])
    assert claim(store, using(record, "c1", "g1", "g2", "g3")) == [False]
    assert {one.uses for one in grants.list_grants(store)} == {0}
    assert claim(store, using(record, "c1", "g1", "g2")) == [True]


@pytest.mark.parametrize(
    "changes", [{"revoked": 1.0}, {"scope": "until", "expires": 1.0}, {"used_by": "c0"}, {"expires": 1.0}]
)
def test_one_that_is_over_is_in_no_transaction_any_more(store: Store, record: Any, changes: dict[str, Any]) -> None:
    grants.add_grants(store, [make(**changes)])
    assert claim(store, using(record, "c1", "g1")) == [False]


def test_one_that_does_not_exist_lets_nothing_through(store: Store, record: Any) -> None:
    assert claim(store, using(record, "c1", "nothing")) == [False]


def test_one_that_was_taken_back_does_not_count(store: Store, other: Store, record: Any) -> None:
    grants.add_grants(store, [make(scope="always"), make("g2")])
    claim(store, using(record, "c0", "g2"))
    assert grants.revoke_grants(other, ["g1", "g2", "none"], time.time()) == 1
    assert grants.revoke_grants(other, ["g1"], time.time()) == 0
    assert claim(store, using(record, "c1", "g1")) == [False]


def test_what_a_failed_transaction_has_used_is_not_used(
    store: Store, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    grants.add_grants(store, [make()])
    with monkeypatch.context() as patch:
        patch.setattr(journal.stops, "record_stops", fail)
        with pytest.raises(StoreError):
            claim(store, using(record, "c1", "g1"))
    assert get(store).grant.used_by == ""
    assert claim(store, using(record, "c2", "g1")) == [True]


# Forged and damaged rows


def test_a_row_that_somebody_else_wrote_does_not_count(store: Store, home: Home) -> None:
    value = msgspec.json.encode(make())
    execute(home, "INSERT INTO grants VALUES ('g1', 1, ?, 'f', '', 0, ?, ?, 0, 0)", ACT.policy, value, b"x" * 32)
    assert grants.find_for_act(store, ACT) == grants.list_grants(store) == ()
    assert grants.count_forged(store) == 1


@pytest.mark.parametrize(
    "change",
    [
        "value = replace(CAST(value AS TEXT), 'once', 'always')",
        "value = CAST(replace(CAST(value AS TEXT), 'once', 'always') AS BLOB)",
        "value = CAST(replace(CAST(value AS TEXT), '\"f\"', '\"g\"') AS BLOB)",
        "mac = NULL", "mac = ''", "mac = 5", "mac = zeroblob(32)", "value = zeroblob(9)",
        "value = 'x'", "value = 7", "value = x'ff'", "id = 'g9'",
    ],
)  # fmt: skip
def test_a_changed_row_does_not_count(store: Store, home: Home, change: str) -> None:
    grants.add_grants(store, [make()])
    try:
        execute(home, f"UPDATE grants SET {change}")
    except sqlite3.IntegrityError:
        return
    assert grants.find_for_act(store, ACT) == ()


@pytest.mark.parametrize(
    ("change", "act"),
    [
        ("policy = 'paths.system'", msgspec.structs.replace(ACT, policy="paths.system")),
        ("fingerprint = 'other'", msgspec.structs.replace(ACT, fingerprint="other")),
    ],
)
def test_columns_beside_what_is_signed_make_it_about_nothing_else(
    store: Store, home: Home, change: str, act: RefusedAct
) -> None:
    grants.add_grants(store, [make()])
    execute(home, f"UPDATE grants SET {change}")
    assert grants.find_for_act(store, act) == ()


def test_a_pattern_is_about_its_own_subject_whatever_the_column_says(store: Store, home: Home) -> None:
    grants.add_grants(store, [like("g1")])
    execute(home, "UPDATE grants SET subject = 'rm'")
    assert grants.find_for_act(store, ACT, "rm") == ()
    execute(home, "UPDATE grants SET subject = 'git', fingerprint = 'f'")
    assert grants.find_for_act(store, ACT) == ()


def test_the_value_of_one_row_under_the_mac_of_another_does_not_count(store: Store, home: Home) -> None:
    grants.add_grants(store, [make(), make("g2", scope="always")])
    execute(home, "UPDATE grants SET mac = (SELECT mac FROM grants WHERE id = 'g2') WHERE id = 'g1'")
    assert [one.id for one in grants.find_for_act(store, ACT)] == ["g2"]


def test_a_copy_under_another_id_does_not_count(store: Store, home: Home, record: Any) -> None:
    """It would be used up under the first id, and never under its own."""
    grants.add_grants(store, [make()])
    execute(
        home,
        "INSERT INTO grants SELECT 'copy', at, policy, fingerprint, subject, expires, value, mac, 0, 0 FROM grants",
    )
    claim(store, using(record, "c1", "g1"))
    assert [one.used_by for one in grants.find_for_act(store, ACT)] == ["c1"]
    assert claim(store, using(record, "c2", "copy")) == [False]


@pytest.mark.parametrize("change", ["mac", "value", "id", "uses", "last_used", "expires"])
def test_bytes_that_are_no_text_in_one_row_hide_no_other(store: Store, home: Home, change: str) -> None:
    grants.add_grants(store, [make(), make("g2")])
    execute(home, f"UPDATE grants SET {change} = CAST(x'ff8081' AS TEXT) WHERE id = 'g1'")
    assert "g2" in [one.id for one in grants.find_for_act(store, ACT)]
    assert "g2" in [one.grant.id for one in grants.list_grants(store)]


def test_what_is_not_a_number_in_a_column_is_no_crash(store: Store, home: Home) -> None:
    grants.add_grants(store, [make()])
    execute(home, "UPDATE grants SET uses = 'many', last_used = x'00', expires = 'never'")
    assert get(store).uses == 0


def test_with_another_key_nothing_counts_and_that_can_be_told(store: Store, home: Home) -> None:
    grants.add_grants(store, [make(), like("g2")])
    locate_key(store).unlink()
    with closing(Store.open(home)) as fresh:
        assert grants.list_grants(fresh) == ()
        assert grants.find_for_act(fresh, ACT, "git") == ()
        assert grants.count_forged(fresh) == 2


def test_a_key_that_cannot_be_used_is_replaced_and_exceptions_are_said_to_be_void(store: Store, home: Home) -> None:
    grants.add_grants(store, [make()])
    locate_key(store).write_bytes(b"short")
    with closing(Store.open(home)) as fresh:
        assert grants.list_grants(fresh) == ()
        assert any("no exception" in notice for notice in fresh.notices)


def test_the_key_makes_fingerprints_that_nobody_can_guess(store: Store, tmp_path: Any) -> None:
    with closing(Store.open(Home(tmp_path / "elsewhere"))) as second:
        assert grants.make_fingerprint(store, b"x") != grants.make_fingerprint(second, b"x")
    assert grants.make_fingerprint(store, b"x") == grants.make_fingerprint(store, b"x")


# What is lost


def reopen_without_log(home: Home) -> Store:
    """As after a process that removed the log of a database which nobody has open."""
    home.database.with_name(f"{home.database.name}-wal").unlink()
    return Store.open(home)


def leave_log(home: Home, work: str) -> None:
    """A process that does some work and is killed: its log stays as it is."""
    code = f"""
import os, sys, time
sys.path.insert(0, {str(Path.cwd())!r})
from pathlib import Path
from synaptic.model.home import Home
from synaptic.store import grants
from synaptic.store.db import Store
from tests.store.conftest import make_record
from tests.store.test_grants import make, claim, using
store = Store.open(Home(Path({str(home.root)!r})))
{work}
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == -9, done.stderr.decode()


USE = "assert claim(store, using(make_record, 'c1', 'g1')) == [True]"
REVOKE = "assert grants.revoke_grants(store, ['g1'], time.time()) == 1"


@pytest.mark.parametrize("work", [USE, REVOKE])
def test_a_lost_log_brings_no_used_or_revoked_exception_back(home: Home, work: str) -> None:
    leave_log(home, "grants.add_grants(store, [make()])\nstore.checkpoint()\n" + work)
    with closing(reopen_without_log(home)) as store:
        assert grants.find_for_act(store, ACT) == ()
        assert any("exceptions" in loss.what for loss in store.read(losses.list_losses))


def test_a_killed_process_leaves_the_exception_used(home: Home) -> None:
    leave_log(home, "grants.add_grants(store, [make()])\n" + USE)
    with closing(Store.open(home)) as store:
        assert get(store).grant.used_by == "c1"


@pytest.mark.parametrize("work", ["use", "revoke"])
def test_a_log_that_is_emptied_while_it_is_in_use_brings_nothing_back(
    store: Store, home: Home, record: Any, work: str
) -> None:
    grants.add_grants(store, [make()])
    store.checkpoint()
    if work == "use":
        assert claim(store, using(record, "c1", "g1")) == [True]
    else:
        assert grants.revoke_grants(store, ["g1"], time.time()) == 1
    os.truncate(home.database.with_name(f"{home.database.name}-wal"), 0)
    claim(store, record())
    assert not any(one.is_in_force(time.time()) for one in grants.find_for_act(store, ACT))


def test_an_event_that_is_written_again_uses_its_exception_again_and_no_other(
    store: Store, home: Home, record: Any
) -> None:
    """The row of the event is lost, and the exception is as it was before it."""
    grants.add_grants(store, [make(), make("g2")])
    before = read_row(home)
    claim(store, using(record, "c1", "g1"))
    execute(home, "DELETE FROM events WHERE call = 'c1'")
    execute(home, "UPDATE grants SET value = ?, mac = ? WHERE id = 'g1'", *before)
    for with_effects in (True, False):
        store.write(lambda connection, effects=with_effects: store.recent.repeat(connection, with_effects=effects))
    assert get(store).grant.used_by == "c1"
    assert get(store, "g2").grant.used_by == ""


def test_a_damaged_database_keeps_no_exception_and_says_so(home: Home, record: Any) -> None:
    with closing(Store.open(home)) as store:
        grants.add_grants(store, [make(scope="always")])
        for _ in range(300):
            claim(store, record())
        store.checkpoint()
    raw = bytearray(home.database.read_bytes())
    middle = len(raw) // 2 // 4096 * 4096
    raw[middle : middle + 8192] = os.urandom(8192)
    home.database.write_bytes(raw)
    with closing(Store.open(home)) as store:
        store.checkpoint()
        claim(store, record())
        told = [loss.what for loss in store.read(losses.list_losses)]
        assert told
        assert grants.list_grants(store) == ()
        assert any("exceptions" in what for what in told)


def test_nothing_is_granted_where_it_cannot_be_kept(home: Home) -> None:
    store = Store.open_in_memory(home, StoreError("no disk"))
    with closing(store), pytest.raises(StoreError, match="no disk"):
        grants.add_grants(store, [make()])


def test_what_is_only_in_memory_uses_nothing(home: Home, record: Any) -> None:
    with closing(Store.open(home)) as store:
        grants.add_grants(store, [make()])
    with closing(Store.open_in_memory(home, StoreError("no disk"))) as store:
        assert claim(store, using(record, "c1", "g1")) == [False]


# How much is kept


def test_secrets_are_not_written_down(store: Store, home: Home) -> None:
    grants.add_grants(store, [make(shown="curl https://me:hunter2secret@x.y")])
    assert b"hunter2secret" not in read_row(home)[0]


def test_what_is_over_goes_some_time_later_and_what_counts_stays(store: Store, home: Home, record: Any) -> None:
    grants.add_grants(
        store,
        [
            make("used"),
            make("back", scope="always"),
            make("late", scope="until", expires=5.0),
            make("on", scope="always"),
        ],
    )
    claim(store, using(record, "c1", "used"))
    grants.revoke_grants(store, ["back"], time.time())
    retention.prune_events(store, 1)
    assert {one.grant.id for one in grants.list_grants(store)} == {"used", "back", "on"}
    execute(home, "UPDATE grants SET expires = 9 WHERE expires > 0")
    grants.add_grants(store, [make("new", scope="always")])
    assert {one.grant.id for one in grants.list_grants(store)} == {"on", "new"}


def test_one_that_was_used_up_still_answers_its_own_call(store: Store, record: Any) -> None:
    grants.add_grants(store, [make()])
    claim(store, using(record, "c1", "g1"))
    (found,) = grants.find_for_act(store, ACT)
    assert found.is_in_force(time.time(), "c1")
    assert not found.is_in_force(time.time(), "c2")


def test_patterns_of_one_policy_and_program_are_limited(store: Store) -> None:
    many = [like(f"g{number}") for number in range(grants.MOST_PATTERNS)]
    grants.add_grants(store, many)
    with pytest.raises(StoreError, match="patterns"):
        grants.add_grants(store, [like("more")])
    assert len(grants.list_grants(store)) == grants.MOST_PATTERNS
    grants.revoke_grants(store, ["g0"], time.time())
    grants.add_grants(store, [like("more"), like("over", expires=5.0), make("a call")])


def test_the_newest_is_listed_first(store: Store) -> None:
    grants.add_grants(store, [make("a", at=1.0), make("b", at=3.0), make("c", at=2.0)])
    assert [one.grant.id for one in grants.list_grants(store)] == ["b", "c", "a"]


def test_ids_differ() -> None:
    assert len({grants.make_grant_id() for _ in range(1000)}) == 1000
