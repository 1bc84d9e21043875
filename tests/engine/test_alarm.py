"""What never comes to an end is broken off, and before a tool runs that is a question."""

import asyncio
import json
import signal
import time
from collections.abc import Callable

import pytest
import uvloop

from synaptic.engine import alarm
from synaptic.engine.walk import open_engine
from synaptic.facts import gather
from synaptic.policies.files.recursive_deletion import RecursiveDeletion
from synaptic.runners import processes
from tests.daemon.setting import BLOCK, Setting


def _never_return(*_: object) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        pass


def _sleep_long(*_: object) -> None:
    time.sleep(20)


async def _wait_for_ever(*_: object) -> None:
    await asyncio.sleep(20)


async def _spin_for_ever(*_: object) -> None:
    _never_return()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alarm, "BEAT_SECONDS", 0.1)
    monkeypatch.setattr(alarm, "STUCK_SECONDS", 0.4)
    monkeypatch.setattr(gather, "GATHERING_SECONDS", 0.3)


def _ask(
    setting: Setting,
    event: str = "PreToolUse",
    run: Callable[..., tuple[str, str]] = asyncio.run,
    is_read_before: bool = True,
    **fields: object,
) -> tuple[str, str]:
    async def answer() -> tuple[str, str]:
        engine = open_engine(setting.home)
        if is_read_before:
            engine.catalogs.get(str(setting.project))
        beat = asyncio.create_task(alarm.keep_beating())
        await asyncio.sleep(0)
        try:
            found = await engine.answer(setting.elsewhere(event, **fields))
        finally:
            beat.cancel()
            await engine.close()
        said = json.loads(found.stdout).get("hookSpecificOutput", {}) if found.stdout else {}
        return said.get("permissionDecision", "none"), said.get("permissionDecisionReason", found.stderr.decode())

    started = time.monotonic()
    result = run(answer())
    assert time.monotonic() - started < 8
    return result


@pytest.mark.parametrize("fail", ["open", "closed"])
@pytest.mark.parametrize("hang", [_never_return, _sleep_long])
def test_a_policy_that_never_returns_is_asked_about(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, hurried: None, hang: object, fail: str
) -> None:
    setting.config(f'fail = "{fail}"\n')
    monkeypatch.setattr(RecursiveDeletion, "speaks_of", None)
    monkeypatch.setattr(RecursiveDeletion, "check", hang)
    decision, reason = _ask(setting)
    assert decision == "ask"
    assert "not judged within" in reason


def test_the_daemons_own_loop_is_broken_off_too(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, hurried: None
) -> None:
    monkeypatch.setattr(RecursiveDeletion, "speaks_of", None)
    monkeypatch.setattr(RecursiveDeletion, "check", _never_return)
    assert _ask(setting, run=uvloop.run)[0] == "ask"


@pytest.mark.parametrize("hang", [_wait_for_ever, _spin_for_ever])
def test_facts_that_never_come_are_asked_about(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, hurried: None, hang: object
) -> None:
    broken = {**gather.find_gatherers(), "real_paths": hang}
    monkeypatch.setattr(gather, "find_gatherers", lambda: broken)
    gather._split_needs.cache_clear()
    try:
        assert _ask(setting)[0] == "ask"
    finally:
        gather._split_needs.cache_clear()


@pytest.mark.parametrize(
    "where",
    [
        "synaptic.agents.claude.dialect.ClaudeAdapter.degrade",
        "synaptic.hooks.select.HookIndex.select",
        "synaptic.engine.walk.amend_decision",
        "synaptic.hooks.catalog.find_root",
    ],
)
def test_wherever_a_judgement_hangs_it_is_no_allow(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, hurried: None, where: str
) -> None:
    monkeypatch.setattr(where, _never_return)
    assert _ask(setting)[0] in ("ask", "deny")


@pytest.mark.parametrize("where", ["synaptic.engine.walk.decide_call", "synaptic.hooks.catalog.run_beside"])
def test_what_is_awaited_for_ever_is_no_allow(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, hurried: None, where: str
) -> None:
    monkeypatch.setattr(alarm, "FIRST_SECONDS", 0.3)
    monkeypatch.setattr("synaptic.engine.opening.OpenedCall.patience", 0.3)
    monkeypatch.setattr(where, _wait_for_ever)
    (setting.project / ".synaptic" / "config.toml").write_text("# the catalog is read again\n")
    decision, reason = _ask(setting, is_read_before="catalog" not in where)
    assert decision == "ask"
    assert "stopped waiting" in reason


def test_after_the_act_a_hang_costs_nothing_but_a_line(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, hurried: None
) -> None:
    monkeypatch.setattr("synaptic.engine.walk.amend_decision", _never_return)
    assert "not judged within" in _ask(setting, "PostToolUse", tool_response={})[1]


def test_others_are_answered_after_one_was_broken_off(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, hurried: None
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(RecursiveDeletion, "speaks_of", None)
        patched.setattr(RecursiveDeletion, "check", _never_return)
        assert _ask(setting)[0] == "ask"
    assert _ask(setting)[0] == "none"


def test_the_alarm_leaves_no_timer_behind(setting: Setting) -> None:
    _ask(setting)
    assert alarm.signal.getitimer(alarm.signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_alarm_that_rings_while_a_hook_is_started_loses_no_process(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A daemon that stood still, perhaps because the hook has stopped it, finds its alarm ringing when it goes on."""
    setting.register("guard", BLOCK)
    started: list[processes.Process] = []
    spawn = processes._spawn_process

    def spawn_late(*given: object) -> processes.Process:
        started.append(spawn(*given))  # type: ignore[arg-type]
        signal.raise_signal(signal.SIGALRM)
        signal.raise_signal(signal.SIGALRM)
        return started[-1]

    monkeypatch.setattr(processes, "_spawn_process", spawn_late)
    decision, _ = _ask(setting)
    assert decision == "deny"
    assert [process.returncode for process in started] == [0]


def test_a_start_that_is_stuck_is_broken_off_by_the_second_ring(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, hurried: None
) -> None:
    setting.register("guard", BLOCK)
    monkeypatch.setattr(processes, "_spawn_process", _sleep_long)
    decision, reason = _ask(setting)
    assert decision == "ask"
    assert "not judged within" in reason


def test_one_ring_after_a_standstill_breaks_nothing_off(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process as a whole stood still: an event after the act would be lost, though nothing is stuck in it."""
    check = RecursiveDeletion.check

    def check_late(*given: object) -> object:
        signal.raise_signal(signal.SIGALRM)
        return check(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(RecursiveDeletion, "speaks_of", None)
    monkeypatch.setattr(RecursiveDeletion, "check", check_late)
    assert _ask(setting)[0] == "none"
    assert len(setting.entries()) == 1
