"""A call is decided once: whoever else decides it does nothing, and gives the same answer.

Law: daemon and fallback claim it in the store; what was told is what is journalled; effects happen once.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import msgspec
import pytest

import synaptic
from synaptic.daemon import frame, lifecycle
from synaptic.daemon.address import connect_daemon
from synaptic.daemon.client import ID_ALPHABET
from synaptic.model.call import Answer, Request
from synaptic.model.errors import StoreError
from synaptic.store import claims, journal
from tests.daemon.setting import Setting, output, specific

PATIENCE = 60.0
AUDITED = 'trust = "all"\n[policies."audit.tool-use"]\nenabled = true\n'
FIRST_WAITS = """
if mkdir '{folder}/first' 2>/dev/null; then
  : > '{folder}/waits'
  while [ ! -e '{folder}/go' ]; do sleep 0.05; done
  echo '{{"action": "block", "reason": "said by the first"}}'
else
  echo '{{"action": "block", "reason": "said by the second"}}'
fi
"""


@pytest.fixture
def served(setting: Setting) -> Setting:
    """A daemon that no call replaces, an audit line for every call, and a hook that nobody waits for."""
    setting.config(AUDITED)
    setting.without_daemon()
    setting.register("sentinel", blocking=False, priority=10)
    setting.start()
    return setting


@contextmanager
def halted_daemon(setting: Setting) -> Iterator[int]:
    pid = lifecycle.read_status(setting.home).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGCONT)


def send(setting: Setting, request: Request) -> socket.socket:
    connection = connect_daemon(setting.home, PATIENCE)
    connection.sendall(frame.pack_request(frame.RequestDelivery(synaptic.__version__, request)))
    return connection


def receive(connection: socket.socket) -> Answer:
    reader = frame.AnswerReader()
    with connection:
        while piece := connection.recv(1 << 16):
            if reply := reader.feed(piece):
                return reply.answer
    raise AssertionError("the daemon gave no answer")


def let_first_wait(setting: Setting) -> None:
    setting.register("slow", FIRST_WAITS.format(folder=setting.project), priority=60, timeout=50)


def assert_happened_once(setting: Setting, told: Answer) -> None:
    """One entry with the answer that was told, one line, one run."""
    (entry,) = setting.entries()
    assert entry.answer == told
    log = setting.project / ".synaptic" / "logs" / "audit.log"
    assert setting.wait_for(lambda: log.exists() and "sentinel" in setting.order, PATIENCE)
    setting.daemon(setting.request("Notification", message="the daemon has done everything before this"))
    assert log.read_text().count("[Bash]") == 1
    assert setting.order.count("sentinel") == 1


def test_a_daemon_that_stood_still_does_nothing_more_once_the_fallback_has_answered(served: Setting) -> None:
    request = served.request()
    with halted_daemon(served):
        late = send(served, request)
        told = served.fallback(request)
    assert receive(late) == told
    assert_happened_once(served, told)


def test_a_daemon_that_decides_longer_than_the_fallback_does_nothing_and_says_the_same(served: Setting) -> None:
    let_first_wait(served)
    request = served.request()
    slow = send(served, request)
    assert served.wait_for((served.project / "waits").exists, PATIENCE)
    told = served.fallback(request)
    assert specific(told)["permissionDecisionReason"].endswith("said by the second")
    (served.project / "go").touch()
    assert receive(slow) == told
    assert_happened_once(served, told)


def test_a_fallback_that_decides_longer_than_the_daemon_does_nothing_and_says_the_same(served: Setting) -> None:
    let_first_wait(served)
    request = served.request()
    with ThreadPoolExecutor(1) as pool:
        slow: Future[Answer] = pool.submit(served.fallback, request)
        assert served.wait_for((served.project / "waits").exists, PATIENCE)
        told = served.daemon(request)
        (served.project / "go").touch()
        assert slow.result(PATIENCE) == told
    assert specific(told)["permissionDecisionReason"].endswith("said by the second")
    assert_happened_once(served, told)


def test_what_an_agent_is_told_while_the_daemon_stands_still_is_what_is_journalled(served: Setting) -> None:
    """The whole way, with the installed dispatcher: it gives the daemon up after some seconds of silence."""
    with halted_daemon(served):
        done = served.dispatch("PreToolUse", served.payload())
    told = Answer(done.stdout, done.stderr, done.returncode)
    assert served.wait_for(lambda: len(served.entries()) == 1, PATIENCE)
    served.daemon(served.request("Notification", message="nothing of the first call is on its way any more"))
    entries = [entry for entry in served.entries() if entry.event == "PreToolUse"]
    assert [entry.answer for entry in entries] == [told]
    assert (served.project / ".synaptic" / "logs" / "audit.log").read_text().count("[Bash]") == 1
    assert served.wait_for(lambda: "sentinel" in served.order, PATIENCE)
    assert served.order.count("sentinel") == 1


def send_long_ago(setting: Setting) -> tuple[Request, socket.socket]:
    """A call whose id says that it was sent a minute ago."""
    request = setting.request()
    sent = int(request.id[:10].translate(claims.ID_DIGITS), 32) - 60_000
    old = "".join(ID_ALPHABET[sent >> shift & 31] for shift in range(45, -1, -5))
    request = msgspec.structs.replace(request, id=old + request.id[10:])
    return request, send(setting, request)


def assert_nothing_happened(setting: Setting) -> None:
    setting.daemon(setting.request("Notification", message="nothing of the first call is on its way any more"))
    assert [entry.event for entry in setting.entries()] == ["Notification"]
    assert "sentinel" not in setting.order
    assert not (setting.project / ".synaptic" / "logs" / "audit.log").exists()


def test_a_call_that_its_sender_has_given_up_before_it_was_read_is_left_alone(served: Setting) -> None:
    """Its dispatcher may have refused it: whatever is journalled now would not be what the agent was told."""
    with halted_daemon(served):
        send_long_ago(served)[1].close()
    assert_nothing_happened(served)


def test_a_late_call_whose_sender_still_waits_is_answered(served: Setting) -> None:
    _, waiting = send_long_ago(served)
    assert receive(waiting).exit == 0
    assert served.wait_for(lambda: len(served.entries()) == 1, PATIENCE)


def test_a_call_that_is_given_up_while_the_daemon_stands_still_in_it_is_left_alone(served: Setting) -> None:
    let_first_wait(served)
    connection = send(served, served.request())
    assert served.wait_for((served.project / "waits").exists, PATIENCE)
    with halted_daemon(served):
        time.sleep(claims.LATE_SECONDS + 1.5)
        connection.close()
        (served.project / "go").touch()
    assert_nothing_happened(served)


@pytest.mark.parametrize("keep", ["structure", "off"])
def test_a_journal_that_keeps_less_decides_once_as_well(served: Setting, keep: str) -> None:
    served.config(f'journal = "{keep}"\n{AUDITED}')
    let_first_wait(served)
    request = served.request()
    slow = send(served, request)
    assert served.wait_for((served.project / "waits").exists, PATIENCE)
    told = served.fallback(request)
    (served.project / "go").touch()
    assert receive(slow) == told
    served.daemon(served.request("Notification", message="the daemon has done everything before this"))
    assert (served.project / ".synaptic" / "logs" / "audit.log").read_text().count("[Bash]") == 1
    assert served.wait_for(lambda: "sentinel" in served.order, PATIENCE)
    assert served.order.count("sentinel") == 1


def test_a_refusal_with_a_secret_is_never_weakened_by_whoever_comes_second(setting: Setting) -> None:
    """What held a secret is not on disk as it was said: the second says its own, if that is as strict."""
    secret = "ghp_" + "a1B2" * 9
    setting.register("guard", f"""echo '{{"action": "block", "reason": "no {secret}"}}'""")
    request = setting.request()
    first = setting.answer(request)
    assert specific(first)["permissionDecision"] == "deny"
    (setting.hooks / "registry.toml").write_text("")
    assert specific(setting.answer(request))["permissionDecision"] == "deny"
    assert len(setting.entries()) == 1


def test_without_a_journal_the_decision_stands_and_what_did_not_happen_is_told(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        raise StoreError("the disk is full")

    setting.config(AUDITED)
    setting.register("sentinel", blocking=False, priority=10)
    monkeypatch.setattr(journal, "claim_records", fail)
    answer = setting.answer(setting.request(tool_input={"command": "git reset --hard"}))
    assert specific(answer)["permissionDecision"] == "deny"
    assert b"not in the journal: the disk is full; hooks that nobody waits for were not started" in answer.stderr
    assert setting.order == []
    assert not (setting.project / ".synaptic" / "logs" / "audit.log").exists()


def test_a_hook_that_cannot_be_started_any_more_is_told_to_its_session(setting: Setting) -> None:
    """S0-043: open and loud. The call is decided by then, so its session hears of it with the next event."""
    setting.register("sentinel", blocking=False, priority=10)
    setting.home.run.mkdir(parents=True)
    setting.home.spool.write_text("a file where the folder should be")
    assert output(setting.answer(setting.request())) == {}
    assert "background hook sentinel" in specific(setting.answer(setting.request("PostToolUse")))["additionalContext"]


def test_hooks_that_a_killed_process_did_not_launch_are_launched_by_the_next(setting: Setting) -> None:
    """Killed between the journal and the launch, by a hook that is the last thing it lives to see."""
    setting.register("sentinel", blocking=False, priority=10)
    request = setting.request()
    code = """
import os, sys
from synaptic.engine import commit
from synaptic.daemon import fallback
commit.EventCommit._begin = lambda self, left: os.kill(os.getpid(), 9)
sys.exit(fallback.main(sys.argv[1:]))
"""
    packed = frame.pack_request(frame.RequestDelivery(synaptic.__version__, request))
    command = [sys.executable, "-I", "-c", code, str(setting.home.root)]
    killed = subprocess.run(command, input=packed, capture_output=True, env=dict(request.env), timeout=PATIENCE)
    assert killed.returncode == -signal.SIGKILL
    assert len(setting.entries()) == 1
    assert setting.order == []
    for _ in range(2):
        assert setting.fallback(request) == setting.entries()[0].answer
    assert setting.wait_for(lambda: setting.order == ["sentinel"], PATIENCE)
    assert json.loads(setting.last().payload or "")["tool_name"] == "Bash"
