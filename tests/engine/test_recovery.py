"""No line of an operator's file is lost or doubled by a `kill -9`, wherever it strikes."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import synaptic
from synaptic.daemon import client, frame, lifecycle
from synaptic.engine import operator_files
from synaptic.engine.recovery import ALL_LINES, PromisedLines
from synaptic.engine.walk import open_engine
from synaptic.model.call import Request
from synaptic.model.decision import Decision
from synaptic.model.effect import AppendLine
from synaptic.model.home import Home
from synaptic.store import promises
from synaptic.store.db import Store
from synaptic.store.journal import claim_records
from synaptic.store.record import EventRecord, LinePromise
from tests.daemon.setting import Setting

PATIENCE = 60.0
AUDITED = 'trust = "all"\n{more}[policies."audit.tool-use"]\nenabled = true\n'
SECRET = "ghp_" + "a1B2" * 9

KILLED = """
import os, sys
from synaptic.daemon import fallback
from synaptic.engine import operator_files, recovery, side_effects

def die(*given):
    os.kill(os.getpid(), 9)

def die_when_kept(self, number, line, size):
    die() if number and line == recovery.ALL_LINES else note(self, number, line, size)

note = recovery.ProgressMark.note
{strike}
sys.exit(fallback.main(sys.argv[1:]))
"""
STRIKES = {
    "after the journal": "side_effects.SideEffects.carry_out = die",
    "before the line": "operator_files.os = type('Os', (), {**vars(os), 'write': die})",
    "after the line": "recovery.ProgressMark.note = die_when_kept",
}
"""Where a process is killed, and what is there to see of its line then."""


@pytest.fixture
def audited(setting: Setting) -> Setting:
    setting.config(AUDITED.format(more=""))
    return setting


def log_of(setting: Setting) -> Path:
    return setting.project / ".synaptic" / "logs" / "audit.log"


def lines(setting: Setting) -> list[str]:
    """Without their stamps."""
    found = log_of(setting).read_text().splitlines() if log_of(setting).exists() else []
    return [line.split("[Bash] ", 1)[1] for line in found]


def kill_while_answering(setting: Setting, request: Request, strike: str) -> None:
    packed = frame.pack_request(frame.RequestDelivery(synaptic.__version__, request))
    command = [sys.executable, "-I", "-c", KILLED.format(strike=STRIKES[strike]), str(setting.home.root)]
    done = subprocess.run(command, input=packed, capture_output=True, env=dict(request.env), timeout=PATIENCE)
    assert done.returncode == -signal.SIGKILL, done.stderr


def remembered(setting: Setting) -> tuple[str, ...]:
    store = Store.open(setting.home)
    try:
        return promises.list_owners(store)
    finally:
        store.close()


@pytest.mark.parametrize("strike", STRIKES)
@pytest.mark.parametrize("keep", ["full", "structure", "off"])
def test_a_line_is_there_once_wherever_its_process_was_killed(audited: Setting, strike: str, keep: str) -> None:
    audited.config(AUDITED.format(more=f'journal = "{keep}"\n'))
    kill_while_answering(audited, audited.request(), strike)
    assert len(lines(audited)) == (strike == "after the line")
    audited.fallback(audited.request("Notification", message="the next event"))
    assert lines(audited) == ['{"command": "ls -la"}']
    assert remembered(audited) == ()
    assert list((audited.home.run / "lines").iterdir()) == []


@pytest.mark.parametrize("strike", STRIKES)
def test_equal_lines_of_the_same_moment_are_told_apart(
    audited: Setting, monkeypatch: pytest.MonkeyPatch, strike: str
) -> None:
    """One that is lost is not taken for an equal one that was written before it."""

    def die_writing(own: PromisedLines) -> None:
        promise, mark = promise_line(own, audited, "c2"), own._mark
        if strike == "after the journal":
            return
        if strike == "before the line":
            monkeypatch.setattr(operator_files.os, "write", lambda *given: os._exit(0))
        else:
            assert mark is not None
            note = mark.note
            monkeypatch.setattr(mark, "note", lambda *place: note(*place) if place[1] < ALL_LINES else os._exit(0))
        own.write(str(audited.project), [line_for(audited)], promise)

    let_child(audited, lambda own: keep_promise(own, audited, "c1"))
    let_child(audited, die_writing)
    assert len(lines(audited)) == (2 if strike == "after the line" else 1)
    for _ in range(2):
        audited.fallback(audited.request("Notification", message="the next event"))
    assert lines(audited) == ["by hand"] * 2


def test_a_lost_line_is_not_taken_for_an_equal_one_that_came_later(audited: Setting) -> None:
    let_child(audited, lambda own: promise_line(own, audited, "c1"))
    let_child(audited, lambda own: keep_promise(own, audited, "c2"))
    audited.fallback(audited.request("Notification", message="the next event"))
    assert lines(audited) == ["by hand"] * 2


def test_what_was_written_is_not_written_again_though_the_file_was_emptied_since(audited: Setting) -> None:
    let_child(audited, lambda own: keep_promise(own, audited, "c1"))
    log_of(audited).write_text("")
    audited.fallback(audited.request("Notification", message="the next event"))
    assert lines(audited) == []


def line_for(setting: Setting) -> AppendLine:
    return AppendLine(str(log_of(setting)), "2026-01-01T00:00:00Z [Bash] by hand")


def let_child(setting: Setting, work: Callable[[PromisedLines], object]) -> None:
    """Let a process of its own do something with its promises, and end without a word."""
    child = os.fork()
    if child == 0:
        work(PromisedLines(setting.home, Store.open(setting.home)))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def promise_line(own: PromisedLines, setting: Setting, call: str) -> LinePromise | None:
    """A call in the journal with one line that is not written yet."""
    effects = (line_for(setting),)
    promise = own.promise(effects)
    record = EventRecord(
        call=call,
        at=1.0,
        agent="claude",
        event="e",
        root=str(setting.project),
        decision=Decision(effects=effects),
        promise=promise,
    )
    assert claim_records(own._store, [record]) == [True]
    return promise


def keep_promise(own: PromisedLines, setting: Setting, call: str) -> None:
    own.write(str(setting.project), [line_for(setting)], promise_line(own, setting, call))


def test_whoever_lives_keeps_its_own_promises(audited: Setting) -> None:
    store = Store.open(audited.home)
    own = PromisedLines(audited.home, store)
    promise_line(own, audited, "c1")
    audited.fallback(audited.request("Notification", message="another process looks"))
    assert lines(audited) == []
    shutil.rmtree(audited.home.run / "lines")  # whoever cleans up there does not make it dead
    audited.fallback(audited.request("Notification", message="another process looks"))
    assert lines(audited) == []
    store.close()


def test_two_who_find_the_same_lines_write_them_once(audited: Setting) -> None:
    for number in range(5):
        let_child(audited, lambda own, call=f"c{number}": promise_line(own, audited, call))
    requests = [audited.request("Notification", message=f"{number}") for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(audited.fallback, requests))
    assert lines(audited) == ["by hand"] * 5


def test_without_a_mark_the_files_themselves_are_asked(audited: Setting) -> None:
    let_child(audited, lambda own: promise_line(own, audited, "c1"))
    shutil.rmtree(audited.home.run / "lines")
    for _ in range(2):
        audited.fallback(audited.request("Notification", message="the next event"))
    assert lines(audited) == ["by hand"]


def test_a_line_that_cannot_be_written_is_tried_once_and_stops_nothing(audited: Setting) -> None:
    let_child(audited, lambda own: promise_line(own, audited, "c1"))
    (audited.project / ".synaptic" / "logs").write_text("a file in the place of the folder")
    answer = audited.fallback(audited.request("Notification", message="the next event"))
    assert (answer.exit, answer.stderr) == (0, b"")
    assert remembered(audited) == ()


def test_no_secret_is_remembered_with_a_promise(audited: Setting) -> None:
    audited.config(AUDITED.format(more='journal = "structure"\n'))
    kill_while_answering(audited, audited.request(tool_input={"command": f"echo {SECRET}"}), "after the journal")
    for file in audited.home.root.glob("synaptic.db*"):
        assert SECRET.encode() not in file.read_bytes()
    audited.fallback(audited.request("Notification", message="the next event"))
    assert len(lines(audited)) == 1
    assert SECRET not in log_of(audited).read_text()


def test_without_a_place_for_its_mark_a_process_writes_its_lines_all_the_same(audited: Setting) -> None:
    audited.home.run.mkdir(parents=True)
    (audited.home.run / "lines").write_text("a file in the place of the folder")
    audited.answer(audited.request())
    assert lines(audited) == ['{"command": "ls -la"}']
    assert remembered(audited) == ()


def test_a_long_life_leaves_no_heap_of_promises(audited: Setting) -> None:
    async def answer_many() -> int:
        engine = open_engine(audited.home)
        for number in range(100):
            await engine.answer(audited.request(tool_input={"command": f"ls {number}"}))
            await asyncio.sleep(0)
        (owner,) = promises.list_owners(engine.store)
        left = len(promises.read_promises(engine.store, owner))
        await engine.close()
        return left

    assert asyncio.run(answer_many()) <= promises.FORGET_EVERY + 1
    assert len(lines(audited)) == 100
    assert remembered(audited) == ()


def test_every_journalled_call_has_its_line_once_after_a_killed_daemon(audited: Setting) -> None:
    """Law: no acknowledged event is lost, none is counted twice, at any `kill -9`."""
    audited.without_daemon()
    for round_ in range(3):
        audited.start()
        commands = [f"ls {round_}-{number}" for number in range(40)]
        with ThreadPoolExecutor(8) as pool:
            calls = [pool.submit(call_once, audited, command) for command in commands]
            calls[15].result(PATIENCE)
            os.kill(lifecycle.read_status(audited.home).pid, signal.SIGKILL)
            for call in calls:
                call.result(PATIENCE)
        assert audited.wait_for(lambda: lifecycle.read_status(audited.home).state == "stopped", PATIENCE)
    audited.fallback(audited.request("Notification", message="the next event"))
    written = Counter(lines(audited))
    journalled = [entry for entry in audited.entries(500) if entry.event == "PreToolUse"]
    assert len(journalled) == 120
    assert written == Counter(f'{{"command": "ls {round_}-{number}"}}' for round_ in range(3) for number in range(40))


def call_once(setting: Setting, command: str) -> None:
    """As a dispatcher does: ask the daemon, and decide with the same id when it does not answer."""
    request = setting.request(tool_input={"command": command})
    if client.send_request(setting.home, request) is None:
        setting.fallback(request)


def test_a_home_that_cannot_be_read_promises_nothing(tmp_path: Path) -> None:
    home = Home(tmp_path / "file" / ".synaptic")
    (tmp_path / "file").write_text("")
    store = Store.open(home)
    assert PromisedLines(home, store).promise([AppendLine("/x/y", "z")]) is None
    store.close()
