"""The real daemon on a real socket, and the promise that it answers exactly as the engine in process does."""

import asyncio
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
import uvloop

import synaptic
from synaptic.daemon import client, frame, lifecycle
from synaptic.daemon.address import connect_daemon
from synaptic.daemon.server import LINE_LIMIT, Daemon, tell_changed_files
from synaptic.engine.walk import open_engine
from synaptic.model.call import Answer, Request
from synaptic.setup.installed import record_installed
from tests.daemon.setting import BLOCK, Setting, modify, specific

RECORDED = sorted((Path(__file__).parents[1] / "agents" / "claude").glob("*.json"))


def test_both_paths_give_the_same_bytes_for_every_recorded_event(running: Setting) -> None:
    """Contradiction 18: the daemon is an accelerator with identical semantics."""
    running.register("guard", BLOCK, matcher="Write", priority=20)
    running.register("colour", modify("ls -a"), matcher="Bash", priority=30)
    running.register("broken", "exit 3", matcher="", event=["PostToolUse", "Stop", "UserPromptSubmit"], priority=40)
    advice = """echo '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"hello"}}'"""
    running.register("advice", advice, event="SessionStart", matcher="", protocol="native")
    for path in RECORDED:
        payload = json.loads(path.read_text())
        payload["cwd"] = str(running.project)
        here, there = (
            running.raw(
                payload["hook_event_name"], json.dumps({**payload, "session_id": f"{path.stem}-{side}"}).encode()
            )
            for side in ("here", "there")
        )
        assert running.answer(here) == running.daemon(there), path.stem


@pytest.mark.parametrize("stdin", [b"", b"garbage", b"[]", b"\xff", b'{"tool_input": 3}', b"{" * 5000])
def test_both_paths_give_the_same_bytes_for_bad_input(running: Setting, stdin: bytes) -> None:
    assert running.answer(running.raw("PreToolUse", stdin)) == running.daemon(running.raw("PreToolUse", stdin))


def test_the_fallback_process_gives_the_same_bytes_and_starts_a_daemon(setting: Setting) -> None:
    """S3-051"""
    setting.install()
    setting.register("guard", BLOCK)
    alone = setting.fallback(setting.elsewhere())
    assert setting.wait_for(lambda: lifecycle.read_status(setting.home).state == "running")
    assert lifecycle.wait_ready(setting.home, 60)
    assert setting.daemon(setting.elsewhere()) == alone


def test_dispatch_speaks_to_the_daemon_and_without_it_decides_all_the_same(setting: Setting) -> None:
    """S0-005, S3-008, S4-046"""
    setting.without_daemon()
    setting.register("guard", BLOCK)
    alone = setting.dispatch("PreToolUse", setting.payload(session_id="one"))
    setting.start()
    served = setting.dispatch("PreToolUse", setting.payload(session_id="two"))
    assert (alone.stdout, alone.stderr, alone.returncode) == (served.stdout, served.stderr, served.returncode)
    assert json.loads(served.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert len(setting.entries()) == 2


def test_two_hundred_first_calls_give_one_daemon_and_no_lost_verdict(setting: Setting) -> None:
    setting.install()
    setting.register("guard", BLOCK)
    with ThreadPoolExecutor(200) as pool:
        answers = list(pool.map(lambda _: setting.dispatch("PreToolUse", setting.payload()), range(200)))
    # On a machine with too much to do, some are refused unread: that is late, but no verdict is lost.
    read = [answer for answer in answers if b"could not be checked" not in answer.stderr]
    assert {json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"] for answer in answers} == {"deny"}
    assert len(setting.entries(500)) >= len(read)
    assert len(_daemons(setting)) == 1


def test_a_killed_daemon_loses_no_verdict_and_no_acknowledged_event(running: Setting) -> None:
    """Law: no acknowledged event is lost, none is counted twice, at any kill -9."""
    running.register("guard", BLOCK)
    stop = threading.Event()

    def killer() -> None:
        while not stop.wait(0.15):
            for pid in _daemons(running):
                os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=killer)
    thread.start()
    try:
        answers = [running.dispatch("PreToolUse", running.payload(prompt_id=str(number))) for number in range(25)]
    finally:
        stop.set()
        thread.join()
    for answer in answers:
        assert json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    seen = sorted(int(json.loads(entry.payload or "{}")["prompt_id"]) for entry in running.entries())
    assert seen == list(range(25))


def test_a_daemon_killed_while_a_hook_runs_leaves_the_verdict_to_the_engine_in_process(running: Setting) -> None:
    marker = running.project / "slow"
    running.register("slow", f"touch '{marker}'\nsleep 1\n{BLOCK}")
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(running.dispatch, "PreToolUse", running.payload())
        assert running.wait_for(marker.exists)
        for pid in _daemons(running):
            os.kill(pid, signal.SIGKILL)
        verdict = answer.result(timeout=60)
    assert json.loads(verdict.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert len(running.entries()) == 1


def test_a_slow_hook_keeps_the_client_waiting_and_not_falling_back(running: Setting) -> None:
    running.register("slow", f"sleep 6\n{BLOCK}")
    answer = running.dispatch("PreToolUse", running.payload())
    assert json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert running.order == ["slow"]


def test_stopping_waits_for_what_is_in_flight(running: Setting) -> None:
    marker = running.project / "slow"
    running.register("slow", f"touch '{marker}'\nsleep 1\n{BLOCK}")
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(running.daemon, running.request())
        assert running.wait_for(marker.exists)
        running.stop()
        assert specific(answer.result(timeout=30))["permissionDecision"] == "deny"
    assert running.order == ["slow"]
    assert not running.home.socket.exists()


def test_a_daemon_of_another_version_makes_room(running: Setting) -> None:
    text = running.home.engine.read_text().replace(f"version={synaptic.__version__}", "version=9.9.9")
    running.home.engine.write_text(text)
    request = running.request()
    with connect_daemon(running.home, 5) as connection:
        connection.sendall(frame.pack_request(frame.RequestDelivery("9.9.9", request)))
        reply = frame.AnswerReader().feed(connection.recv(1000))
    assert reply is not None
    assert reply.status == frame.OTHER_VERSION
    assert running.wait_for(lambda: lifecycle.read_status(running.home).state == "stopped")


def test_a_stale_client_is_served_by_the_version_that_is_installed(running: Setting) -> None:
    with connect_daemon(running.home, 5) as connection:
        connection.sendall(frame.pack_request(frame.RequestDelivery("0.0.1", running.request())))
        reply = frame.AnswerReader().feed(connection.recv(1000))
    assert reply is not None
    assert reply.status == frame.ANSWERED


def test_only_the_user_can_reach_the_socket(running: Setting) -> None:
    assert running.home.socket.stat().st_mode & 0o777 == 0o600
    assert running.home.run.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_user_is_not_answered(running: Setting) -> None:
    """Law: one user's daemon answers no other user."""
    for folder in (running.home.run, *running.home.run.parents):
        if folder.owner() == "root" and folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    running.home.socket.chmod(0o666)
    asking = (
        "import os, socket, sys\nos.setuid(65534)\ns = socket.socket(socket.AF_UNIX)\ns.settimeout(5)\n"
        's.connect(sys.argv[1])\ntry:\n    s.sendall(b\'{"cmd":"rpc.methods"}\\n\')\n    print(s.recv(100))\n'
        "except OSError as error:\n    print(b'')\n"
    )
    done = subprocess.run([sys.executable, "-c", asking, running.home.socket], capture_output=True, text=True)
    assert done.stdout.strip() == "b''", done.stderr


def test_several_lines_in_one_write_get_several_lines_back(running: Setting) -> None:
    """S3-040, S3-041, S3-043, S3-045"""
    with connect_daemon(running.home, 5) as connection, connection.makefile("rb") as lines:
        connection.sendall(b'{"cmd":"rpc.methods"}\nnope\n{"cmd":"daemon.status","args":{}}\n{"cmd":"no.such"}\n')
        answers = [json.loads(lines.readline()) for _ in range(4)]
    assert "daemon.status" in answers[0]["data"]
    assert answers[1] == {"ok": False, "error": "Invalid JSON request"}
    assert answers[2]["data"]["version"] == synaptic.__version__
    assert answers[3]["error"] == "UNKNOWN_COMMAND"


def test_json_rpc_over_http_on_the_same_socket(running: Setting) -> None:
    assert client.call_rpc(running.home, "daemon.status")["answered"] == 0
    running.daemon(running.request())
    assert client.call_rpc(running.home, "journal.last")[0]["event"] == "PreToolUse"
    with pytest.raises(client.RpcError, match=r"no\.such"):
        client.call_rpc(running.home, "no.such")


@pytest.mark.parametrize("noise", [b"SYN1", b"SYNX" + b"\0" * 12, b"SYN1" + b"\xff" * 12, b"\0\0\0", b"GET", b"{"])
def test_noise_on_one_connection_does_not_disturb_another(running: Setting, noise: bytes) -> None:
    with connect_daemon(running.home, 5) as bad:
        bad.sendall(noise)
        assert running.daemon(running.request()).exit == 0
        bad.shutdown(socket.SHUT_WR)
    assert running.daemon(running.request()).exit == 0


def test_interleaved_requests_see_their_own_environment(running: Setting) -> None:
    """S3-046"""
    running.register("who", """echo "{\\"action\\":\\"block\\",\\"reason\\":\\"agent $AGENT_ID\\"}" """)

    def ask(name: str) -> str:
        request = running.elsewhere()
        env = {**request.env, "AGENT_ID": name}
        answer = running.daemon(Request(request.agent, request.event, request.stdin, request.id, env))
        return str(specific(answer)["permissionDecisionReason"])

    names = [f"a{number}" for number in range(20)]
    with ThreadPoolExecutor(10) as pool:
        assert list(pool.map(ask, names)) == [f"agent {name}" for name in names]


def test_state_survives_a_restart(running: Setting) -> None:
    """S3-056"""
    running.daemon(running.request())
    running.stop()
    running.start()
    assert client.call_rpc(running.home, "journal.last")[0]["event"] == "PreToolUse"


def test_a_background_result_is_delivered_by_the_daemon(running: Setting) -> None:
    """S0-040, contradiction 17"""
    advice = """echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"3 tests failed"}}'"""
    running.register("tests", f"sleep 0.2\n{advice}", event="PostToolUse", blocking=False, protocol="native")
    assert running.daemon(running.request("PostToolUse")).stdout == b""

    def told() -> bool:
        return specific(running.daemon(running.request())).get("additionalContext") == "3 tests failed"

    assert running.wait_for(told)


def _daemons(setting: Setting) -> list[int]:
    wanted = f"synaptic.daemon.server\0{setting.home.root}\0".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if wanted in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


def test_a_client_that_has_gone_before_its_answer_leaves_no_trace_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The loop of the daemon raises when a closed connection is written to."""
    left, done = asyncio.Event(), asyncio.Event()

    class Slow:
        commit = SimpleNamespace()
        held = SimpleNamespace(leave=lambda call: None)

        class senders:
            is_familiar = staticmethod(lambda request: True)

        async def answer(self, request: Request) -> Answer:
            left.set()
            await done.wait()
            return Answer(stdout=b"too late")

    async def ask() -> list[object]:
        broken: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: broken.append(context))
        daemon = Daemon(Slow())  # type: ignore[arg-type]
        server = await asyncio.get_running_loop().create_unix_server(daemon.open_connection, str(tmp_path / "s"))
        _, writer = await asyncio.open_unix_connection(str(tmp_path / "s"))
        request = Request("claude", "Stop", b"{}", client.new_call_id())
        writer.write(frame.pack_request(frame.RequestDelivery(synaptic.__version__, request)))
        await asyncio.wait_for(left.wait(), 60)
        connection = next(iter(daemon.busy))
        writer.close()
        while not connection.transport.is_closing():
            await asyncio.sleep(0.01)
        connection.send_keep_alive()
        done.set()
        await daemon.wait_drained()
        server.close()
        gc.collect()  # a task whose error nobody looked at tells it when it goes
        await asyncio.sleep(0)
        return broken

    assert uvloop.run(ask()) == []
    assert not caplog.records


def test_a_defect_of_the_engine_closes_the_connection_so_that_the_client_decides(tmp_path: Path) -> None:
    class Broken:
        commit = SimpleNamespace()

        async def answer(self, request: Request) -> None:
            raise ZeroDivisionError("on purpose")

    async def ask() -> bytes:
        daemon = Daemon(Broken())  # type: ignore[arg-type]
        server = await asyncio.get_running_loop().create_unix_server(daemon.open_connection, str(tmp_path / "s"))
        reader, writer = await asyncio.open_unix_connection(str(tmp_path / "s"))
        writer.write(
            frame.pack_request(frame.RequestDelivery(synaptic.__version__, Request("claude", "Stop", b"{}", "c")))
        )
        try:
            return await asyncio.wait_for(reader.read(), 60)
        except ConnectionResetError:
            return b""
        finally:
            writer.close()
            server.close()
            assert not daemon.busy

    assert asyncio.run(ask()) == b""


@pytest.mark.parametrize("asked", ["frame", "line"])
def test_who_was_let_in_and_asks_after_the_last_answer_decides_by_itself(tmp_path: Path, asked: str) -> None:
    """The engine puts its things away by then: it would answer without its journal."""

    class Closed:
        commit = SimpleNamespace()

        async def answer(self, request: Request) -> None:
            raise AssertionError("nothing is asked any more")

    async def ask() -> bytes:
        daemon = Daemon(Closed())  # type: ignore[arg-type]
        server = await asyncio.get_running_loop().create_unix_server(daemon.open_connection, str(tmp_path / "s"))
        reader, writer = await asyncio.open_unix_connection(str(tmp_path / "s"))
        await daemon.wait_drained()
        request = Request("claude", "Stop", b"{}", client.new_call_id())
        framed = frame.pack_request(frame.RequestDelivery(synaptic.__version__, request))
        writer.write(framed if asked == "frame" else b'{"cmd":"rpc.methods"}\n')
        try:
            return await asyncio.wait_for(reader.read(), 60)
        except ConnectionResetError:
            return b""
        finally:
            writer.close()
            server.close()

    assert uvloop.run(ask()) == b""


def test_a_line_without_an_end_costs_its_connection_and_leaves_nothing_running(running: Setting) -> None:
    """The connection is given up without its end having been read: stopping waits for no further line."""
    with connect_daemon(running.home, 5) as connection:
        connection.sendall(b'{"cmd":"rpc.methods"}\n')
        assert connection.recv(1)
        with suppress(OSError):
            connection.sendall(b"x" * (LINE_LIMIT + 1))
        pid = lifecycle.read_status(running.home).pid
        os.kill(pid, signal.SIGTERM)
        assert lifecycle._wait_until(lambda: lifecycle.read_status(running.home).pid != pid, 3), "it waits for a line"


def test_changed_files_of_a_checkout_are_told_once(setting: Setting) -> None:
    async def look() -> list[str]:
        engine = open_engine(setting.home)
        await tell_changed_files(engine)
        told = list(engine.store.notices)
        await engine.close()
        return told

    setting.home.bin.mkdir(parents=True, exist_ok=True)
    record_installed(setting.home)
    assert asyncio.run(look()) == []
    lines = setting.home.engine_files.read_text().splitlines(keepends=True)
    setting.home.engine_files.write_text("".join(line for line in lines if not line.endswith(" api.py\n")))
    (told,) = asyncio.run(look())
    assert "api.py" in told
    assert "synaptic doctor" in told
    assert asyncio.run(look()) == []
