import sqlite3
from pathlib import Path

import pytest

from synaptic.model.decision import Decision
from synaptic.model.home import Home
from synaptic.model.state import Change
from synaptic.store import journal, state
from synaptic.store.db import Store
from synaptic.store.record import Record

OWNER = state.Owner("/p", "s")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(Home(tmp_path))


def test_changes_of_an_event_are_written_with_it_once(store: Store) -> None:
    decision = Decision(effects=(Change(section="project:breaker", add={"failures": 1}),))
    record = Record(call="c", at=1.0, agent="claude", event="Stop", session="s", root="/p", decision=decision)
    journal.append(store, [record])
    journal.append(store, [record])
    assert state.read(store, OWNER, ["project:breaker"]).number("project:breaker", "failures") == 1


def test_sections_belong_to_their_project_or_session(store: Store) -> None:
    state.write(store, OWNER, Change(section="project:a", put={"x": 1}))
    state.write(store, OWNER, Change(section="session:a", put={"x": 2}))
    names = ["project:a", "session:a"]
    assert state.read(store, state.Owner("/p", "other"), names).sections == {"project:a": {"x": 1}}
    assert state.read(store, state.Owner("/q", "s"), names).sections == {"session:a": {"x": 2}}


def test_what_somebody_else_wrote_is_not_believed(store: Store) -> None:
    """Law: an integrity violation never relaxes anything."""
    state.write(store, OWNER, Change(section="project:breaker", put={"tripped": True}))
    with sqlite3.connect(store.path) as other:
        other.execute("UPDATE state SET value = ?", (b'{"tripped":false}',))
    found = state.read(store, OWNER, ["project:breaker"])
    assert found.sections == {}
    assert found.tampered == {"project:breaker"}


def test_a_section_cannot_be_moved_to_another_project(store: Store) -> None:
    state.write(store, OWNER, Change(section="project:breaker", put={"tripped": False}))
    with sqlite3.connect(store.path) as other:
        other.execute("UPDATE state SET owner = '/q'")
    assert state.read(store, state.Owner("/q", ""), ["project:breaker"]).tampered


def test_the_key_is_private_and_survives_a_restart(store: Store, tmp_path: Path) -> None:
    state.write(store, OWNER, Change(section="project:a", put={"x": 1}))
    store.close()
    assert (tmp_path / "state.key").stat().st_mode & 0o777 == 0o600
    assert state.read(Store.open(Home(tmp_path)), OWNER, ["project:a"]).sections


def test_a_section_without_a_scope_is_a_mistake(store: Store) -> None:
    with pytest.raises(ValueError, match="project:NAME"):
        state.write(store, OWNER, Change(section="breaker"))
