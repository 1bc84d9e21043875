"""The compiled dispatcher against a real socket, and against everything that can be wrong."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from synaptic.daemon import frame
from synaptic.model.call import Answer
from synaptic.model.home import Home
from tests.native.conftest import echo_engine, engine, install, run
from tests.native.fake_daemon import FakeDaemon, hold_lock, send, tell

OK = Answer(b'{"answer":1}', b"a warning\n", 2)


@pytest.mark.parametrize("variant", ["without libc", "static", "dynamic"])
def test_every_variant_makes_one_round_trip(tmp_path: Path, binaries: dict[str, Path], variant: str) -> None:
    """S0-005 S0-020 S3-008 S3-040"""
    if variant not in binaries:
        pytest.skip("cannot be built here")
    home = Home(tmp_path / "home")
    install(home, binaries[variant])
    with FakeDaemon(home, tell(OK)) as daemon:
        done = run(home, "gemini", "BeforeTool", "--entry=abc", stdin=b'{"a":1}', cwd="/", env={"A": "1", "B": "x\ny"})
    assert (done.stdout, done.stderr, done.returncode) == (OK.stdout, OK.stderr, 2)
    (delivery,) = daemon.deliveries
    request = delivery.request
    assert (delivery.version, request.agent, request.event) == ("0.1.0", "gemini", "BeforeTool")
    assert (request.stdin, request.env) == (b'{"a":1}', {"A": "1", "B": "x\ny"})


@pytest.mark.parametrize(
    ("words", "want"),
    [
        ((), ("claude", "")),
        (("PreToolUse",), ("claude", "PreToolUse")),
        (("--entry=1", "Stop"), ("claude", "Stop")),
        (("codex", "--entry=1", "Stop"), ("codex", "Stop")),
        (("codex", "Stop", "more", "words"), ("codex", "Stop")),
        (("", ""), ("", "")),
        (("é\n", "x" * 100_000), ("é\n", "x" * 255)),
    ],
)
def test_arguments_name_agent_and_event(home: Home, words: tuple[str, ...], want: tuple[str, str]) -> None:
    """S0-020"""
    with FakeDaemon(home, tell(OK)) as daemon:
        assert run(home, *words).returncode == 2
    request = daemon.deliveries[0].request
    assert (request.agent, request.event) == want


def test_call_ids_are_unique_and_sort_by_time(home: Home) -> None:
    with FakeDaemon(home, tell(OK)) as daemon:
        for _ in range(5):
            run(home)
            time.sleep(0.003)
    ids = [delivery.request.id for delivery in daemon.deliveries]
    assert ids == sorted(set(ids))
    assert all(re.fullmatch("[0-9A-HJKMNP-TV-Z]{26}", each) for each in ids)
    assert (
        abs(
            sum("0123456789ABCDEFGHJKMNPQRSTVWXYZ".index(c) << 5 * (9 - i) for i, c in enumerate(ids[0][:10])) / 1000
            - time.time()
        )
        < 60
    )


def test_the_environment_cannot_point_at_another_socket(home: Home, tmp_path: Path) -> None:
    other = Home(tmp_path / "other")
    with FakeDaemon(home, tell(OK)), FakeDaemon(other, tell(Answer(b"evil"))):
        env = {"SYNAPTIC_HOME": str(other.root), "HOME": str(tmp_path)}
        assert run(home, env=env).stdout == OK.stdout


def test_outside_a_bin_folder_the_environment_names_the_home(home: Home, tmp_path: Path) -> None:
    loose = tmp_path / "loose"
    shutil.copy2(home.dispatch, loose)
    for env in ({"SYNAPTIC_HOME": str(home.root)}, {"HOME": str(tmp_path / "user")}):
        at = Home(tmp_path / "user" / ".synaptic") if "HOME" in env else home
        with FakeDaemon(at, tell(OK)):
            assert subprocess.run([loose], input=b"", env=env, capture_output=True, check=False).stdout == OK.stdout
    lost = subprocess.run([loose, "PreToolUse"], input=b"", env={}, capture_output=True, check=False)
    assert lost.returncode == 2
    assert b"neither SYNAPTIC_HOME nor HOME" in lost.stderr


@pytest.mark.parametrize("folder", ["with space", "new\nline", "quote'\"$HOME", "é" * 60, "deep/" * 60])
def test_any_folder_will_do(tmp_path: Path, binaries: dict[str, Path], folder: str) -> None:
    home = Home(tmp_path / folder / "home")
    install(home, next(iter(binaries.values())))
    with FakeDaemon(home, tell(OK)):
        assert run(home).stdout == OK.stdout
    echo_engine(home, tmp_path)
    assert run(home).returncode == 7


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 50_000_000])
def test_stdin_of_any_size_arrives_whole(home: Home, size: int) -> None:
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    with FakeDaemon(home, tell(OK)) as daemon:
        assert run(home, stdin=content).returncode == 2
    assert daemon.deliveries[0].request.stdin == content


@pytest.mark.parametrize("size", [65_000, 65_536, 5_000_000])
def test_answers_of_any_size_arrive_whole(home: Home, size: int) -> None:
    answer = Answer(b"o" * size, b"e" * (size // 2), 1)
    with FakeDaemon(home, tell(answer)):
        done = run(home)
    assert (done.stdout, done.stderr, done.returncode) == (answer.stdout, answer.stderr, 1)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_files_do_no_harm(home: Home, closed: str) -> None:
    with FakeDaemon(home, tell(OK)) as daemon:
        done = subprocess.run(["/bin/sh", "-c", f'"$0" Stop {closed}', home.dispatch], input=b"in", check=False)
    assert done.returncode == 2
    assert daemon.deliveries[0].request.stdin == (b"" if "<" in closed else b"in")


@pytest.mark.parametrize("to", [">&-", ">/dev/full"])
@pytest.mark.parametrize("event", ["PreToolUse", "BeforeTool", "tool.execute.before"])
def test_a_verdict_that_nobody_can_hear_is_no_allow(home: Home, event: str, to: str) -> None:
    said = Answer(stdout=b'{"permissionDecision":"deny"}')
    with FakeDaemon(home, tell(said)):
        words = ["/bin/sh", "-c", f'"$0" {event} {to}', str(home.dispatch)]
        assert subprocess.run(words, input=b"in", check=False).returncode == 2
    with FakeDaemon(home, tell(Answer())):
        assert subprocess.run(words, input=b"in", check=False).returncode == 0


def test_a_python_that_is_busy_for_the_moment_is_no_missing_one(home: Home) -> None:
    script = home.root / "busy"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    engine(home, script, "open")
    with script.open("a"):  # the system starts nothing that somebody is writing
        done = run(home, "PreToolUse")
    assert b"the engine gave no answer" in done.stderr
    assert b'"deny"' in done.stdout


def test_an_answer_in_crumbs_between_signs_of_life_is_read(home: Home) -> None:
    whole = b"..." + frame.pack_answer(OK)

    def crumbs(connection: socket.socket, delivery: frame.RequestDelivery) -> None:
        for byte in whole:
            connection.sendall(bytes([byte]))
            time.sleep(0.001)

    with FakeDaemon(home, crumbs):
        assert run(home).stdout == OK.stdout


def test_a_slow_hook_is_waited_for_while_the_daemon_lives(home: Home) -> None:
    def slow(connection: socket.socket, delivery: frame.RequestDelivery) -> None:
        for _ in range(6):
            time.sleep(1)
            connection.sendall(b".")
        connection.sendall(frame.pack_answer(OK))

    with FakeDaemon(home, slow):
        assert run(home).stdout == OK.stdout


@pytest.mark.parametrize(
    "behave",
    [
        pytest.param(send(), id="closes at once"),
        pytest.param(send(b"..."), id="closes after a sign of life"),
        pytest.param(send(frame.pack_answer(OK)[:20]), id="half an answer"),
        pytest.param(send(b"HTTP/1.1 400 Bad Request\r\n\r\n"), id="no frame"),
        pytest.param(send(b"SYN1\0\0\xff\xff\xff\xff\xff\xff\xff\xff"), id="absurd lengths"),
        pytest.param(send(frame.pack_answer(OK) + b"more"), id="bytes after the end"),
        pytest.param(tell(Answer(), frame.OTHER_VERSION), id="another version"),
        pytest.param(tell(Answer(), 9), id="a status nobody knows"),
    ],
)
def test_an_unusable_daemon_means_the_engine_runs_here_with_the_same_id(home: Home, behave: object) -> None:
    """S3-054"""
    echo_engine(home)
    with FakeDaemon(home, behave) as daemon:  # type: ignore[arg-type]
        done = run(home, stdin=b"12345")
    assert done.returncode == 7
    words = ["-I", "-m", "synaptic.daemon.early", str(home.root)]
    said, _, turn = done.stdout.decode().rpartition(", ")
    assert f"{said}]" == f"in process: {daemon.deliveries[0].request.id} 5 {words}"
    assert re.fullmatch(r"'\d+'\]", turn)
    assert [delivery.is_repeated for delivery in daemon.deliveries] == [False, True]


def test_a_stopped_daemon_is_given_up_after_five_seconds(home: Home) -> None:
    """S3-054"""
    echo_engine(home)
    code = (
        "import sys; sys.path.insert(0, sys.argv[2]); from pathlib import Path; from synaptic.model.home import Home\n"
    )
    code += "from tests.native.fake_daemon import *; FakeDaemon(Home(Path(sys.argv[1])), tell(Answer())); input()"
    root = str(Path(__file__).parents[2])
    daemon = subprocess.Popen([sys.executable, "-c", code, str(home.root), root], stdin=subprocess.PIPE)
    try:
        while run(home).returncode != 0:
            time.sleep(0.05)
        daemon.send_signal(signal.SIGSTOP)
        done = run(home, stdin=b"x" * 1_000_000)
    finally:
        daemon.kill()
        daemon.communicate()
    assert done.returncode == 7


def test_a_daemon_that_answers_before_it_has_read_everything_is_heard(home: Home) -> None:
    listener = socket.socket(socket.AF_UNIX)
    home.run.mkdir()
    listener.bind(str(home.socket))
    listener.listen()

    def serve() -> None:
        connection, _ = listener.accept()
        connection.recv(100)
        connection.sendall(frame.pack_answer(OK))
        time.sleep(0.2)
        connection.close()

    threading.Thread(target=serve, daemon=True).start()
    assert run(home, stdin=b"x" * 10_000_000).stdout == OK.stdout
    listener.close()


def test_a_stale_socket_file_is_no_obstacle(home: Home) -> None:
    """S3-052"""
    echo_engine(home)
    with FakeDaemon(home, tell(OK)):
        pass
    assert home.socket.exists()
    assert run(home).returncode == 7


def test_a_starting_daemon_is_waited_for(home: Home) -> None:
    """S3-051"""
    echo_engine(home)
    lock = hold_lock(home.lock)
    started: list[FakeDaemon] = []
    timer = threading.Timer(0.5, lambda: started.append(FakeDaemon(home, tell(OK))))
    timer.start()
    assert run(home).stdout == OK.stdout
    os.close(lock)
    timer.join()


def test_a_daemon_that_dies_while_starting_is_no_obstacle(home: Home) -> None:
    echo_engine(home)
    lock = hold_lock(home.lock)
    threading.Timer(0.3, os.close, (lock,)).start()
    assert run(home).returncode == 7


def test_a_daemon_that_never_comes_up_is_given_up(home: Home) -> None:
    echo_engine(home)
    lock = hold_lock(home.lock)
    assert run(home).returncode == 7
    os.close(lock)


def test_of_many_first_callers_one_starts_python_and_the_others_wait_for_its_daemon(home: Home) -> None:
    """S3-051"""
    echo_engine(home)
    home.run.mkdir()
    gate = hold_lock(home.run / "start.lock")
    waiting = [subprocess.Popen([home.dispatch], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) for _ in range(8)]
    time.sleep(0.3)
    with FakeDaemon(home, tell(OK)):
        answers = [each.communicate()[0] for each in waiting]
    os.close(gate)
    assert answers == [OK.stdout] * 8


@pytest.mark.parametrize("failure", ["killed", "silent"])
def test_who_waits_for_a_turn_asks_a_daemon_again_that_had_no_answer_before(home: Home, failure: str) -> None:
    """Else dozens would each run an engine, one after another, beside a daemon that has nothing to do."""
    gate = hold_lock(home.run / "start.lock")
    asked: list[int] = []

    def behave(connection: socket.socket, delivery: frame.RequestDelivery) -> None:
        asked.append(1)
        if failure == "silent" and len(asked) == 1:
            time.sleep(5.5)
        elif failure == "silent" or len(asked) > 2:
            tell(OK)(connection, delivery)

    with FakeDaemon(home, behave):
        started = time.monotonic()
        assert run(home).stdout == OK.stdout
    os.close(gate)
    assert time.monotonic() - started < 15
    assert len(asked) == (2 if failure == "silent" else 3)


MISSING = {
    "python missing": ("python=/nowhere/python\n", b"its Python is missing: /nowhere/python"),
    "python is no program": ("python=/etc/passwd\n", b"its Python is missing: /etc/passwd"),
}
FAILURES = {
    **MISSING,
    "no engine file": (None, b"no `python=` line"),
    "empty": ("", b"no `python=` line"),
    "garbage": ("\0\xff\n===\npython\nfail", b"no `python=` line"),
    "python says nothing": ("python=/bin/true\n", b"the engine gave no answer under /bin/true"),
    "python fails": ("python=/bin/false\n", b"the engine gave no answer under /bin/false"),
    "python says garbage": ("python=/bin/echo\n", b"the engine gave no answer under /bin/echo"),
}


@pytest.mark.parametrize("case", MISSING)
def test_without_python_the_fail_policy_answers(home: Home, case: str) -> None:
    text, reason = FAILURES[case]
    home.engine.write_text(f"{text}fail=open\n")
    done = run(home, "PreToolUse")
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"synaptic: this call was NOT checked: ")
    assert reason in done.stderr
    assert done.stderr.endswith(b"; type: synaptic doctor\n")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("fail", ["", "fail=closed\n", "fail=open\n"])
@pytest.mark.parametrize("case", FAILURES)
def test_without_an_engine_that_answers_a_tool_call_is_refused_in_the_words_of_its_agent(
    home: Home, case: str, fail: str
) -> None:
    """Also with `fail=open`, unless there is no Python at all: the guard has not spoken."""
    text, reason = FAILURES[case]
    if fail == "fail=open\n" and case in MISSING:
        pytest.skip("what the user has chosen")
    if text is not None:
        home.engine.write_text(f"{text}\n{fail}")
    done = run(home, "PreToolUse")
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert (done.returncode, said["permissionDecision"]) == (0, "deny")
    assert reason in done.stderr
    assert done.stderr.startswith(b"synaptic: blocked")
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr
    assert b'"deny"' in run(home, "gemini", "BeforeTool").stdout
    assert run(home, "nobody", "PreToolUse").returncode == 2
    assert run(home, "../claude", "PreToolUse").returncode == 2
    assert run(home, "PreToolUse/../PreToolUse").returncode == 2


def test_a_lost_engine_file_refuses_what_the_user_says_and_lets_an_agent_stop(home: Home) -> None:
    assert json.loads(run(home, "UserPromptSubmit").stdout)["decision"] == "block"
    assert run(home, "Stop").returncode == 0


@pytest.mark.parametrize("event", ["Stop", "SubagentStop", "TeammateIdle", "AfterAgent", "stop"])
def test_a_closed_fail_policy_never_keeps_an_agent_from_stopping(home: Home, event: str) -> None:
    engine(home, "/nowhere", "closed")
    assert run(home, event).returncode == 0
    assert run(home, f"{event}X").returncode == 2


def test_input_over_the_limit_is_told_as_what_is_no_event(home: Home) -> None:
    with FakeDaemon(home, tell(OK)) as daemon:
        done = run(home, "PreToolUse", stdin=b"x" * (frame.STDIN_LIMIT + 1))
    assert done.returncode == 2
    assert daemon.deliveries[0].request.stdin == b'"its input is larger than 64 MiB"'


@pytest.mark.parametrize(
    ("agent", "event", "said"),
    [
        ("claude", "PreToolUse", b'"permissionDecision":"deny"'),
        ("gemini", "BeforeTool", b'"deny"'),
        ("cursor", "beforeShellExecution", b'"deny"'),
        ("codex", "PreToolUse", b'"deny"'),
    ],
)
def test_an_engine_that_is_killed_has_not_allowed_anything(home: Home, agent: str, event: str, said: bytes) -> None:
    script = home.root / "killed"
    script.write_text("#!/bin/sh\nkill -9 $$\n")
    script.chmod(0o755)
    engine(home, script)
    assert said in run(home, agent, event).stdout
    assert run(home, agent, "SessionStart").returncode == 0


@pytest.mark.parametrize("event", ["PreToolUse", "BeforeTool", "preToolUse", "beforeReadFile", "tool.execute.before"])
def test_where_not_even_a_refusal_can_be_said_the_exit_code_says_it(home: Home, event: str) -> None:
    script = home.root / "killed"
    script.write_text("#!/bin/sh\nkill -9 $$\n")
    script.chmod(0o755)
    engine(home, script)
    shutil.rmtree(home.refusals)
    done = run(home, event)
    assert done.returncode == 2
    assert b"the engine gave no answer" in done.stderr
    assert run(home, "PostToolUse").returncode == run(home, "PreCompact").returncode == run(home, "").returncode == 0


def test_an_engine_that_hangs_is_a_refusal_before_the_agent_stops_waiting(home: Home) -> None:
    script = home.root / "hang"
    script.write_text("#!/bin/sh\nexec sleep 60\n")
    script.chmod(0o755)
    engine(home, script)
    started = time.monotonic()
    assert b'"permissionDecision":"deny"' in run(home, "PreToolUse").stdout
    assert time.monotonic() - started < 30


def test_an_engine_that_hangs_leaves_no_process_behind_when_we_are_killed(home: Home) -> None:
    script = home.root / "hang"
    script.write_text("#!/bin/sh\nexec sleep 60\n")
    script.chmod(0o755)
    engine(home, script)
    process = subprocess.Popen([home.dispatch], stdin=subprocess.DEVNULL, start_new_session=True)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(0.1)
    left = subprocess.run(["ps", "-o", "stat=", "-g", str(process.pid)], capture_output=True, text=True, check=False)
    assert all(state.startswith("Z") for state in left.stdout.split())


def test_nothing_of_a_hostile_environment_reaches_python(home: Home, tmp_path: Path) -> None:
    script, seen = home.root / "spy", tmp_path / "seen"
    script.write_text(f"#!/bin/sh\nenv > '{seen}'\n")
    script.chmod(0o755)
    engine(home, script)
    run(home, env={"LD_PRELOAD": "/x.so", "PYTHONPATH": "/x", "HOME": "/h", "LC_ALL": "C", "SYNAPTIC_NO_DAEMON": "1"})
    names = {line.partition("=")[0] for line in seen.read_text().splitlines()}
    assert {"HOME", "LC_ALL"} <= names <= {"HOME", "LC_ALL", "PWD", "SHLVL", "_", "OLDPWD"}


def test_a_reader_that_went_away_is_no_crash(home: Home) -> None:
    with FakeDaemon(home, tell(Answer(b"x" * 1_000_000, b"", 2))):
        process = subprocess.Popen([home.dispatch], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert process.stdout
        process.stdout.close()
        assert process.wait(10) == 2
