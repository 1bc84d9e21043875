import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.model import sane
from synaptic.model.decision import Decision
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.model.state import Change, State
from synaptic.store import journal, state
from synaptic.store.db import Store
from synaptic.store.record import EventRecord

OWNER = state.SectionOwner("/p", "s")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(Home(tmp_path))


def test_changes_of_an_event_are_written_with_it_once(store: Store) -> None:
    decision = Decision(effects=(Change(section="project:breaker", add={"failures": 1}),))
    record = EventRecord(call="c", at=1.0, agent="claude", event="Stop", session="s", root="/p", decision=decision)
    journal.append_records(store, [record])
    journal.append_records(store, [record])
    assert state.read_state(store, OWNER, ["project:breaker"]).read_number("project:breaker", "failures") == 1


def test_sections_belong_to_their_project_or_session(store: Store) -> None:
    state.write_change(store, OWNER, Change(section="project:a", put={"x": 1}))
    state.write_change(store, OWNER, Change(section="session:a", put={"x": 2}))
    names = ["project:a", "session:a"]
    assert state.read_state(store, state.SectionOwner("/p", "other"), names).sections == {"project:a": {"x": 1}}
    assert state.read_state(store, state.SectionOwner("/q", "s"), names).sections == {"session:a": {"x": 2}}


def test_what_somebody_else_wrote_is_not_believed(store: Store) -> None:
    """Law: an integrity violation never relaxes anything."""
    state.write_change(store, OWNER, Change(section="project:breaker", put={"tripped": True}))
    with sqlite3.connect(store.path) as other:
        other.execute("UPDATE state SET value = ?", (b'{"tripped":false}',))
    found = state.read_state(store, OWNER, ["project:breaker"])
    assert found.sections == {}
    assert found.tampered == {"project:breaker"}


def test_a_section_cannot_be_moved_to_another_project(store: Store) -> None:
    state.write_change(store, OWNER, Change(section="project:breaker", put={"tripped": False}))
    with sqlite3.connect(store.path) as other:
        other.execute("UPDATE state SET owner = '/q'")
    assert state.read_state(store, state.SectionOwner("/q", ""), ["project:breaker"]).tampered


def test_the_key_is_private_and_survives_a_restart(store: Store, tmp_path: Path) -> None:
    state.write_change(store, OWNER, Change(section="project:a", put={"x": 1}))
    store.close()
    assert (tmp_path / "state.key").stat().st_mode & 0o777 == 0o600
    assert state.read_state(Store.open(Home(tmp_path)), OWNER, ["project:a"]).sections


def test_a_section_without_a_scope_is_a_mistake(store: Store) -> None:
    with pytest.raises(ValueError, match="project:NAME"):
        state.write_change(store, OWNER, Change(section="breaker"))


def forge(store: Store, value: object, section: str = "circuit_breaker") -> None:
    with sqlite3.connect(store.path) as other:
        other.execute("UPDATE state SET value = ? WHERE section = ?", (value, section))


def breaker(store: Store) -> dict[str, object]:
    return sane.read_section(state.read_state(store, OWNER, [sane.CIRCUIT_BREAKER]), sane.CIRCUIT_BREAKER)


@pytest.fixture
def tripped(store: Store) -> Store:
    state.write_change(store, OWNER, Change(section=sane.CIRCUIT_BREAKER, put={"tripped": True, "failures": 3}))
    return store


@pytest.mark.parametrize("value", [b'{"tripped":false}', b"", b"{", b"[]", b"\xff\xfe", "text", 1 << 60, b"null"])
def test_a_forged_section_goes_to_quarantine_and_never_helps(tripped: Store, value: object) -> None:
    """S1-147, S1-151: tripped, untripped by hand, still tripped; what was found is kept and told."""
    forge(tripped, value)
    assert breaker(tripped)["tripped"] is True
    assert state.list_sections(tripped, OWNER) == {sane.CIRCUIT_BREAKER: True, sane.TAMPERING: True}
    assert [name for name, _ in state.list_quarantine(tripped, OWNER)] == ["circuit_breaker"]
    assert breaker(tripped)["tripped"] is True
    told = state.read_state(tripped, OWNER, [sane.TAMPERING])
    assert told.read_number(sane.TAMPERING, "untold") == 1
    assert any("in quarantine" in notice for notice in tripped.notices)


def test_a_change_by_an_event_starts_from_the_wary_section(tripped: Store) -> None:
    """S1-151: a success right after the forgery does not launder it."""
    forge(tripped, b'{"tripped":false}')
    decision = Decision(effects=(Change(section=sane.CIRCUIT_BREAKER, put={"failures": 0}),))
    record = EventRecord(call="c", at=1.0, agent="claude", event="Stop", session="s", root="/p", decision=decision)
    journal.append_records(tripped, [record])
    assert breaker(tripped)["tripped"] is True


def test_the_note_about_forgery_can_be_forged_as_little(tripped: Store) -> None:
    forge(tripped, b"{}")
    breaker(tripped)
    forge(tripped, b'{"untold":0}', "tampering")
    found = state.read_state(tripped, OWNER, [sane.TAMPERING])
    assert found.tampered == {sane.TAMPERING}
    assert state.read_state(tripped, OWNER, [sane.TAMPERING]).read_number(sane.TAMPERING, "untold") == 1


def test_a_store_that_cannot_be_written_does_not_believe_it_either(tripped: Store) -> None:
    forge(tripped, b'{"tripped":false}')
    tripped.write = lambda work, **_: (_ for _ in ()).throw(StoreError("the disk is full"))
    assert breaker(tripped)["tripped"] is True


def test_without_its_key_nothing_is_believed_and_nothing_is_forgotten_silently(tripped: Store, tmp_path: Path) -> None:
    """S1-151"""
    state.write_change(tripped, OWNER, Change(section=sane.SAFEMODE, put={"active": True}))
    tripped.close()
    (tmp_path / "state.key").unlink()
    later = Store.open(Home(tmp_path))
    found = state.read_state(later, OWNER, [sane.CIRCUIT_BREAKER, sane.SAFEMODE])
    assert found.tampered == {sane.CIRCUIT_BREAKER, sane.SAFEMODE}
    assert sane.read_section(found, sane.SAFEMODE)["active"] is True
    assert breaker(later)["tripped"] is True
    assert len(state.list_quarantine(later, OWNER)) == 2
    assert len(later.notices) == 2


def test_a_person_can_reset_what_was_in_quarantine(tripped: Store) -> None:
    forge(tripped, b"{}")
    state.write_change(tripped, OWNER, Change(section=sane.CIRCUIT_BREAKER, clear=True))
    assert breaker(tripped) == sane.default_section(sane.CIRCUIT_BREAKER)
    assert state.list_quarantine(tripped, OWNER)


def test_looking_changes_nothing(tripped: Store) -> None:
    forge(tripped, b"{}")
    assert state.list_sections(tripped, OWNER) == {sane.CIRCUIT_BREAKER: False}
    assert state.list_sections(tripped, OWNER) == {sane.CIRCUIT_BREAKER: False}
    assert state.list_quarantine(tripped, OWNER) == []


def test_a_secret_does_not_reach_the_state(store: Store) -> None:
    token = "ghp_" + "a1B2" * 10
    state.write_change(store, OWNER, Change(section=sane.ACTION_LOG, append={"entries": {"summary": f"curl {token}"}}))
    assert token.encode() not in b"".join(file.read_bytes() for file in store.path.parent.glob("synaptic.db*"))
    assert state.read_state(store, OWNER, [sane.ACTION_LOG]).read_items(sane.ACTION_LOG, "entries")


def test_a_root_of_any_bytes_has_its_state(store: Store) -> None:
    owner = state.SectionOwner("/p/\udcff", "s")
    state.write_change(store, owner, Change(section="project:a", put={"x": 1}))
    assert state.read_state(store, owner, ["project:a"]).read_number("project:a", "x") == 1


@given(st.binary(max_size=60), st.binary(max_size=40))
def test_no_value_without_the_key_unlocks_anything(value: bytes, mac: bytes) -> None:
    """Law: an integrity violation never relaxes anything. S1-147"""
    store = Store.open_in_memory(Home(Path("/proc/none")), StoreError("a test"))
    row = ("project", "/p", "circuit_breaker", value, mac, 1.0)
    store.write(lambda connection: connection.execute(state.UPSERT_SECTION, row).fetchall())
    found = state.read_state(store, OWNER, [sane.CIRCUIT_BREAKER])
    assert sane.read_section(found, sane.CIRCUIT_BREAKER)["tripped"] is True
    assert isinstance(found, State)
    store.close()


def test_what_another_process_writes_is_seen_at_once(store: Store, tmp_path: Path) -> None:
    """S1-144: what is kept in memory never outlives a commit, ours or another's."""
    other = Store.open(Home(tmp_path))
    for number in range(5):
        writer, reader = (store, other) if number % 2 else (other, store)
        state.write_change(writer, OWNER, Change(section="project:a", add={"x": 1}))
        assert state.read_state(reader, OWNER, ["project:a"]).read_number("project:a", "x") == number + 1
        assert state.read_state(writer, OWNER, ["project:a"]).read_number("project:a", "x") == number + 1


def test_a_change_that_is_rolled_back_was_never_there(store: Store) -> None:
    state.write_change(store, OWNER, Change(section="project:a", put={"x": 1}))

    def fail(before: object) -> dict[str, object]:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        state.revise_section(store, OWNER, "project:a", fail)
    good = Change(section="project:a", put={"x": 2})
    bad = Change(section="breaker")
    effects = Decision(effects=(good, bad))
    record = EventRecord(call="c", at=1.0, agent="claude", event="Stop", session="s", root="/p", decision=effects)
    with pytest.raises(ValueError, match="project:NAME"):
        journal.append_records(store, [record])
    assert state.read_state(store, OWNER, ["project:a"]).read_number("project:a", "x") == 1


@pytest.mark.parametrize("value", ["\ud800 half a letter", object, 1 << 70, "\x00\x1b[2J", float("inf")])
def test_what_no_json_can_hold_does_not_stop_an_event(store: Store, value: object) -> None:
    state.write_change(store, OWNER, Change(section="project:a", put={"x": value, "y": 1}))
    found = state.read_state(store, OWNER, ["project:a"])
    assert not found.tampered
    assert found.read_number("project:a", "y") == 1


def fail_reading(store: Store) -> None:
    """A repair that a failing disk does not let end: until then nothing can be read."""

    def fail() -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR
        raise error

    store._unfinished.append(fail)


def test_what_cannot_be_read_for_a_moment_is_as_it_was_last_known(tripped: Store) -> None:
    """Law: a failure never relaxes anything."""
    assert breaker(tripped)["tripped"] is True
    fail_reading(tripped)
    with pytest.raises(StoreError):
        breaker(tripped)
    found = state.recall_state(tripped, OWNER, [sane.CIRCUIT_BREAKER, sane.SAFEMODE])
    assert found.read_flag(sane.CIRCUIT_BREAKER, "tripped") and not found.known
    assert found.tampered == frozenset(), "its safemode was looked for, and was not on"


def test_what_was_never_read_is_not_believed_to_be_harmless(tripped: Store, tmp_path: Path) -> None:
    later = Store.open(Home(tmp_path))
    fail_reading(later)
    wanted = [sane.CIRCUIT_BREAKER, sane.LEARNINGS]
    assert state.recall_state(later, OWNER, wanted).tampered == {sane.CIRCUIT_BREAKER}
    assert state.recall_state(later, state.SectionOwner("", "s"), wanted).tampered == frozenset(), "no project"


def test_a_home_in_which_nothing_was_ever_signed_has_nothing_to_lose(store: Store) -> None:
    fail_reading(store)
    assert state.recall_state(store, OWNER, [sane.CIRCUIT_BREAKER]) == State(known=False)


def test_a_forged_section_that_was_seen_is_not_recalled(tripped: Store) -> None:
    forge(tripped, b'{"tripped":false}')
    tripped.write = lambda work, **_: (_ for _ in ()).throw(StoreError("the disk is full"))
    assert breaker(tripped)["tripped"] is True
    fail_reading(tripped)
    assert state.recall_state(tripped, OWNER, [sane.CIRCUIT_BREAKER]).tampered == {sane.CIRCUIT_BREAKER}
