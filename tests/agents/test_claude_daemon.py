"""The daemon killed under the real client, and the daemon answering it over HTTP."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from synaptic.daemon import lifecycle
from synaptic.model.decision import Kind
from tests.agents.claude import Session
from tests.agents.outcome import Outcome
from tests.agents.script import Do, Turn, bash, conversation

pytestmark = pytest.mark.client

BLOCK = json.dumps({"action": "block", "reason": "not in this project"})
GUARD = f"grep -q sentinel && echo '{BLOCK}'; exit 0"


def kill(session: Session) -> None:
    status = lifecycle.status(session.synaptic_home)
    if status.pid:
        os.kill(status.pid, signal.SIGKILL)


def acknowledged(outcome: Outcome, event: str) -> int:
    """Answers that the client got from us."""
    return len(outcome.hooks(event))


def after_a_kill(session: Session, turn: Turn) -> Turn:
    return (Do(lambda: kill(session)), *turn)


def test_a_daemon_killed_between_calls_loses_no_verdict_and_no_event(armed: Session) -> None:
    armed.skill("guard", GUARD)
    armed.trust()
    touch = bash(f"touch {armed.folder}/sentinel")

    outcome = armed.run(
        conversation(touch, *(after_a_kill(armed, touch) for _ in range(3)), after_a_kill(armed, bash("echo on")))
    )

    *refused, last = outcome.results
    assert all("not in this project" in result.text for result in refused)
    assert last.text == "on"
    assert not (armed.folder / "sentinel").exists()
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
  read -r pid rest < {pid} && kill -9 "$pid"
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
