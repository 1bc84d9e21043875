"""`python -m demo.hub`: a real PostgreSQL, a hub, two hosts that ship to it, and what it then knows of both."""

import base64
import os
import subprocess  # noqa: TID251 - the hub is started as a person starts it
import sys
import tempfile
import time
from pathlib import Path

import httpx
import msgspec

from synaptic.hub.keys import SecretKey, make_request_text
from synaptic.hub.server.throwaway import ThrowawayPostgres
from synaptic.hub.wire import (
    API,
    EventBatch,
    HookRun,
    HostGrant,
    HostStatus,
    JoinAnswer,
    JoinRequest,
    ShippedEvent,
)

CALLS = (
    ("Bash", "none", "", 640), ("Edit", "none", "", 910), ("Bash", "deny", "git.force-push", 1480),
    ("Read", "none", "", 420), ("Bash", "ask", "shell.loss", 2210), ("Write", "none", "", 700),
)  # fmt: skip
"""Tool, what was said, by whom, and microseconds: what a laptop's agents and a runner's do all day."""


class SimulatedHost:
    """What a shipper says to a hub, without agents behind it."""

    def __init__(self, http: httpx.Client, name: str, code: str) -> None:
        self._http = http
        self._key = SecretKey.make()
        asked = JoinRequest(code=code, name=name, key=self._key.public.text, version="0.1.0")
        answer = http.post(f"{API}/join", content=msgspec.json.encode(asked)).raise_for_status()
        self.id = msgspec.json.decode(answer.content, type=JoinAnswer).host

    def ship(self, after: int, events: tuple[ShippedEvent, ...]) -> httpx.Response:
        return self.send("POST", f"{API}/events", EventBatch(after, events))

    def send(self, method: str, target: str, value: object) -> httpx.Response:
        body, at = msgspec.json.encode(value), f"{time.time():.3f}"
        signature = self._key.sign_plain(make_request_text(method, target, at, body))
        signed = {"x-synaptic-host": self.id, "x-synaptic-at": at}
        signed["x-synaptic-signature"] = base64.b64encode(signature).decode()
        return self._http.request(method, target, content=body, headers=signed)


def main() -> int:
    """Exit code 1 when the hub did not know what was sent."""
    begun = time.monotonic()
    with ThrowawayPostgres() as postgres, tempfile.TemporaryDirectory() as home:
        say(f"PostgreSQL in {postgres.folder}, {time.monotonic() - begun:.1f} s")
        env = {**os.environ, "HOME": home, "SYNAPTIC_HUB_DATABASE": postgres.url}
        hub = start_hub(env)
        try:
            return show_hub(env, read_address(hub))
        finally:
            hub.terminate()
            hub.wait()
            say("\nThe hub and its database are gone.")


def start_hub(env: dict[str, str]) -> "subprocess.Popen[str]":
    say("\n$ synaptic hub serve")
    line = [find_synaptic(), "hub", "serve", "--listen", "127.0.0.1:0", "--name", "demo"]
    return subprocess.Popen(line, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def read_address(hub: "subprocess.Popen[str]") -> str:
    line = hub.stdout.readline().strip() if hub.stdout else ""
    if not line:
        raise SystemExit("the hub did not start")
    say(line)
    return line.split()[-1]


def show_hub(env: dict[str, str], url: str) -> int:
    with httpx.Client(base_url=url, timeout=30) as http:
        hosts = [SimulatedHost(http, name, run(env, "invite")) for name in ("ada-laptop", "ci-runner")]
        sent = sum(ship_events(host, 3000) for host in hosts)
        token = run(env, "token", "add", "ada", "--role", "reader")
        run(env, "hosts")
        http.headers["authorization"] = f"Bearer {token}"
        known = show_answers(http)
        run(env, "revoke", hosts[1].id)
        after = hosts[1].ship(3000, ())
        say(f"{hosts[1].id} writes: {after.status_code} {after.text}")
    return 0 if known == sent and after.status_code == 403 else 1


def ship_events(host: SimulatedHost, count: int) -> int:
    """How many the hub says it has."""
    begun, seq = time.monotonic(), 0
    while seq < count:
        events = tuple(make_event(host.id, seq + number + 1) for number in range(500))
        seq = host.ship(seq, events).raise_for_status().json()["seq"]
    say(f"{host.id} has shipped {seq} events, {seq / (time.monotonic() - begun):.0f} a second")
    grant = HostGrant(id="7fq2k9ab", at=time.time(), policy="git.force-push", scope="once", granted_by="ada")
    status = HostStatus(version="0.1.0", newest=seq, grants=(grant,), witness={"as told": 512, "not obeyed": 1})
    host.send("PUT", f"{API}/status", status).raise_for_status()
    return seq


def make_event(host: str, seq: int) -> ShippedEvent:
    tool, kind, by, micros = CALLS[seq % len(CALLS)]
    return ShippedEvent(
        seq=seq, call=f"{host}{seq:x}", at=time.time() - 3600 + seq, agent="claude", event="PreToolUse",
        session=f"{host}-s{seq // 500}", tool=tool, project="~/work/shop", kind=kind, by=by, micros=micros,
        runs=(HookRun(by or "git.protected", kind, micros // 4),), quiet=60,
    )  # fmt: skip


def show_answers(http: httpx.Client) -> int:
    """How many events the hub has counted."""
    for question in ("events?kind=refused&limit=3", "events?q=force-push&limit=2", "sessions?limit=3", "denials",
                     "latency?limit=3", "overrides", "witness"):  # fmt: skip
        begun = time.monotonic()
        answer = http.get(f"{API}/{question}").raise_for_status()
        say(f"\nGET {API}/{question}   {1000 * (time.monotonic() - begun):.0f} ms")
        for rows in answer.json().values():
            for row in rows[:3]:
                say("  " + "  ".join(f"{name} {cell}" for name, cell in row.items() if cell and name in SHOWN))
    return sum(day["events"] for day in http.get(f"{API}/days").raise_for_status().json()["days"])


SHOWN = frozenset(
    ("host", "seq", "tool", "kind", "by", "session", "events", "refused", "policy", "denied", "asked", "hosts", "hook",
     "runs", "p50", "p99", "granted_by", "scope", "calls", "project")
)  # fmt: skip


def run(env: dict[str, str], *words: str) -> str:
    say(f"\n$ synaptic hub {' '.join(words)}")
    done = subprocess.run([find_synaptic(), "hub", *words], env=env, check=True, capture_output=True, text=True)
    say(done.stdout.strip())
    return done.stdout.strip()


def find_synaptic() -> str:
    return str(Path(sys.executable).with_name("synaptic"))


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
