"""One exception that counts once, and many who want it at the same moment, in real processes: one of them has it."""

import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from synaptic.daemon import lifecycle
from synaptic.model.call import Answer
from tests.daemon.setting import BLOCK, Setting
from tests.daemon.test_claims import PATIENCE, halted_daemon, receive, send
from tests.engine.granting import allow, list_stored, read_decision

CROWD = 100
ALONE = int(os.environ.get("RACE_ALONE", "16"))
"""Without a daemon each call is an engine of its own, which takes a second of a core; 50 were tried."""
SEED = int(os.environ.get("RACE_SEED", "19"))
ROUNDS = int(os.environ.get("RACE_ROUNDS", "4"))
LS = {"tool_input": {"command": "ls"}}


FIRST_WAITS = """
if mkdir '{folder}/first' 2>/dev/null; then
  : > '{folder}/waits'
  while [ ! -e '{folder}/go' ]; do sleep 0.05; done
fi
"""


def let_first_wait(setting: Setting) -> None:
    setting.register("slow", FIRST_WAITS.format(folder=setting.project), priority=90, timeout=50)


@pytest.fixture
def granted(setting: Setting) -> Setting:
    """A hook that refuses every command, and the installed dispatcher."""
    setting.register("guard", BLOCK)
    setting.install()
    return setting


def refuse(setting: Setting) -> Answer:
    """The refusal that exceptions are made for; its calls never run by themselves."""
    answer = setting.answer(setting.request(**LS))
    assert read_decision(answer) == "deny"
    return answer


def dispatch(setting: Setting) -> Answer:
    done = setting.dispatch("PreToolUse", setting.payload(**LS))
    return Answer(done.stdout, done.stderr, done.returncode)


def is_let_through(answer: Answer) -> bool:
    """What the agent would run. An answer that is none lets it through as well."""
    return answer.exit == 0 and read_decision(answer) not in ("deny", "ask")


def crowd(setting: Setting, size: int = CROWD) -> list[Answer]:
    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(lambda _: dispatch(setting), range(size)))


def assert_one(setting: Setting, answers: list[Answer]) -> None:
    assert sum(map(is_let_through, answers)) == 1
    (winner,) = [entry.call for entry in setting.entries(2 * CROWD) if entry.decision.grants]
    (stored,) = list_stored(setting)
    assert (stored.grant.used_by, stored.uses) == (winner, 1)


def test_of_a_hundred_calls_at_once_the_daemon_lets_one_through(granted: Setting) -> None:
    allow(granted, refuse(granted))
    granted.start()
    assert_one(granted, crowd(granted))


def test_of_a_crowd_without_a_daemon_one_is_let_through(granted: Setting) -> None:
    granted.without_daemon()
    allow(granted, refuse(granted))
    assert_one(granted, crowd(granted, ALONE))


def test_of_a_crowd_at_a_daemon_and_beside_it_one_is_let_through(granted: Setting) -> None:
    allow(granted, refuse(granted))
    granted.start()
    requests = [granted.request(**LS) for _ in range(CROWD // 2)]
    with ThreadPoolExecutor(len(requests)) as pool:
        ways = [
            pool.submit((granted.daemon, granted.fallback)[place % 5 == 0], one) for place, one in enumerate(requests)
        ]
        answers = [way.result(PATIENCE) for way in ways]
    assert_one(granted, answers)


def test_as_many_are_let_through_as_there_are_exceptions(granted: Setting) -> None:
    answer = refuse(granted)
    for _ in range(10):
        allow(granted, answer)
    granted.start()
    answers = crowd(granted, 40)
    assert sum(map(is_let_through, answers)) == 10
    assert all(read_decision(answer) in ("", "deny") for answer in answers)


@pytest.mark.parametrize("round", range(ROUNDS))
def test_a_daemon_that_is_killed_in_between_lets_never_two_through(granted: Setting, round: int) -> None:
    chance = random.Random(SEED * 1000 + round)
    allow(granted, refuse(granted))
    granted.start()
    with ThreadPoolExecutor(13) as pool:
        calls = [pool.submit(dispatch, granted) for _ in range(12)]
        for _ in range(chance.randint(1, 3)):
            time.sleep(chance.random() * 0.12)
            kill_daemon(granted)
        answers = [call.result(PATIENCE) for call in calls]
    assert sum(map(is_let_through, answers)) <= 1
    # Killed after the entry was written, before it was told: the dispatcher asks again, under the same id.
    assert sum(bool(entry.decision.grants) for entry in granted.entries(99)) <= 1
    later = crowd(granted, 2)
    assert sum(map(is_let_through, answers + later)) == 1 or not any(map(is_let_through, later))


def kill_daemon(setting: Setting) -> None:
    pid = lifecycle.read_status(setting.home).pid
    with suppress(ProcessLookupError):
        if pid > 1:  # none may run at this moment
            os.kill(pid, signal.SIGKILL)


def test_a_repeated_call_gets_the_same_answer_and_uses_nothing_more(granted: Setting) -> None:
    answer = refuse(granted)
    for _ in range(2):
        allow(granted, answer)
    granted.start()
    request = granted.request(**LS)
    with ThreadPoolExecutor(8) as pool:
        ways = [pool.submit(granted.daemon if place % 2 else granted.fallback, request) for place in range(8)]
        answers = [way.result(PATIENCE) for way in ways]
    assert {answer.stdout for answer in answers} == {answers[0].stdout}
    assert all(map(is_let_through, answers))
    assert sum(one.uses for one in list_stored(granted)) == 1


def test_a_daemon_that_stood_still_gives_the_answer_of_the_fallback_that_used_it_up(granted: Setting) -> None:
    allow(granted, refuse(granted))
    granted.without_daemon()
    granted.start()
    first, second = granted.request(**LS), granted.request(**LS)
    with halted_daemon(granted):
        late, other = send(granted, first), send(granted, second)
        told = granted.fallback(second)
    assert is_let_through(told)
    assert receive(other) == told
    assert read_decision(receive(late)) == "deny"
    assert sum(one.uses for one in list_stored(granted)) == 1


def test_a_daemon_that_stands_still_between_its_look_and_its_entry_is_too_late(granted: Setting) -> None:
    """It has found the exception and waits for a slow hook; meanwhile a fallback decides another call."""
    allow(granted, refuse(granted))
    granted.without_daemon()
    let_first_wait(granted)
    granted.start()
    slow = send(granted, granted.request(**LS))
    assert granted.wait_for((granted.project / "waits").exists, PATIENCE)
    assert is_let_through(granted.fallback(granted.request(**LS)))
    (granted.project / "go").touch()
    assert read_decision(receive(slow)) == "deny"
    assert sum(one.uses for one in list_stored(granted)) == 1


def test_while_another_program_keeps_the_database_locked_nothing_is_let_through(granted: Setting) -> None:
    allow(granted, refuse(granted))
    code = (
        "import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
        "c.execute('BEGIN IMMEDIATE'); print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, granted.home.database], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        holder.stdout.readline()
        answers = [granted.answer(granted.request(**LS)) for _ in range(2)]
        holder.stdin.close()
    assert not any(map(is_let_through, answers))
    assert is_let_through(granted.answer(granted.request(**LS)))
