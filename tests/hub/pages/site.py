"""A hub in a process of its own with hosts that ship to it, and what a browser needs to go in."""

import base64
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import NamedTuple

import httpx
import msgspec

from synaptic.hub.keys import SecretKey, make_request_text
from synaptic.hub.server.desk import ask_database
from synaptic.hub.server.secrets import add_token, make_code
from synaptic.hub.wire import API, EventBatch, HostQuestion, HostStatus, JoinRequest, ShippedEvent
from tests.hub.server.kit import make_event

PATIENCE = 60


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str


class HubProcess:
    """`synaptic hub serve` before one database."""

    def __init__(self, database: str, *words: str) -> None:
        self.database = database
        command = [sys.executable, "-m", "synaptic.cli.main", "hub", "serve", "--listen", "127.0.0.1:0", *words]
        env = {"HOME": "/nonexistent", "PATH": os.environ["PATH"], "SYNAPTIC_HUB_DATABASE": database}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True)
        assert self.process.stdout is not None
        said = self.process.stdout.readline().strip()
        assert said.startswith("hub at "), self.process.communicate()[1]
        self.address = said.removeprefix("hub at ")
        self.tokens = 0

    def stop(self) -> str:
        self.process.terminate()
        return self.process.communicate(timeout=PATIENCE)[1]

    def token(self, role: str = "reader") -> str:
        self.tokens += 1
        name = f"ada{self.tokens}"
        return ask_database(self.database, lambda connection: add_token(connection, name, role))

    def ask(self, path: str, method: str = "GET", body: str = "", **headers: str) -> Reply:
        """One request as any program could make it."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if body:
            sent.setdefault("content-type", "application/x-www-form-urlencoded")
        answer = httpx.request(method, self.address + path, content=body or None, headers=sent, timeout=PATIENCE)
        return Reply(answer.status_code, answer.headers, answer.text)

    def log_in(self, token: str = "") -> str:
        """The cookie that a token gives."""
        reply = self.ask("/login", "POST", f"token={token or self.token()}&next=/", Origin=self.address)
        assert reply.status == 303, reply.text
        return reply.headers["set-cookie"].partition(";")[0]


class ShippingHost:
    """One host, as a shipper speaks for it."""

    def __init__(self, hub: HubProcess, name: str) -> None:
        self.hub, self.key, self.seq = hub, SecretKey.make(), 0
        code, _ = ask_database(hub.database, lambda connection: make_code(connection, 1, False))
        asked = JoinRequest(code=code, name=name, key=self.key.public.text, version="1")
        answer = httpx.post(f"{hub.address}{API}/join", content=msgspec.json.encode(asked))
        self.id = answer.json()["host"]

    def ships(self, *events: Mapping[str, object]) -> None:
        """The next events, in their order."""
        batch: list[ShippedEvent] = []
        for number, given in enumerate(events, self.seq + 1):
            batch.append(make_event(number, **{"at": time.time(), **given}))
        self._sends("POST", "events", EventBatch(self.seq, tuple(batch)))
        self.seq += len(batch)

    def says(self, **status: object) -> None:
        self._sends("PUT", "status", HostStatus(**{"version": "1.2.0", "newest": self.seq, **status}))

    def asks(self, *questions: Mapping[str, object]) -> None:
        usual = {"at": time.time(), "acts": "d", "policies": ("git.force-push",), "tool": "Bash", "agent": "claude"}
        found = [
            HostQuestion(**{**usual, "mark": f"m{at}", "code": f"k{at}qmd", **one}) for at, one in enumerate(questions)
        ]
        self._sends("PUT", "questions", found)

    def _sends(self, method: str, what: str, value: object) -> None:
        target, body, at = f"{API}/{what}", msgspec.json.encode(value), f"{time.time():.3f}"
        signature = base64.b64encode(self.key.sign_plain(make_request_text(method, target, at, body))).decode()
        headers = {"x-synaptic-host": self.id, "x-synaptic-at": at, "x-synaptic-signature": signature}
        answer = httpx.request(method, self.hub.address + target, content=body, headers=headers, timeout=PATIENCE)
        assert answer.status_code in (200, 204), answer.text


class LoginDoor:
    """What `RealBrowser` needs to go in: the form for a token."""

    def __init__(self, site: HubProcess) -> None:
        self.address = site.address

    def take_link(self) -> str:
        return f"{self.address}/login"
