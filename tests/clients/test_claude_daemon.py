"""The daemon killed under the real client, and the daemon answering it over HTTP."""

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from synaptic.daemon import lifecycle
from synaptic.model.decision import Kind
from tests.clients.claude import Session
from tests.clients.outcome import Outcome
from tests.clients.script import Do, Turn, bash, conversation

pytestmark = pytest.mark.client

BLOCK = json.dumps({"action": "block", "reason": "not in this project"})
GUARD = f"grep -q sentinel && echo '{BLOCK}'; exit 0"


def kill(session: Session) -> int:
    """Ends the daemon the hard way, once it is there; who it was."""
    lifecycle.start_daemon(session.synaptic_home)
    assert lifecycle.wait_ready(session.synaptic_home, 10)
    pid = lifecycle.read_status(session.synaptic_home).pid
    os.kill(pid, signal.SIGKILL)
    return pid


def acknowledged(outcome: Outcome, event: str) -> int:
    """Answers that the client got from us."""
    return len(outcome.hooks(event))


def after_a_kill(session: Session, turn: Turn, killed: set[int]) -> Turn:
    return (Do(lambda: killed.add(kill(session))), *turn)


def test_a_daemon_killed_between_calls_loses_no_verdict_and_no_event(armed: Session) -> None:
    armed.skill("guard", GUARD)
    armed.trust()
    first, *others = (bash(f"touch {armed.folder}/sentinel{number}") for number in range(4))
    killed: set[int] = set()

    outcome = armed.run(
        conversation(first, *(after_a_kill(armed, turn, killed) for turn in (*others, bash("echo on"))))
    )

    *refused, last = outcome.results
    assert all("not in this project" in result.text for result in refused)
    assert last.text == "on"
    assert len(killed) == 4
    assert not list(armed.folder.glob("sentinel*"))
    entries = armed.journal("PreToolUse")
    assert [entry.decision.kind for entry in entries] == [*[Kind.DENY] * 4, Kind.NONE]
    assert acknowledged(outcome, "PreToolUse") == len(entries)


def test_a_daemon_killed_during_a_call_loses_no_verdict_and_counts_nothing_twice(armed: Session) -> None:
    pid = armed.synaptic_home.run / "daemon.pid"
    armed.skill(
        "guard",
        f"""\
if [ ! -e {armed.folder}/killed ]; then
  touch {armed.folder}/killed
  python3 -c 'import os, sys; os.kill(int(open(sys.argv[1]).read().split()[0]), 9)' {pid}
  sleep 0.5
fi
{GUARD}""",
    )
    armed.trust()
    armed.synaptic("daemon", "start")

    outcome = armed.run(conversation(bash(f"touch {armed.folder}/sentinel"), bash("echo on")))

    refused, last = outcome.results
    assert (armed.folder / "killed").exists()
    assert "not in this project" in refused.text
    assert last.text == "on"
    assert not (armed.folder / "sentinel").exists()
    assert [entry.decision.kind for entry in armed.journal("PreToolUse")] == [Kind.DENY, Kind.NONE]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def test_the_daemon_answers_the_client_over_http(armed: Session) -> None:
    armed.skill("guard", GUARD)
    armed.trust()
    armed.synaptic_home.config.write_text(f"[http]\nenabled = true\nport = {free_port()}\n")
    armed.synaptic("daemon", "restart")
    armed.bootstrap("--http")
    settings = json.loads((armed.home / ".claude" / "settings.json").read_text())

    outcome = armed.run(conversation(bash(f"touch {armed.folder}/sentinel"), bash("echo on")))

    refused, last = outcome.results
    assert settings["hooks"]["PreToolUse"][0]["hooks"][0]["type"] == "http"
    assert "not in this project" in refused.text
    assert last.text == "on"
    assert [entry.decision.kind for entry in armed.journal("PreToolUse")] == [Kind.DENY, Kind.NONE]


class _Refuser(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        body = BLOCK.encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def endpoint() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refuser) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/hook"
        server.shutdown()


def test_a_registered_http_hook_is_asked(armed: Session, endpoint: str) -> None:
    armed.register("remote", url=endpoint)
    armed.trust()

    outcome = armed.run(conversation(bash(f"touch {armed.folder}/sentinel")))

    assert "not in this project" in outcome.result.text
    assert not (armed.folder / "sentinel").exists()
