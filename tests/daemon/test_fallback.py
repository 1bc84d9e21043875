"""The engine in process: one frame in, one frame out, then a daemon for the next call."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer

import msgspec
import pytest

import synaptic
from synaptic.daemon import client, fallback, frame, lifecycle
from synaptic.model.call import Answer, Request
from synaptic.model.home import Home
from synaptic.setup import dispatcher
from tests.daemon.test_lifecycle import FAKE, running

PAYLOAD = (
    b'{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Bash","tool_input":{"command":"ls"}}'
)


def engine_file(home: Home, *more: str) -> None:
    home.root.mkdir(parents=True, exist_ok=True)
    home.engine.write_text("\n".join([f"python={sys.executable}", f"version={synaptic.__version__}", *more, ""]))


def request(stdin: bytes = PAYLOAD) -> Request:
    return Request("claude", "PreToolUse", stdin, client.new_call_id(), {"HOME": "/nowhere"})


def run(home: Home, stdin: bytes) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-I", "-m", "synaptic.daemon.fallback", str(home.root)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=False)


class Believing:
    """Looks at nobody's process."""

    def is_question(self, request: Request) -> bool:
        return True


class Broken:
    """An engine that fails where it is told to."""

    senders = Believing()

    def __init__(self, *, slow: float = 0.0) -> None:
        self.slow = slow
        self.closed = False

    async def replay(self, request: Request) -> Answer:
        await asyncio.sleep(self.slow)
        if not self.slow:
            raise RuntimeError("the disk\nis full")
        return Answer(b"late")

    async def close(self) -> None:
        self.closed = True


def test_a_frame_in_gives_a_frame_out_and_no_daemon_when_none_is_wanted(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    engine_file(home, "daemon=false")
    done = run(home, frame.pack_request(frame.RequestDelivery(synaptic.__version__, request())))
    reply = frame.AnswerReader().feed(done.stdout)
    assert reply is not None, done.stderr
    assert (reply.status, reply.answer.exit) == (frame.ANSWERED, 0)
    assert lifecycle.read_status(home).state == "stopped"


@pytest.mark.parametrize("stdin", [b"", b"SYN1", b"x" * 100, frame.REQUEST_HEAD.pack(b"SYN1", 9, 9, 9)])
def test_no_frame_in_gives_no_frame_out(tmp_path: Path, stdin: bytes) -> None:
    done = run(Home(tmp_path), stdin)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("fail", ["open", "closed"])
def test_a_failing_engine_is_a_refusal_before_a_tool_runs_whatever_the_fail_policy_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fail: str
) -> None:
    home, engine, given = Home(tmp_path), Broken(), list[Answer]()
    engine_file(home, f"fail={fail}")
    monkeypatch.setattr(fallback, "open_engine", lambda home: engine)
    asyncio.run(fallback.answer_here(home, request(), given.append))
    assert b'"permissionDecision":"deny"' in given[0].stdout
    assert given[0].stderr.endswith(b"RuntimeError: the disk is full; type: synaptic doctor\n")
    assert engine.closed


@pytest.mark.parametrize(("fail", "code"), [("open", 0), ("closed", 2)])
def test_a_failing_engine_meets_the_fail_policy_after_a_tool_has_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fail: str, code: int
) -> None:
    home, given = Home(tmp_path), list[Answer]()
    engine_file(home, f"fail={fail}")
    monkeypatch.setattr(fallback, "open_engine", lambda home: Broken())
    after = msgspec.structs.replace(request(), event="PostToolUse")
    asyncio.run(fallback.answer_here(home, after, given.append))
    assert [answer.exit for answer in given] == [code]
    assert given[0].stderr.count(b"\n") == 1


def test_an_engine_that_cannot_be_opened_meets_the_fail_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(home: Home) -> None:
        raise OSError("no room")

    given: list[Answer] = []
    monkeypatch.setattr(fallback, "open_engine", closed)
    asyncio.run(fallback.answer_here(Home(tmp_path), request(), given.append))
    assert b"OSError: no room" in given[0].stderr


def test_a_slow_engine_gives_signs_of_life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    monkeypatch.setattr(fallback, "open_engine", lambda home: Broken(slow=0.25))
    monkeypatch.setattr(fallback, "_write_frame", written.append)
    monkeypatch.setattr(frame, "KEEP_ALIVE_SECONDS", 0.1)
    asyncio.run(fallback._run_engine(Home(tmp_path), request(), fallback.Turn(-1)))
    assert written[-1] == frame.pack_answer(Answer(b"late"))
    assert set(written[:-1]) == {b"."}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(lifecycle, "build_start", lambda home, module: (sys.executable, *FAKE))
    home = Home(tmp_path / "home")
    engine_file(home)
    return home


def end(home: Home) -> None:
    os.kill(lifecycle.read_status(home).pid, signal.SIGKILL)


def test_the_next_call_finds_a_daemon(home: Home) -> None:
    """S3-051"""
    fallback.leave_daemon(home, synaptic.__version__)
    running(home)
    end(home)


def test_a_daemon_of_another_version_is_replaced(home: Home) -> None:
    lifecycle.start_daemon(home)
    first = running(home).pid
    (home.run / "daemon.pid").write_text(f"{first}\n0.0.1\n")
    fallback.leave_daemon(home, synaptic.__version__)
    assert running(home).pid != first
    end(home)


def test_a_stuck_daemon_is_replaced_and_a_living_one_is_not(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    lifecycle.start_daemon(home)
    first = running(home).pid
    monkeypatch.setattr(fallback, "is_responding", lambda home: True)
    fallback.leave_daemon(home, synaptic.__version__)
    assert running(home).pid == first
    monkeypatch.undo()
    monkeypatch.setattr(lifecycle, "build_start", lambda home, module: (sys.executable, *FAKE))
    monkeypatch.setattr(client, "SILENCE_TIMEOUT", 0.2)
    fallback.leave_daemon(home, synaptic.__version__)
    assert running(home).pid != first
    end(home)


def test_a_dispatcher_of_another_version_is_renewed(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "find_compiled", lambda: None)
    engine_file(home, "daemon=false", "fail=closed")
    home.bin.mkdir()
    home.dispatch.write_text("#!/bin/sh\n# synaptic dispatch, the Python client, version 0.0.1\n")
    fallback.leave_daemon(home, "0.0.1")
    assert f"version {synaptic.__version__}" in home.dispatch.read_text()
    assert dispatcher.read_engine(home).fail == "closed"
    assert not dispatcher.read_engine(home).daemon


def test_a_home_that_cannot_be_written_still_gets_an_answer(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run(Home(tmp_path / "file" / "home"), frame.pack_request(frame.RequestDelivery("x", request())))
    assert frame.AnswerReader().feed(done.stdout) is not None, done.stderr
    assert done.returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="counts processes in /proc")
def test_two_hundred_first_calls_are_answered_and_give_one_daemon(tmp_path: Path) -> None:
    """S3-051 S0-005"""
    home = Home(tmp_path / "home")
    if dispatcher.install_dispatcher(home) != "native":
        pytest.skip("dispatch is not compiled")
    try:
        assert together(home, 200) == {(b"", 0)}
        assert running(home).state == "running"
        assert count_daemons(home) == 1
    finally:
        lifecycle.stop_daemon(home)


def test_calls_are_answered_however_often_the_daemon_is_killed(tmp_path: Path) -> None:
    """S3-056"""
    home = Home(tmp_path / "home")
    if dispatcher.install_dispatcher(home) != "native":
        pytest.skip("dispatch is not compiled")
    try:
        together(home, 1)
        for wait in (0.0, 0.002, 0.01):
            pid = running(home).pid
            Timer(wait, os.kill, (pid, signal.SIGKILL)).start()
            assert together(home, 10) == {(b"", 0)}
            assert lifecycle._wait_until(lambda pid=pid: lifecycle.read_status(home).pid != pid, 5)
            together(home, 1)
    finally:
        home.engine.unlink(missing_ok=True)  # no call that is still on its way starts another one
        lifecycle.stop_daemon(home)
        time.sleep(0.5)
        lifecycle.stop_daemon(home)


def together(home: Home, count: int) -> set[tuple[bytes, int]]:
    command = [home.dispatch, "PreToolUse"]
    calls = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/")
        for _ in range(count)
    ]
    ended = [(call.communicate(PAYLOAD)[1], call.returncode) for call in calls]
    # On a machine with too much to do, some are refused unread: that is late, but nothing is let through.
    return {one for one in ended if b"blocked, because it could not be checked" not in one[0]}


def count_daemons(home: Home) -> int:
    lines = [path.read_bytes().split(b"\0") for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    return sum(b"synaptic.daemon.server" in line and os.fsencode(home.root) in line for line in lines)
