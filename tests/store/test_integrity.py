"""Files of the database that somebody else deletes, replaces, cuts or changes while they are open."""

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from synaptic.model import sane
from synaptic.model.decision import Decision
from synaptic.model.errors import StoreError
from synaptic.model.state import Change
from synaptic.store import damage, db, integrity, journal, losses, opened, retention, schema, state
from synaptic.store.connection import run_transaction
from synaptic.store.db import Store
from synaptic.store.state import SectionOwner

PROJECT = SectionOwner("/project")


def list_calls(home) -> list[str]:
    """What a process that starts now would read."""
    other = Store.open(home)
    calls = [entry.call for entry in journal.read_entries_after(other, 0, 5000)]
    other.close()
    return calls


def write_some(store, record, count=1, **values) -> list[str]:
    written = [record(**values) for _ in range(count)]
    for one in written:
        assert journal.append_records(store, [one]) == 1
    return [one.call for one in written]


class FirstCall:
    """A function whose first call is another one's."""

    def __init__(self, first, then) -> None:
        self.first, self.then = first, then

    def __call__(self, *given):
        called, self.first = self.first, self.then
        return called(*given)


def make_failure(record):
    change = Change(section=sane.CIRCUIT_BREAKER, add={"failures": 1}, put={"tripped": True})
    return record(decision=Decision(effects=(change,)))


def list_calls_after_crash(home) -> list[str]:
    """What the next process would read if all others were gone now: no more of the log than its checksums cover."""
    with TemporaryDirectory() as folder:
        for suffix in ("", "-wal"):
            shutil.copy(f"{home.database}{suffix}", f"{folder}/left.db{suffix}")
        with contextlib.closing(sqlite3.connect(f"{folder}/left.db")) as left:
            return [call for (call,) in left.execute("SELECT call FROM events ORDER BY id")]


def age_file(path: Path) -> None:
    """As if the change had been made a moment later: on some systems the clock of files stands still for so long."""
    found = path.stat()
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 10_000_000))


def flip_bytes(path: Path, place: int, count: int = 8) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        old = file.read(count)
        file.seek(place)
        file.write(bytes(byte ^ 0xFF for byte in old))
    age_file(path)


def read_breaker(store):
    return sane.read_section(state.read_state(store, PROJECT, [sane.CIRCUIT_BREAKER]), sane.CIRCUIT_BREAKER)


def is_safe(store) -> object:
    return sane.read_section(state.read_state(store, PROJECT, [sane.SAFEMODE]), sane.SAFEMODE)["active"]


def locate_log(home) -> Path:
    return Path(f"{home.database}-wal")


@pytest.mark.parametrize("checkpointed", [False, True])
def test_a_deleted_log_loses_nothing_that_was_answered(home, store, record, checkpointed):
    before = write_some(store, record, 30)
    if checkpointed:
        store.checkpoint()
    locate_log(home).unlink()
    after = write_some(store, record, 5)
    assert list_calls(home) == before + after
    assert any("log was deleted" in notice for notice in store.notices)


def test_a_log_that_was_deleted_is_noticed_before_a_checkpoint(home, store, record):
    before = write_some(store, record, 30)
    locate_log(home).unlink()
    store.checkpoint()
    assert list_calls(home) == before


def test_an_older_log_in_its_place_is_not_replayed(home, store, record):
    before = write_some(store, record, 10)
    log = locate_log(home)
    older = log.read_bytes()
    before += write_some(store, record, 10)
    store.checkpoint()
    before += write_some(store, record, 10)
    log.unlink()
    log.write_bytes(older)
    after = write_some(store, record, 3)
    assert list_calls(home) == before + after
    assert store.read(lambda connection: connection.execute("PRAGMA quick_check").fetchone()) == ("ok",)


@pytest.mark.parametrize("place", [40, 10_000, 60_000])
def test_bytes_of_the_log_that_somebody_changed_cost_no_answered_event(home, store, record, place):
    before = write_some(store, record, 10)
    store.checkpoint()
    before += write_some(store, record, 40)
    flip_bytes(locate_log(home), place)
    after = write_some(store, record, 2)
    assert list_calls(home) == before + after
    assert len(store.notices) == 1
    assert "written again" in store.notices[0]
    assert store.read(lambda connection: connection.execute("PRAGMA integrity_check").fetchone()) == ("ok",)


@pytest.mark.parametrize("size", [0, 32, 5_000, 60_000])
def test_a_log_that_was_cut_costs_no_answered_event(home, store, record, size):
    before = write_some(store, record, 40)
    os.truncate(locate_log(home), size)
    age_file(locate_log(home))
    after = write_some(store, record, 2)
    assert list_calls(home) == before + after


@pytest.mark.parametrize("spoil", [lambda log: flip_bytes(log, 20_000), lambda log: os.truncate(log, 20_000)])
def test_a_log_that_is_changed_right_after_a_commit_costs_nothing_where_the_process_is_killed_later(
    home, store, record, spoil
):
    """The fault campaign, step 2045: the next commit came milliseconds later, and nobody looked before it."""
    before = write_some(store, record, 40)
    spoil(locate_log(home))
    after = write_some(store, record, 2)
    assert list_calls_after_crash(home) == before + after
    assert len(store.notices) == 1


def test_a_log_that_is_changed_while_a_checkpoint_runs_costs_no_answered_event(home, store, record, monkeypatch):
    before = write_some(store, record, 10)
    run = store.run_separately

    def spoil_and_run(work):
        flip_bytes(locate_log(home), locate_log(home).stat().st_size - 3_000)
        return run(work)

    with contextlib.closing(sqlite3.connect(home.database, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()  # what comes after this stays in the log
        before += write_some(store, record, 30)
        monkeypatch.setattr(store, "run_separately", spoil_and_run)
        store.checkpoint()
        after = write_some(store, record, 2)
    assert list_calls_after_crash(home) == before + after


def test_a_commit_of_another_process_explains_no_change_that_comes_later(home, store, record, monkeypatch):
    """It came between the look at the log and the own commit, whose note holds both. What it wrote is told as lost."""
    calls, other = write_some(store, record, 20), Store.open(home)

    def let_other_commit(connection, work):
        write_some(other, record)
        other.close()
        return run_transaction(connection, work)

    with monkeypatch.context() as patched:
        patched.setattr(db, "run_transaction", FirstCall(let_other_commit, run_transaction))
        calls += write_some(store, record)
    flip_bytes(locate_log(home), 20_000)
    calls += write_some(store, record, 2)
    assert list_calls_after_crash(home) == calls
    assert store.has_lost_state


def test_a_write_that_did_not_begin_notes_nothing(home, store, record, monkeypatch):
    """While it waited for the lock of another program, the log was changed."""
    before = write_some(store, record, 20)

    def fail_to_begin(connection, work):
        flip_bytes(locate_log(home), 20_000)
        raise damage.make_locked()

    with monkeypatch.context() as patched:
        patched.setattr(db, "run_transaction", fail_to_begin)
        with pytest.raises(StoreError, match="locked"):
            journal.append_records(store, [record()])
    after = write_some(store, record, 2)
    assert list_calls_after_crash(home) == before + after


def test_a_log_that_is_still_being_changed_is_read_until_it_stands_still(home, store, record, monkeypatch):
    before = write_some(store, record, 40)
    read = schema.read_schema_version

    def read_and_spoil(connection):
        found = read(connection)
        flip_bytes(locate_log(home), 3_000)
        return found

    flip_bytes(locate_log(home), 40_000)
    monkeypatch.setattr(schema, "read_schema_version", FirstCall(read_and_spoil, read))
    after = write_some(store, record, 2)
    assert list_calls_after_crash(home) == before + after


@pytest.mark.parametrize(("first", "second"), [(40_000, 3_000), (40_000, 20_000), (20_000, 40_000)])
def test_reading_the_log_again_is_no_commit_of_another_process(home, store, record, first, second):
    """It would count all of the log as written by others, and the next change of it as a loss of theirs."""
    calls = write_some(store, record, 40)
    for place in (first, second):
        flip_bytes(locate_log(home), place)
        calls += write_some(store, record, 3)
    assert list_calls_after_crash(home) == calls
    assert not store.has_lost_state


def test_what_follows_from_an_event_is_counted_once_when_it_is_written_again(home, store, record):
    for _ in range(20):
        journal.append_records(store, [make_failure(record)])
    assert read_breaker(store)["failures"] == 20
    flip_bytes(locate_log(home), 30_000)
    journal.append_records(store, [make_failure(record)])
    assert read_breaker(store)["failures"] == 21
    other = Store.open(home)
    assert read_breaker(other)["failures"] == 21
    other.close()


def test_a_log_that_was_changed_is_noticed_by_a_checkpoint_and_at_the_end(home, record):
    store = Store.open(home)
    before = write_some(store, record, 40)
    flip_bytes(locate_log(home), 10_000)
    store.checkpoint()
    assert list_calls(home) == before
    before += write_some(store, record, 40)
    flip_bytes(locate_log(home), 10_000)
    store.close()
    assert list_calls(home) == before


def test_a_log_that_cannot_be_read_is_repaired_by_the_one_who_reads(home, store, record):
    before = write_some(store, record, 40)
    os.truncate(locate_log(home), 0)
    age_file(locate_log(home))
    store.read(lambda connection: connection.execute("PRAGMA shrink_memory"))
    assert [entry.call for entry in journal.read_entries_after(store, 0, 500)] == before


def test_commits_of_another_process_are_no_damage(home, store, record):
    other = Store.open(home)
    calls = []
    for _ in range(5):
        calls += write_some(store, record)
        calls += write_some(other, record)
    other.close()
    calls += write_some(store, record)
    assert list_calls(home) == calls
    assert store.notices == []


def test_pruned_events_are_not_written_again(home, store, record):
    write_some(store, record, 30)
    retention.prune_events(store, days=0)
    kept = list_calls(home)
    assert len(kept) == 1
    flip_bytes(locate_log(home), 2_000)
    written = write_some(store, record, 1, at=4_000_000_000.0)
    assert list_calls(home)[-1:] == written
    assert len(list_calls(home)) <= 31


def test_a_deleted_database_is_put_back_with_all_that_it_held(home, store, record):
    before = write_some(store, record, 20)
    journal.append_records(store, [tripped := make_failure(record)])
    for suffix in ("", "-wal", "-shm"):
        Path(f"{home.database}{suffix}").unlink()
    after = write_some(store, record)
    assert list_calls(home) == [*before, tripped.call, *after]
    assert read_breaker(store)["tripped"] is True
    assert "deleted" in store.notices[0]


def test_an_older_copy_in_its_place_does_not_relax_what_is_known(home, store, record, tmp_path):
    """A breaker that tripped after the copy was made stays tripped."""
    write_some(store, record, 3)
    store.checkpoint()
    copy = tmp_path / "copy.db"
    copy.write_bytes(home.database.read_bytes())
    journal.append_records(store, [make_failure(record)])
    assert read_breaker(store)["tripped"] is True
    copy.replace(home.database)
    write_some(store, record)
    assert read_breaker(store)["tripped"] is True


def test_garbage_in_the_database_is_noticed_by_the_next_checkpoint(home, store, record):
    before = write_some(store, record, 400, payload="y" * 900)
    journal.append_records(store, [tripped := make_failure(record)])
    store.checkpoint()
    size = home.database.stat().st_size
    with home.database.open("r+b") as file:
        file.seek(size // 2 // 2048 * 2048)
        file.write(os.urandom(20_480))
    age_file(home.database)
    store.checkpoint()
    calls = list_calls(home)
    assert set(calls) == {*before, tripped.call}
    assert read_breaker(store)["tripped"] is True
    (aside,) = damage.list_damaged(home.database)
    assert any(aside.name in notice for notice in store.notices)
    assert store.read(losses.list_losses)[0].aside == aside.name


def test_what_is_beyond_memory_is_carried_over_row_by_row(home, record):
    first = Store.open(home)
    calls = write_some(first, record, 400, payload="y" * 900)
    first.close()
    store = Store.open(home)
    with home.database.open("r+b") as file:
        file.seek(home.database.stat().st_size // 2 // 2048 * 2048)
        file.write(os.urandom(20_480))
    age_file(home.database)
    store.checkpoint()
    kept = list_calls(home)
    assert 300 < len(kept) < 400
    assert set(kept) <= set(calls)
    after = write_some(store, record)
    assert journal.find_entry(store, after[0]).id > 400
    store.close()


def test_a_database_that_was_cut_is_replaced(home, store, record):
    before = write_some(store, record, 300, payload="y" * 900)
    store.checkpoint()
    os.truncate(home.database, home.database.stat().st_size // 2)
    age_file(home.database)
    store.checkpoint()
    assert set(list_calls(home)) == set(before)


def spoil_end(home) -> None:
    flip_bytes(home.database, home.database.stat().st_size - 2048, 2048)


def test_what_was_changed_during_a_checkpoint_is_found_by_a_later_one(home, store, record, monkeypatch):
    """S3-016: the stamp of the file is the checkpoint's then, so the database is read again, though not each time."""
    write_some(store, record, 200)
    store.checkpoint()
    write_some(store, record, 5)
    note = store._watch.note_checkpoint
    monkeypatch.setattr(store._watch, "note_checkpoint", lambda: (spoil_end(home), note()))
    store.checkpoint()
    monkeypatch.undo()
    store.checkpoint()
    assert not damage.list_damaged(home.database)
    store._watch._examine_at = 0.0
    store.checkpoint()
    assert len(damage.list_damaged(home.database)) == 1
    assert integrity.examine_database(str(home.database)) is integrity.Soundness.SOUND


def test_what_was_changed_during_an_examination_is_found_by_the_next_checkpoint(home, store, record, monkeypatch):
    write_some(store, record, 200)

    def examine_and_spoil(name, seconds):
        found = integrity.examine_database(name, seconds)
        store.run_separately(lambda connection: connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone())
        spoil_end(home)
        return found

    monkeypatch.setattr(db, "examine_database", examine_and_spoil)
    store.checkpoint()
    monkeypatch.undo()
    store.checkpoint()
    assert len(damage.list_damaged(home.database)) == 1


def make_error() -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError("database disk image is malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


@pytest.mark.parametrize("failing", [1, 2])
def test_a_moment_of_read_errors_sets_no_sound_database_aside(home, store, record, failing):
    before = write_some(store, record, 5)
    left = [failing]

    def work(connection):
        if left[0]:
            left[0] -= 1
            raise make_error()
        return connection.execute("SELECT count(*) FROM events").fetchone()[0]

    assert store.read(work) == 5
    assert list_calls(home) == before
    assert damage.list_damaged(home.database) == ()
    assert store.notices == []


def test_a_database_that_cannot_be_read_at_all_is_kept(home, store, record, monkeypatch):
    before = write_some(store, record, 5)

    def work(connection):
        raise make_error()

    monkeypatch.setattr(opened, "examine_database", lambda name: opened.Soundness.UNKNOWN)
    with pytest.raises(StoreError):
        store.read(work)
    assert damage.list_damaged(home.database) == ()
    assert not store.durable
    monkeypatch.undo()
    store.checkpoint()
    assert store.durable
    assert list_calls(home) == before


def test_even_a_sound_database_that_is_set_aside_loses_nothing(home, store, record):
    """Whatever the reason for giving a file up: what is sound in it is carried over."""
    before = write_some(store, record, 50)
    journal.append_records(store, [tripped := make_failure(record)])
    store.close()
    fresh = Store.open(home)
    fresh._replace_damaged("a test")
    assert [entry.call for entry in journal.read_entries_after(fresh, 0, 100)] == [*before, tripped.call]
    assert read_breaker(fresh)["tripped"] is True
    fresh.close()


def test_state_that_cannot_be_read_any_more_reads_as_the_stricter(home, record):
    store = Store.open(home)
    write_some(store, record, 5)
    store.close()
    home.database.write_bytes(os.urandom(50_000))
    fresh = Store.open(home)
    assert read_breaker(fresh)["tripped"] is True
    assert is_safe(fresh) is True
    assert is_safe(fresh) is True
    state.revise_section(fresh, PROJECT, sane.SAFEMODE, lambda found: {"active": False})
    assert is_safe(fresh) is False
    fresh.close()
    again = Store.open(home)
    assert read_breaker(again)["tripped"] is True
    again.close()


def test_a_loss_is_told_once_and_stays_on_record(home, store, record):
    write_some(store, record, 5)
    locate_log(home).unlink()
    write_some(store, record)
    other = Store.open(home)
    assert len(other.write(losses.take_untold)) == 1
    assert other.write(losses.take_untold) == ()
    assert len(other.read(losses.list_losses)) == 1
    other.close()


def test_what_was_damaged_before_it_was_opened_is_noticed_by_the_first_checkpoint(home, record):
    """No event may ever read the damaged page; others who read the journal do."""
    store = Store.open(home)
    write_some(store, record, 200)
    store.close()
    size = home.database.stat().st_size
    flip_bytes(home.database, size - 2048, 2048)
    fresh = Store.open(home)
    fresh.checkpoint()
    assert integrity.examine_database(str(home.database)) is integrity.Soundness.SOUND
    assert len(damage.list_damaged(home.database)) == 1
    fresh.close()


@pytest.mark.parametrize("later", [0, 3])
def test_what_is_left_of_a_cut_log_does_not_hide_what_was_moved_into_the_database(home, record, later):
    """The first pages of a log are older than what a checkpoint has made of them."""
    store = Store.open(home)
    written = write_some(store, record, 30)
    store.checkpoint()
    changed = write_some(store, record, 30)  # into a log that starts anew
    state.revise_section(store, PROJECT, sane.CIRCUIT_BREAKER, lambda found: {"failures": 9, "tripped": True})
    store.checkpoint()
    store.recent._writes.clear()  # as if it were too long ago to be known
    changed += write_some(store, record, later)
    os.truncate(locate_log(home), locate_log(home).stat().st_size // 4)
    age_file(locate_log(home))
    changed += write_some(store, record)
    assert list_calls(home) == [*written, *changed]
    assert read_breaker(store)["failures"] == 9
    assert integrity.examine_database(str(home.database)) is integrity.Soundness.SOUND
    store.close()


def test_a_name_in_the_schema_that_is_no_text_any_more_is_damage(home, record, monkeypatch):
    """Python cannot decode SQLite's message about it, and raises something else instead."""
    monkeypatch.setattr(opened, "CONFIRM_PAUSES", (0.0,))
    store = Store.open(home)
    write_some(store, record, 5)
    store.close()
    content = home.database.read_bytes()
    assert b"CREATE TABLE state (" in content
    home.database.write_bytes(
        content.replace(b"tablestatestate", b"tablesta\xf4esta\xf4e").replace(
            b"CREATE TABLE state (", b"CREATE TABBE state ("
        )
    )
    assert integrity.examine_database(str(home.database)) is integrity.Soundness.DAMAGED
    fresh = Store.open(home)
    assert (fresh.durable, read_breaker(fresh)["tripped"]) == (True, True)
    assert len(damage.list_damaged(home.database)) == 1
    fresh.close()


def test_a_section_that_was_changed_in_the_file_is_written_again_by_who_knows_it(home, store, record):
    """No table is damaged by that: its signature is wrong, and the next process would not believe it."""
    journal.append_records(store, [make_failure(record)])
    assert read_breaker(store)["failures"] == 1
    store.checkpoint()
    content = home.database.read_bytes()
    place = content.rindex(b'"failures":1') + len(b'"failures":')
    flip_bytes(home.database, place, 1)
    store.checkpoint()
    store.checkpoint()
    other = Store.open(home)
    assert state.list_sections(other, PROJECT)[sane.CIRCUIT_BREAKER] is True
    assert read_breaker(other)["failures"] == 1
    other.close()
