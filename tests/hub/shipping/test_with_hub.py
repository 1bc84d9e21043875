"""A host and the real hub on a real PostgreSQL, both killed again and again: complete, no doubles, in order."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.shipping.plan import write_membership
from synaptic.hub.wire import JoinRequest
from tests.hub.shipping.conftest import Shipping, wait_until

pytest.importorskip("synaptic.hub.server.serve", reason="there is no hub here")


class RealHub:
    """`synaptic hub serve`, a process that can be killed and comes back at the same port."""

    def __init__(self, database: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.database = database
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def run(self, *words: str) -> bytes:
        line = (sys.executable, "-m", "synaptic.cli.main", "hub", *words, "--database", self.database)
        return subprocess.run(line, check=True, capture_output=True).stdout

    def start(self) -> None:
        line = (sys.executable, "-m", "synaptic.cli.main", "hub", "serve", "--listen", f"127.0.0.1:{self.port}")
        self._process = subprocess.Popen(
            (*line, "--database", self.database), stdout=subprocess.PIPE, start_new_session=True
        )
        assert self._process.stdout and b"hub at" in self._process.stdout.readline()

    def kill(self) -> None:
        if self._process:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def read_calls(self) -> list[str]:
        import psycopg

        with psycopg.connect(self.database) as connection:
            return [call for (call,) in connection.execute("SELECT call FROM events ORDER BY seq").fetchall()]


@pytest.fixture
def real_hub(database: str) -> Iterator[RealHub]:
    made = RealHub(database)
    made.start()
    yield made
    made.kill()


def join(shipping: Shipping, hub: RealHub, tmp_path: Path) -> None:
    """As `synaptic join` does."""
    import asyncio

    from synaptic.hub.shipping.hub_client import HubClient

    code = json.loads(hub.run("invite", "--json"))["code"]
    place, key = HubPlace.of(shipping.home), SecretKey.make()
    place.host_key.unlink()
    key.write(place.host_key)

    async def ask():
        client = HubClient(Membership(url=hub.url, host="x"))
        try:
            return await client.join(JoinRequest(code=code, name="laptop", key=key.public.text, version="1"))
        finally:
            await client.close()

    write_membership(shipping.home, Membership(url=hub.url, host=asyncio.run(ask()).host))


def test_a_host_and_a_hub_that_are_killed_again_and_again(shipping: Shipping, real_hub: RealHub, tmp_path: Path):
    join(shipping, real_hub, tmp_path)
    shipping.add(2000)
    for turn in range(6):
        shipping.start()
        before = len(real_hub.read_calls())
        wait_until(lambda seen=before: len(real_hub.read_calls()) > seen, 30, shipping.describe)
        time.sleep(turn * 0.01)
        if turn % 2:
            real_hub.kill()
            shipping.add(1500)
            shipping.kill()
            real_hub.start()
        else:
            shipping.kill()
            shipping.add(1500)
    shipping.start()
    wait_until(lambda: len(real_hub.read_calls()) >= len(shipping.written), 90, shipping.describe)
    assert real_hub.read_calls() == shipping.written
    hosts = json.loads(real_hub.run("hosts", "--json"))["hosts"]
    assert len(hosts) == 1


def test_hostile_texts_arrive_as_something_that_can_be_stored(shipping: Shipping, real_hub: RealHub, tmp_path: Path):
    shipping.home.config.write_text('[ship]\ncontents = "full"\n')
    join(shipping, real_hub, tmp_path)
    for text in ("a\0b", "\ud800", "\x1b[2J", "s" * (1 << 20), "tab\tnew\nline\\back", "\u202e", "\\N", "\\."):
        payload = json.dumps({"tool_use_id": text, "tool_input": {"command": text}})
        shipping.add(1, session=text, tool=text, agent=text, root=text, payload=payload)
    shipping.add(1, at=time.time() + 30 * 86400)
    shipping.add(1, at=1.0)
    shipping.start()
    wait_until(lambda: len(real_hub.read_calls()) == 10, 60, shipping.describe)
    assert real_hub.read_calls() == shipping.written
