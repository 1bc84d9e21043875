import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from synaptic.model import sane
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.model.state import Change
from synaptic.store import sections, state
from synaptic.store.db import Store

FORK = multiprocessing.get_context("fork")
ROOT = "/p"


def test_get_set_update_reset(store: Store) -> None:
    """S1-141"""
    assert sections.get_section(store, ROOT, "circuit_breaker", "failures") == 0
    sections.set_section_value(store, ROOT, "circuit_breaker", ("failures", 2))
    sections.update_section(store, ROOT, "circuit_breaker", lambda now: {**now, "tripped": True})
    assert sections.get_section(store, ROOT, "circuit_breaker") == {
        **sane.default_section(sane.CIRCUIT_BREAKER),
        "failures": 2,
        "tripped": True,
    }
    sections.reset_section(store, ROOT, "circuit_breaker")
    assert sections.get_section(store, ROOT, "circuit_breaker") == sane.default_section(sane.CIRCUIT_BREAKER)


def test_a_fresh_project_shows_the_whole_schema(store: Store) -> None:
    """S1-140"""
    fresh = sections.read_sections(store, ROOT)
    assert list(fresh) == [name.removeprefix("project:") for name in sane.SECTIONS]
    assert fresh["action_log"] == fresh["learnings"] == []
    assert sections.get_section(store, ROOT, "action_log") == []


def test_a_section_that_is_a_list_is_shown_as_one(store: Store) -> None:
    state.write_change(
        store, state.SectionOwner(ROOT), Change(section=sane.ACTION_LOG, append={"entries": {"tool": "Bash"}})
    )
    assert sections.get_section(store, ROOT, "action_log") == [{"tool": "Bash"}]
    assert sections.read_sections(store, ROOT)["action_log"] == [{"tool": "Bash"}]


def test_an_unknown_section_or_key_is_refused_and_not_made(store: Store) -> None:
    """S1-142"""
    with pytest.raises(SynapticError, match=r"no section `breaker`.*known: circuit_breaker"):
        sections.get_section(store, ROOT, "breaker")
    with pytest.raises(SynapticError, match="no section"):
        sections.set_section_value(store, ROOT, "breaker", ("x", 1))
    with pytest.raises(SynapticError, match="has no key `trip`"):
        sections.get_section(store, ROOT, "circuit_breaker", "trip")
    with pytest.raises(SynapticError, match="has no key `trip`"):
        sections.set_section_value(store, ROOT, "circuit_breaker", ("trip", True))
    assert state.list_sections(store, state.SectionOwner(ROOT)) == {}


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("circuit_breaker", "tripped", "no"),
        ("circuit_breaker", "tripped", 0),
        ("circuit_breaker", "failures", True),
        ("circuit_breaker", "failures", None),
        ("edits", "unique_files", {}),
        ("circuit_breaker", "error_signatures", []),
    ],
)
def test_a_value_of_another_kind_is_refused(store: Store, section: str, key: str, value: object) -> None:
    with pytest.raises(SynapticError, match=f"`{key}` of `{section}` must be"):
        sections.set_section_value(store, ROOT, section, (key, value))
    assert sections.get_section(store, ROOT, section) == sane.default_section(sections.resolve_section_name(section))


def test_an_update_that_fails_changes_nothing(store: Store) -> None:
    sections.set_section_value(store, ROOT, "edits", ("count", 1))
    with pytest.raises(SynapticError):
        sections.update_section(store, ROOT, "edits", lambda now: {**now, "count": "many"})
    assert sections.get_section(store, ROOT, "edits", "count") == 1


def test_each_project_has_its_own(store: Store) -> None:
    sections.set_section_value(store, ROOT, "edits", ("count", 1))
    assert sections.get_section(store, "/q", "edits", "count") == 0


def test_the_overview_tells_what_is_stored(store: Store) -> None:
    sections.set_section_value(store, ROOT, "edits", ("count", 1))
    standing = {row["section"]: row["standing"] for row in sections.describe_sections(store, ROOT)["sections"]}
    assert standing["edits"] == "genuine"
    assert standing["research"] == "default"


def increment(home: Home, times: int = 1) -> None:
    store = Store.open(home)
    for _ in range(times):
        sections.update_section(store, ROOT, "edits", lambda now: {**now, "count": now["count"] + 1})
    os._exit(0)


def test_fifty_processes_that_add_one_make_fifty(home: Home, store: Store) -> None:
    """S1-144"""
    processes = [FORK.Process(target=increment, args=(home,)) for _ in range(50)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 50
    assert sections.get_section(store, ROOT, "edits", "count") == 50
    assert state.list_quarantine(store, state.SectionOwner(ROOT)) == []


def noting(home: Home, note: Path) -> None:
    """Counts up for ever, and writes down each number after it is stored."""
    store = Store.open(home)
    while True:
        after = sections.update_section(store, ROOT, "edits", lambda now: {**now, "count": now["count"] + 1})
        note.write_text(str(after["count"]))


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.11])
def test_a_kill_at_any_moment_leaves_a_state_that_reads_and_verifies(home: Home, tmp_path: Path, delay: float) -> None:
    """S1-146"""
    note = tmp_path / "note"
    process = FORK.Process(target=noting, args=(home, note))
    process.start()
    while delay and not (note.exists() and note.read_text()):
        time.sleep(0.005)
    time.sleep(delay)
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join(10)
    store = Store.open(home)
    told = int(note.read_text() or 0) if note.exists() else 0
    found = sections.get_section(store, ROOT, "edits", "count")
    assert isinstance(found, int)
    assert found >= told
    assert all(state.list_sections(store, state.SectionOwner(ROOT)).values())
    sections.update_section(store, ROOT, "edits", lambda now: {**now, "count": now["count"] + 1})
    assert sections.get_section(store, ROOT, "edits", "count") == found + 1
    store.close()
