"""A home with a journal, a hub that it has joined, and the process that ships between them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.shipping.plan import write_membership
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.home import Home
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import EventRecord
from tests.hub.shipping.fake_hub import FakeHub

HOST = "laptop"


class Shipping:
    """One host. Its process is a real one, so that it can be killed."""

    def __init__(self, home: Home, hub: FakeHub) -> None:
        self.home, self.hub = home, hub
        self.store = Store.open(home)
        self._processes: list[subprocess.Popen[bytes]] = []
        self._number = 0

    def join(self) -> None:
        key = SecretKey.make()
        key.write(HubPlace.of(self.home).host_key)
        self.hub.add_host(HOST, key.public)
        write_membership(self.home, Membership(url=self.hub.url, host=HOST))

    def add(self, count: int, **changes) -> None:
        journal.append_records(self.store, [self.make(**changes) for _ in range(count)])

    def make(self, **changes) -> EventRecord:
        self._number += 1
        trace = (TraceStep(hook="git.force-push", kind=Kind.DENY, reason="push with lease", micros=7),)
        values = {
            "call": f"call-{self._number:08d}-{os.urandom(3).hex()}",
            "at": time.time(),
            "agent": "claude",
            "event": "PreToolUse",
            "session": "s1",
            "tool": "Bash",
            "root": f"{self.home.root.parent}/project",
            "payload": '{"tool_name":"Bash","tool_use_id":"toolu_1","tool_input":{"command":"ls /etc/secret-place"}}',
            "decision": Decision(kind=Kind.DENY, by="git.force-push", reason="push with lease", trace=trace),
            "micros": 210,
        }
        return EventRecord(**{**values, **changes})

    def start(self) -> subprocess.Popen[bytes]:
        line = (sys.executable, "-m", "synaptic.hub.shipping.process", str(self.home.root))
        with (self.home.root / "stderr").open("ab") as errors:
            process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
        self._processes.append(process)
        return process

    def kill(self) -> None:
        for process in self._processes:
            process.send_signal(signal.SIGKILL)
            process.wait()
        self._processes.clear()

    @property
    def arrived(self) -> list[str]:
        with self.hub.lock:
            return [event.call for event in self.hub.events.get(HOST, [])]

    @property
    def written(self) -> list[str]:
        return [entry.call for entry in journal.read_entries_after(self.store, 0, 100_000)]

    def wait_until_all_arrived(self, seconds: float = 40) -> None:
        wait_until(lambda: len(self.arrived) >= len(self.written), seconds, self.describe)
        assert self.arrived == self.written

    def describe(self) -> str:
        files = (self.home.root / "stderr", self.home.shipper_log, HubPlace.of(self.home).state)
        said = "\n".join(file.read_text()[-2000:] for file in files if file.exists())
        return f"{len(self.arrived)} of {len(self.written)} arrived\n{said}"

    def close(self) -> None:
        self.kill()
        self.store.close()


def wait_until(is_done: Callable[[], bool], seconds: float = 20, describe: Callable[[], str] = str) -> None:
    until = time.monotonic() + seconds
    while not is_done():
        assert time.monotonic() < until, describe()
        time.sleep(0.05)


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    opened = FakeHub()
    yield opened
    opened.close()


@pytest.fixture
def shipping(tmp_path: Path, hub: FakeHub) -> Iterator[Shipping]:
    home = Home(tmp_path / "home" / ".synaptic")
    home.root.mkdir(parents=True)
    made = Shipping(home, hub)
    made.join()
    yield made
    made.close()
