"""A call that waits for a person, with the real daemon, the real dispatcher, and everything that may end under it."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import pytest

from synaptic.daemon import client, frame, lifecycle
from synaptic.daemon.address import connect_daemon
from synaptic.model.decision import Kind
from synaptic.store import grants, refused
from synaptic.store.db import Store
from synaptic.store.grants import StoredGrant
from synaptic.store.refused import RefusedCall
from tests.daemon.setting import Setting
from tests.daemon.test_claims import receive, send
from tests.daemon.test_succession import POLICY, Clone, clone, find_servers  # noqa: F401 - a fixture
from tests.lib.grants import grant_for

ASKED = "terraform destroy -auto-approve"
AGENT = "codex"
Process = subprocess.Popen[bytes]


class Person:
    """Somebody at another terminal."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.store = Store.open(setting.home)

    def see(self) -> RefusedCall:
        """The question that waits."""
        assert self.setting.wait_for(lambda: refused.list_refused(self.store))
        (question,) = refused.list_refused(self.store)
        return question

    def allow(self, question: RefusedCall) -> None:
        grants.add_grants(self.store, [grant_for(act) for act in question.subject.acts])

    def uphold(self, question: RefusedCall) -> None:
        refused.answer_refused(self.store, [question.mark], "upheld", time.time())

    @property
    def grant(self) -> StoredGrant:
        (known,) = grants.list_grants(self.store)
        return known


@pytest.fixture
def waits(setting: Setting) -> Setting:
    setting.config(f'trust = "all"\n[ask]\nwait = 300\nnotify = "touch \'{setting.project}/told\'"\n')
    return setting


@pytest.fixture
def person(waits: Setting) -> Iterator[Person]:
    made = Person(waits)
    yield made
    made.store.close()


def payload(setting: Setting) -> bytes:
    return json.dumps(setting.payload(tool_input={"command": ASKED})).encode()


@contextmanager
def dispatched(setting: Setting) -> Iterator[Process]:
    """The installed program, as an agent runs it, while it has not answered."""
    env = {"HOME": str(setting.user), "PATH": os.environ["PATH"]}
    command = [str(setting.home.dispatch), AGENT, "PreToolUse"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=setting.project
    )
    assert process.stdin
    process.stdin.write(payload(setting))
    process.stdin.close()
    process.stdin = None
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def finish(process: Process, seconds: float = 60) -> bytes:
    return process.communicate(timeout=seconds)[0]


def test_the_daemon_lets_a_call_run_that_somebody_allows(waits: Setting, person: Person) -> None:
    waits.install()
    waits.start()
    with dispatched(waits) as process:
        question = person.see()
        time.sleep(2.5 * frame.KEEP_ALIVE_SECONDS)  # longer than a client would hear nothing
        assert process.poll() is None
        assert (waits.project / "told").exists()
        person.allow(question)
        assert finish(process) == b""
    assert process.returncode == 0
    assert person.grant.grant.used_by == waits.last().call
    assert person.see().count == 1


def test_a_client_hears_of_a_call_that_waits_for_longer_than_it_would_be_silent(waits: Setting, person: Person) -> None:
    waits.without_daemon()
    waits.start()
    with dispatched(waits) as process:
        question = person.see()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(client.SILENCE_TIMEOUT + 2)
        person.uphold(question)
        assert b"has said no" in finish(process)
    assert len(waits.entries()) == 1


def test_a_client_that_is_killed_ends_the_wait_and_uses_nothing_up(waits: Setting, person: Person) -> None:
    waits.install()
    waits.start()
    with dispatched(waits) as process:
        question = person.see()
        process.kill()
        assert waits.wait_for(lambda: len(waits.entries()) == 1)
    person.allow(question)
    assert waits.last().decision.kind is Kind.DENY
    assert not person.grant.grant.used_by
    assert person.see().count == 1


def test_without_a_daemon_the_engine_of_the_call_waits(waits: Setting, person: Person) -> None:
    waits.without_daemon()
    with dispatched(waits) as process:
        question = person.see()
        with dispatched(waits) as other:  # it has the turn no longer
            assert waits.wait_for(lambda: person.see().count == 2)
            person.allow(question)
            assert waits.wait_for(lambda: process.poll() is not None or other.poll() is not None)
            person.uphold(question)
            assert sorted((finish(process) == b"", finish(other) == b"")) == [False, True]
    assert len(waits.entries()) == 2


def test_without_a_daemon_a_client_that_is_killed_uses_nothing_up(waits: Setting, person: Person) -> None:
    waits.without_daemon()
    with dispatched(waits) as process:
        question = person.see()
        process.kill()
        assert waits.wait_for(lambda: len(waits.entries()) == 1)
    person.allow(question)
    assert waits.last().decision.kind is Kind.DENY
    assert not person.grant.grant.used_by


def test_a_daemon_that_is_ended_answers_with_the_refusal(waits: Setting, person: Person) -> None:
    waits.without_daemon()
    waits.start()
    with dispatched(waits) as process:
        person.see()
        began = time.monotonic()
        waits.stop()
        assert time.monotonic() - began < lifecycle.STOP_GRACE
        assert b"the engine was ended" in finish(process)
    assert waits.last().decision.kind is Kind.DENY


def test_a_daemon_that_is_killed_leaves_the_call_to_whoever_comes_next(waits: Setting, person: Person) -> None:
    waits.install()
    waits.start()
    with dispatched(waits) as process:
        question = person.see()
        os.kill(lifecycle.read_status(waits.home).pid, signal.SIGKILL)
        waits.start()
        time.sleep(1)
        assert process.poll() is None
        person.allow(question)
        assert finish(process) == b""
    assert process.returncode == 0
    assert len(waits.entries()) == 1
    assert person.grant.uses == 1
    assert person.grant.grant.used_by == waits.last().call
    assert person.see().count == 1


def test_an_exception_that_comes_while_no_daemon_lives_counts_once(waits: Setting, person: Person) -> None:
    waits.without_daemon()
    waits.start()
    with dispatched(waits) as process:
        question = person.see()
        os.kill(lifecycle.read_status(waits.home).pid, signal.SIGKILL)
        person.allow(question)
        assert finish(process) == b""
    assert len(waits.entries()) == 1
    assert person.grant.uses == 1


def test_a_daemon_that_hands_over_leaves_its_calls_to_the_successor(clone: Clone) -> None:  # noqa: F811
    clone.config('trust = "all"\n[ask]\nwait = 300\n')
    clone.start()
    pid, person = clone.pid, Person(clone)
    with dispatched(clone) as process:
        question = person.see()
        clone.edit(POLICY, "throws away uncommitted changes", "THROWS AWAY uncommitted changes")
        assert clone.wait_replaced(pid)
        assert clone.wait_for(lambda: find_servers(clone.home) == [str(clone.pid)])
        assert process.poll() is None
        person.allow(question)
        assert finish(process) == b""
    assert len(clone.entries()) == 1
    assert person.grant.uses == 1
    person.store.close()


def test_a_daemon_that_stood_still_says_what_the_other_engine_has_said(waits: Setting, person: Person) -> None:
    waits.without_daemon()
    waits.start()
    request = waits.raw("PreToolUse", payload(waits), AGENT)
    connection = send(waits, request)
    question = person.see()
    pid = lifecycle.read_status(waits.home).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        person.allow(question)
        assert waits.fallback(request).stdout == b""
    finally:
        os.kill(pid, signal.SIGCONT)
    assert receive(connection).stdout == b""
    assert len(waits.entries()) == 1
    assert person.grant.uses == 1


def test_http_waits_like_the_dispatcher_and_ends_with_its_client(waits: Setting, person: Person) -> None:
    waits.without_daemon()
    waits.start()
    with post(waits):
        question = person.see()
    assert waits.wait_for(lambda: len(waits.entries()) == 1)
    assert waits.last().decision.kind is Kind.DENY
    with post(waits) as connection:
        assert waits.wait_for(lambda: person.see().count == 2)
        person.allow(question)
        assert read_all(connection).startswith(b"HTTP/1.1 200")
    assert waits.last().decision.kind is not Kind.DENY
    assert person.grant.uses == 1


def test_a_method_does_not_wait(waits: Setting, person: Person) -> None:
    waits.without_daemon()
    waits.start()
    context = {"tool_name": "Bash", "tool_input": {"command": ASKED}, "cwd": str(waits.project)}
    said = client.call_rpc(waits.home, "ability.emit", {"event": "PreToolUse", "context": context}, timeout=20)
    assert msgspec.convert(said, dict[str, object])["blocked"] is True


@contextmanager
def post(setting: Setting) -> Iterator[socket.socket]:
    body = payload(setting)
    head = f"POST /hook/{AGENT}/PreToolUse HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    with connect_daemon(setting.home, 60) as connection:
        connection.sendall(f"{head}Connection: close\r\n\r\n".encode() + body)
        yield connection


def read_all(connection: socket.socket) -> bytes:
    """Everything up to the end of an HTTP answer."""
    return b"".join(iter(lambda: connection.recv(1 << 16), b""))
