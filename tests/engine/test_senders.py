import os
import time
from pathlib import Path

import pytest

from synaptic.agents.shared.processes import ProcessInfo, read_process
from synaptic.engine import senders
from synaptic.engine.senders import Senders, iter_windows
from synaptic.model.decision import Decision, Kind
from synaptic.model.errors import StoreError
from synaptic.store.record import JournalEntry
from tests.daemon.setting import Setting

ENDLESS = float("inf")


def entry(event: str, at: float, kind: Kind = Kind.NONE, tool: str = "Bash") -> JournalEntry:
    return JournalEntry(
        id=1, call="", at=at, agent="claude", event=event, session="s", agent_id="", tool=tool, root="", micros=0,
        size=0, payload=None, decision=Decision(kind=kind), answer=None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("entries", "windows"),
    [
        ([], []),
        ([("PreToolUse", 1)], [(1, ENDLESS)]),
        ([("PreToolUse", 1), ("PostToolUse", 2)], [(1, 2)]),
        ([("PreToolUse", 1), ("PostToolUseFailure", 2)], [(1, 2)]),
        ([("PreToolUse", 1), ("PreToolUse", 2), ("PostToolUse", 3)], [(1, 3), (2, ENDLESS)]),
        ([("PreToolUse", 1), ("Stop", 3, Kind.NONE, "")], [(1, 3)]),
        ([("PreToolUse", 1, Kind.DENY)], []),
        ([("PreToolUse", 1, Kind.ASK)], [(1, ENDLESS)]),
        ([("PostToolUse", 1)], []),
        ([("PreToolUse", 1), ("PostToolUse", 2, Kind.NONE, "Read")], [(1, ENDLESS)]),
    ],
)
def test_when_tool_calls_ran(entries, windows):
    assert list(iter_windows([entry(*one) for one in entries])) == windows


@pytest.fixture
def looked(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Which processes were looked at."""
    seen: list[int] = []

    def examine(pid: int, callers: object) -> senders.Sender:
        seen.append(pid)
        caller = ProcessInfo(7, 1, "1")
        return senders.Sender("hook", caller=caller, process=caller)

    monkeypatch.setattr(senders, "examine_sender", examine)
    return seen


def make_senders(setting: Setting) -> Senders:
    from synaptic.store.db import Store

    return Senders(setting.home, Store.open(setting.home))


def test_one_look_a_session_is_enough_before_tools(setting: Setting, looked: list[int]):
    known = make_senders(setting)
    for _ in range(3):
        known.examine(setting.request(), 5)
    assert looked == [5]
    known.examine(setting.elsewhere(), 6)
    assert looked == [5, 6]


@pytest.mark.parametrize("event", ["PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"])
def test_every_other_event_is_looked_at(setting: Setting, looked: list[int], event: str):
    known = make_senders(setting)
    known.examine(setting.request(event), 5)
    known.examine(setting.request(event), 6)
    assert looked == [5, 6]


@pytest.mark.parametrize("event", ["PreAbilityCall", "PostAbilityCall", "SessionStop"])
def test_an_orchestrators_own_events_are_free(setting: Setting, looked: list[int], event: str):
    make_senders(setting).examine(setting.raw(event, b"{}", "synaptic"), 5)
    assert looked == []


def test_without_a_process_only_what_a_person_says_is_not_believed(setting: Setting, monkeypatch: pytest.MonkeyPatch):
    nobody = senders.Sender("stranger", "gone")
    monkeypatch.setattr(senders, "examine_sender", lambda pid, callers: nobody)
    known = make_senders(setting)
    assert known.examine(setting.request("PostToolUse"), 0).stranger == ""
    assert known.examine(setting.request("UserPromptSubmit"), 0).stranger == "gone"


def test_a_prompt_of_a_process_that_is_old_is_doubted(setting: Setting):
    known = make_senders(setting)
    ticks = int((time.clock_gettime(time.CLOCK_BOOTTIME) - 60) * senders.TICKS_PER_SECOND)
    caller, old = ProcessInfo(7, 1, "1"), ProcessInfo(8, 7, str(ticks))
    assert "not started for it" in known._find_doubt(senders.Sender("hook", caller=caller, process=old))
    assert known._find_doubt(senders.Sender("hook", caller=caller, process=caller)) == ""


def test_where_the_journal_cannot_be_read_a_prompt_is_doubted(setting: Setting, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object, **__: object) -> None:
        raise StoreError("database disk image is malformed")

    known = make_senders(setting)
    caller, fresh = ProcessInfo(7, 1, "1"), read_process(os.getpid())
    monkeypatch.setattr(senders, "_find_start", lambda process: time.time() - 1)
    known._sessions[caller.key] = {"s": None}
    assert known._find_doubt(senders.Sender("hook", caller=caller, process=fresh)) == ""
    monkeypatch.setattr(senders.journal, "read_last_entries", fail)
    assert "cannot be read" in known._find_doubt(senders.Sender("hook", caller=caller, process=fresh))


def test_a_stranger_is_answered_and_moves_nothing(setting: Setting):
    import msgspec

    setting.config('presets = ["sane"]\n')
    setting.answer(setting.request("UserPromptSubmit", prompt="s+"))
    told = setting.answer(msgspec.structs.replace(setting.request("UserPromptSubmit", prompt="s-"), stranger="why"))
    assert b"not the agent's own call (why)" in told.stderr
    assert "safemode" not in str(setting.last().decision.effects).lower()
    denied = setting.answer(setting.request(tool_name="Edit", tool_input={"file_path": f"{setting.project}/a.py"}))
    assert b"afemode" in denied.stdout


def test_a_folder_that_a_stranger_adds_is_not_added(setting: Setting, tmp_path: Path):
    import msgspec

    from synaptic.store.db import Store
    from synaptic.store.workspaces import read_added_folders

    added = setting.request("DirectoryAdded", directory="/elsewhere")
    setting.answer(msgspec.structs.replace(added, stranger="why"))
    store = Store.open(setting.home)
    assert read_added_folders(store, "s1") == ()
    store.close()
    setting.answer(setting.request("DirectoryAdded", directory="/elsewhere"))
    store = Store.open(setting.home)
    assert read_added_folders(store, "s1") == ("/elsewhere",)
    store.close()


def test_one_look_is_enough_for_a_person_too(setting: Setting, monkeypatch: pytest.MonkeyPatch):
    seen: list[int] = []

    def examine(pid: int, callers: object) -> senders.Sender:
        seen.append(pid)
        return senders.Sender("person")

    monkeypatch.setattr(senders, "examine_sender", examine)
    known = make_senders(setting)
    known.examine(setting.request(), 5)
    assert known.is_familiar(setting.request())
    known.examine(setting.request(), 5)
    assert seen == [5]
