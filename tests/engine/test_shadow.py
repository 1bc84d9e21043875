"""Policies in shadow: asked after the answer, in a process of their own; nothing that they do changes anything."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from synaptic.engine import shadow, walk
from synaptic.engine.shadow import ShadowWorker, limit_check, run_worker, take_lock
from synaptic.engine.shadow_queue import (
    MOST_BYTES,
    MOST_CALLS,
    MOST_FILES,
    MOST_WAITING_BYTES,
    ShadowQueue,
    WatchedCall,
    _encoder,
    decode_calls,
)
from synaptic.hooks.catalog import HookCatalogs
from synaptic.model.call import Answer, Request
from synaptic.model.decision import TraceStep
from synaptic.pipeline.shadow import ShadowTimeoutError
from synaptic.policies.git.force_push import ForcePush
from synaptic.store.db import Store
from synaptic.store.shadow import read_shadow_counts
from synaptic.testing import EngineSession
from tests.daemon.setting import Setting, output
from tests.engine.test_outside import simple

SHADOW = 'trust = "all"\n[policies."git.force-push"]\nmode = "shadow"\n'
OFF = 'trust = "all"\n[policies."git.force-push"]\nenabled = false\n'
PUSH = {"tool_input": {"command": "git push -f origin main"}}


@pytest.fixture
def setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setting:
    """One whose calls wait until a test takes them: no process is started."""
    monkeypatch.setattr(ShadowQueue, "_start_worker", lambda self: None)
    found = Setting(tmp_path)
    found.config(SHADOW)
    return found


def take_calls(setting: Setting) -> int:
    """What the process of its own does, in this one."""
    store = Store.open(setting.home)
    try:
        return asyncio.run(ShadowWorker(setting.home, store).take_all())
    finally:
        store.close()


def shadow_steps(setting: Setting) -> list[TraceStep]:
    return [step for step in setting.last().decision.trace if step.phase == "shadow"]


def waiting_files(setting: Setting) -> list[Path]:
    return sorted(setting.home.shadow.glob("*.calls")) if setting.home.shadow.exists() else []


def test_the_call_goes_on_and_its_event_says_what_would_have_been_said(setting: Setting) -> None:
    answer = setting.answer(setting.elsewhere(**PUSH))
    assert "permissionDecision" not in json.dumps(output(answer))
    assert setting.last().decision.kind == "none" and shadow_steps(setting) == []
    assert take_calls(setting) == 1
    (step,) = shadow_steps(setting)
    assert (step.hook, step.kind, step.phase) == ("git.force-push", "deny", "shadow")
    assert "main" in step.reason and setting.last().decision.kind == "none"
    with_counts = Store.open(setting.home)
    assert read_shadow_counts(with_counts) == {"git.force-push": {"deny": 1}}
    assert read_shadow_counts(with_counts, "/elsewhere") == {}
    with_counts.close()


@pytest.mark.parametrize("command", ["git push -f origin main", "git push -f origin x", "git reset --hard", "ls"])
def test_a_policy_in_shadow_answers_as_if_it_were_off(setting: Setting, command: str) -> None:
    answers = []
    for text in (SHADOW, OFF):
        setting.config(text)
        answer = setting.answer(setting.elsewhere(tool_input={"command": command}))
        answers.append((answer.stdout, answer.stderr, answer.exit))
    assert answers[0] == answers[1]


def test_a_call_is_judged_as_it_left_and_once(setting: Setting) -> None:
    setting.answer(setting.elsewhere(**PUSH))
    (file,) = waiting_files(setting)
    content = file.read_bytes()
    take_calls(setting)
    file.write_bytes(content)  # as if it had been left twice
    take_calls(setting)
    assert len(shadow_steps(setting)) == 1 and waiting_files(setting) == []


def test_a_call_that_others_refuse_is_not_judged(setting: Setting) -> None:
    setting.answer(setting.elsewhere(tool_input={"command": "git push -f origin main && git reset --hard"}))
    assert setting.last().decision.kind == "deny" and waiting_files(setting) == []


def test_a_call_that_concerns_no_watched_policy_leaves_nothing(setting: Setting) -> None:
    setting.answer(setting.elsewhere("UserPromptSubmit", prompt="hello"))
    assert waiting_files(setting) == []


def test_without_a_policy_in_shadow_there_is_no_folder(setting: Setting) -> None:
    setting.config('trust = "all"\n')
    setting.answer(setting.elsewhere(**PUSH))
    assert not setting.home.shadow.exists()


def test_a_stranger_and_a_rehearsal_are_not_judged(setting: Setting) -> None:
    setting.rehearse(setting.elsewhere(**PUSH))
    assert waiting_files(setting) == []


def test_a_journal_without_contents_keeps_no_reason(setting: Setting) -> None:
    setting.config('journal = "structure"\n' + SHADOW)
    setting.answer(setting.elsewhere(**PUSH))
    take_calls(setting)
    (step,) = shadow_steps(setting)
    assert step.kind == "deny" and step.reason.endswith("characters]")


def test_a_switched_off_journal_leaves_nothing(setting: Setting) -> None:
    setting.config('journal = "off"\n' + SHADOW)
    setting.answer(setting.elsewhere(**PUSH))
    assert waiting_files(setting) == []


def test_a_crash_is_a_failure_of_that_policy_alone(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RecursionError("on purpose")

    setting.answer(setting.elsewhere(**PUSH))
    monkeypatch.setattr(ForcePush, "check", fail)
    take_calls(setting)
    (step,) = shadow_steps(setting)
    assert (step.fault, step.kind) == ("crash", "none") and "on purpose" in step.note


def test_a_policy_that_hangs_is_given_up(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: object) -> None:
        while True:
            pass

    setting.answer(setting.elsewhere(**PUSH))
    monkeypatch.setattr(ForcePush, "check", hang)
    monkeypatch.setattr(shadow, "CHECK_SECONDS", 0.1)
    take_calls(setting)
    assert shadow_steps(setting)[0].fault == "timeout"


def test_a_policy_that_forks_leaves_no_second_worker(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    children = []

    def fork(*_: object) -> None:
        child = os.fork()
        if child:
            children.append(child)

    setting.answer(setting.elsewhere(**PUSH))
    monkeypatch.setattr(ForcePush, "check", fork)
    take_calls(setting)
    assert [os.waitpid(child, 0)[1] for child in children] == [0]


def test_the_limit_leaves_no_alarm_behind() -> None:
    with limit_check():
        pass
    with pytest.raises(ShadowTimeoutError), limit_check():
        shadow.signal.raise_signal(shadow.signal.SIGALRM)
    assert shadow.signal.getitimer(shadow.signal.ITIMER_REAL) == (0.0, 0.0)


def test_forged_and_torn_files_are_thrown_away(setting: Setting) -> None:
    setting.home.shadow.mkdir(parents=True)
    for name, content in (("1.calls", b"\xff" * 100), ("2.calls", b""), ("3.calls", b"\x91\x93\xc4\x01a\xc4\x00\x00")):
        (setting.home.shadow / name).write_bytes(content)
    queued = _encoder.encode([WatchedCall(b"", b"[1]", 0.0), WatchedCall(b"", b"{", 0.0)])
    (setting.home.shadow / "4.calls").write_bytes(queued)
    os.mkfifo(setting.home.shadow / "5.calls")
    assert take_calls(setting) == 0 and waiting_files(setting) == []
    (setting.home.shadow / "6.calls").mkdir()
    setting.answer(setting.elsewhere(**PUSH))
    assert take_calls(setting) == 1


def test_an_old_call_is_not_judged(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    setting.answer(setting.elsewhere(**PUSH))
    monkeypatch.setattr(shadow, "STALE_SECONDS", -1.0)
    take_calls(setting)
    assert shadow_steps(setting) == []


def test_a_full_disk_costs_the_verdict_and_nothing_else(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("synaptic.engine.shadow_queue.replace_own", refuse)
    answer = setting.answer(setting.elsewhere(**PUSH))
    assert (answer.exit, answer.stderr) == (0, b"")


def test_a_process_that_does_not_come_on_fills_no_disk(setting: Setting) -> None:
    setting.home.shadow.mkdir(parents=True)
    for number in range(MOST_FILES):
        (setting.home.shadow / f"{number}.calls").write_bytes(b"")
    setting.answer(setting.elsewhere(**PUSH))
    assert len(waiting_files(setting)) == MOST_FILES


def test_a_burst_is_bounded(setting: Setting) -> None:
    async def leave_many() -> None:
        queue = ShadowQueue(setting.home)
        for _ in range(MOST_CALLS + 50):
            queue.add(setting.request(**PUSH), {"command": "ls"})
        queue.hand_over()

    asyncio.run(leave_many())
    (file,) = waiting_files(setting)
    calls = decode_calls(file.read_bytes())
    assert len(calls) == MOST_CALLS and calls[0][1] == {"command": "ls"}
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_burst_of_long_calls_is_small_enough_to_be_written_in_one_go(setting: Setting) -> None:
    """Events wait while it is written, and fifty such files stay until somebody takes them."""

    async def leave_many() -> None:
        queue = ShadowQueue(setting.home)
        for _ in range(2):
            for _ in range(20):
                queue.add(setting.request(tool_input={"command": "x" * (MOST_BYTES - 1000)}), None)
            queue.hand_over()

    asyncio.run(leave_many())
    first, second = waiting_files(setting)
    for file in (first, second):
        assert len(decode_calls(file.read_bytes())) == MOST_WAITING_BYTES // MOST_BYTES
        assert file.stat().st_size < 2 * MOST_WAITING_BYTES


def test_one_worker_at_a_time_and_none_without_work(setting: Setting) -> None:
    setting.home.shadow.mkdir(parents=True)
    held = take_lock(setting.home.shadow)
    assert held is not None and take_lock(setting.home.shadow) is None
    run_worker(setting.home, idle=0)  # there is one already
    os.close(held)
    run_worker(setting.home, idle=0)


def wait_for_step(setting: Setting, seconds: float = 30) -> list[TraceStep]:
    until = time.monotonic() + seconds
    while not (found := shadow_steps(setting)) and time.monotonic() < until:
        time.sleep(0.1)
    return found


@pytest.mark.parametrize("door", ["daemon", "fallback"])
def test_by_every_door_the_process_is_started(tmp_path: Path, door: str) -> None:
    setting = Setting(tmp_path)
    setting.config(SHADOW)
    try:
        if door == "daemon":
            setting.install()
            setting.start()
        else:
            setting.without_daemon()
        answer: Answer = getattr(setting, door)(setting.elsewhere(**PUSH))
        assert b"permissionDecision" not in answer.stdout
        assert [step.kind for step in wait_for_step(setting)] == ["deny"]
    finally:
        setting.close()


def test_a_changed_config_counts_with_the_next_call(setting: Setting) -> None:
    async def answer_both() -> list[bytes]:
        engine = walk.open_engine(setting.home)
        try:
            first = await engine.answer(setting.elsewhere(**PUSH))
            setting.config('trust = "all"\n# enforced again\n')
            return [first.stdout, (await engine.answer(setting.elsewhere(**PUSH))).stdout]
        finally:
            await engine.close()

    first, second = asyncio.run(answer_both())
    assert b'"deny"' not in first and b'"deny"' in second


def test_the_catalog_holds_them_apart(setting: Setting) -> None:
    catalog = HookCatalogs(setting.home).get(str(setting.project))
    assert [hook.id for hook in catalog.watched] == ["git.force-push"]
    assert "git.force-push" not in {hook.id for hook in catalog.hooks}


def test_no_request_of_a_stranger_is_left(setting: Setting) -> None:
    request: Request = walk.msgspec.structs.replace(setting.elsewhere(**PUSH), stranger="somebody")
    setting.answer(request)
    assert waiting_files(setting) == []


STUCK = """
import asyncio, signal, sys, time
from pathlib import Path
from synaptic.engine import shadow
from synaptic.model.home import Home
from synaptic.policies.git.force_push import ForcePush

def hang(*_):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    time.sleep(60)

ForcePush.check = hang
shadow.WATCHDOG_SECONDS = 1.0
shadow.main([sys.argv[1]])
"""


def test_who_hears_no_alarm_is_ended_with_the_process_and_not_taken_again(setting: Setting) -> None:
    setting.answer(setting.elsewhere(**PUSH))
    done = subprocess.run([sys.executable, "-c", STUCK, str(setting.home.root)], capture_output=True, timeout=50)
    assert done.returncode == 1 and b"git push" not in done.stderr
    assert waiting_files(setting) == [] and shadow_steps(setting) == []
    held = take_lock(setting.home.shadow)
    assert held is not None  # its lock has gone with it
    os.close(held)


def test_a_policy_of_ones_own_can_advise_and_not_be_in_shadow(tmp_path: Path) -> None:
    code = simple('return deny("never")', settings="")
    for mode, kind in (("advise", "advise"), ("shadow", "deny"), ("enforce", "deny")):
        session = EngineSession(tmp_path / mode, config=f'[policies."acme.x"]\nmode = "{mode}"\n')
        try:
            session.write("acme.py", code)
            assert session.check("ls").decision.kind == kind
            told = [text for text in session.catalog().problems if "cannot be in shadow" in text]
            assert bool(told) is (mode == "shadow")
        finally:
            session.close()
