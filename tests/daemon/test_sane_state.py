"""The state of the sane process through the whole engine: the mirror follows, and nobody is believed who forges."""

import asyncio
import json
import sqlite3

import pytest

from synaptic.engine.walk import Engine
from synaptic.model import sane
from synaptic.store import sections, state
from synaptic.store.db import Store
from tests.daemon.setting import Setting, output

ONLY = """
trust = "all"
presets = []
[policies."sane.forged-state"]
enabled = true
"""


@pytest.fixture
def watched(setting: Setting) -> Setting:
    setting.config(ONLY)
    return setting


def stored(setting: Setting, *values: tuple[str, str, object]) -> None:
    store = Store.open(setting.home)
    for section, key, value in values:
        sections.set_section_value(store, str(setting.project), section, (key, value))
    store.close()


def value(setting: Setting, section: str, key: str) -> object:
    store = Store.open(setting.home)
    try:
        return sections.get_section(store, str(setting.project), section, key)
    finally:
        store.close()


def test_the_first_event_makes_the_mirror(watched: Setting) -> None:
    """S1-190"""
    assert watched.answer(watched.request()).stdout == b""
    assert json.loads((watched.project / ".claude/state.json").read_text())["research"]["web"] is None


def test_editing_the_mirror_changes_nothing_and_is_reported_once(watched: Setting) -> None:
    """S1-147, S1-151"""
    stored(watched, ("circuit_breaker", "tripped", True))
    watched.answer(watched.request())
    file = watched.project / ".claude/state.json"
    file.write_text(file.read_text().replace('"tripped": true', '"tripped": false'))
    told = output(watched.answer(watched.request("UserPromptSubmit", prompt="hello")))
    assert ".claude/state.json was changed by hand" in told["systemMessage"]
    assert json.loads(file.read_text())["circuit_breaker"]["tripped"] is True
    assert value(watched, "circuit_breaker", "tripped") is True
    (line,) = (watched.project / ".claude/audit.jsonl").read_text().splitlines()
    assert json.loads(line)["error"] == "tamper"
    assert watched.answer(watched.request()).stdout == b""
    assert [entry["what"] for entry in value(watched, "tampering", "entries")] == [".claude/state.json"]


def test_a_row_changed_in_the_database_is_told_and_keeps_the_breaker_tripped(watched: Setting) -> None:
    """S1-151"""
    stored(watched, ("circuit_breaker", "tripped", True), ("safemode", "active", True))
    with sqlite3.connect(watched.home.database) as other:
        other.execute("UPDATE state SET value = ?", (b'{"tripped":false,"active":false}',))
    told = output(watched.answer(watched.request()))
    assert "project:safemode in the engine's database was not written by the engine" in told["systemMessage"]
    assert value(watched, "circuit_breaker", "tripped") is True
    assert value(watched, "safemode", "active") is True
    assert (watched.project / ".claude/bypass_active.json").exists()
    assert "tamper" in (watched.project / ".claude/audit.jsonl").read_text()


def test_the_marker_follows_safemode_and_a_forged_one_is_removed(watched: Setting) -> None:
    """S1-023, S1-152"""
    marker = watched.project / ".claude/bypass_active.json"
    stored(watched, ("safemode", "active", True))
    watched.answer(watched.request())
    assert marker.exists()
    stored(watched, ("safemode", "active", False))
    watched.answer(watched.request())
    assert not marker.exists()
    marker.write_text('{"active": true}')
    told = output(watched.answer(watched.request()))
    assert "bypass_active.json was changed by hand" in told["systemMessage"]
    assert not marker.exists()
    assert value(watched, "safemode", "active") is False


def test_without_the_policy_no_file_is_made(setting: Setting) -> None:
    setting.config('trust = "all"\npresets = []\n')
    setting.answer(setting.request())
    assert not (setting.project / ".claude").exists()


def test_a_rehearsal_does_not_swallow_the_report(watched: Setting) -> None:
    stored(watched, ("safemode", "active", False))
    with sqlite3.connect(watched.home.database) as other:
        other.execute("UPDATE state SET value = ?", (b"{}",))
    watched.rehearse(watched.request())
    told = output(watched.answer(watched.request()))
    assert "project:safemode" in told["systemMessage"]


def test_a_new_session_hears_about_the_quarantine(setting: Setting) -> None:
    """Without any policy of the sane process too."""
    setting.config('trust = "all"\n')
    stored(setting, ("edits", "count", 1))
    with sqlite3.connect(setting.home.database) as other:
        other.execute("UPDATE state SET value = ?", (b"{}",))
    store = Store.open(setting.home)
    state.read_state(store, state.SectionOwner(str(setting.project)), [sane.EDITS])
    assert "in quarantine" in store.notices[0]
    store.close()


def test_a_tripped_breaker_holds_while_the_database_cannot_be_read(setting: Setting) -> None:
    """Law: a disk that fails relaxes nothing, also where no repair of the database can end."""
    setting.config('trust = "all"\npresets = []\n[policies."sane.edit-after-failures"]\nenabled = true\n')
    stored(setting, ("circuit_breaker", "tripped", True))
    edit = {"tool_name": "Write", "tool_input": {"file_path": str(setting.project / "a"), "content": "x"}}

    def fail() -> None:
        raise sqlite3.OperationalError("disk I/O error")

    async def answer(engine: Engine) -> tuple[bytes, bytes]:
        before = await engine.answer(setting.request(**edit))
        engine.store._unfinished.append(fail)
        try:
            return before.stdout, (await engine.answer(setting.request(**edit))).stdout
        finally:
            engine.store._unfinished.clear()

    for told in asyncio.run(setting._with_engine(answer)):
        assert json.loads(told)["hookSpecificOutput"]["permissionDecision"] == "deny"
