"""The process that ships, with the destinations of an export: killed again and again, all of it arrives."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from synaptic.hub.export.source import find_source
from synaptic.model.home import Home
from tests.cli.journal_kit import make_event, write_events
from tests.hub.export.kit import Collector, SyslogServer, accept, read_attributes
from tests.hub.export.strict import read_message


def wait_until(is_done: Callable[[], bool]) -> None:
    ends = time.monotonic() + 40
    while not is_done():
        assert time.monotonic() < ends
        time.sleep(0.05)


def add(home: Home, count: int) -> None:
    write_events(home, *(make_event(f"git status {number}") for number in range(count)))


def start(home: Home) -> subprocess.Popen[bytes]:
    variables = {"HOME": str(home.root.parents[1]), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "synaptic.hub.shipping.process", str(home.root)]
    return subprocess.Popen(command, env=variables, stderr=subprocess.DEVNULL)


def read_marks(file: Path) -> list[int]:
    return [json.loads(line)["seq"] for line in file.read_bytes().splitlines()] if file.exists() else []


def test_killed_again_and_again_all_arrives_at_all_three(tmp_path: Path) -> None:
    home, file = Home(tmp_path / "home" / ".synaptic"), tmp_path / "events.jsonl"
    home.root.mkdir(parents=True)
    answers = [(503, b"", {})]
    collector = Collector(lambda one, path: answers.pop() if answers else accept(one, path))
    server = SyslogServer(socket.AF_UNIX, socket.SOCK_STREAM, str(tmp_path / "log"))
    lines = f'[ship]\njsonl = "{file}"\notlp = "{collector.url}"\nsyslog = "unix:{tmp_path}/log"\n'
    home.config.write_text(lines)
    try:
        for turn in range(5):
            add(home, 400)
            process = start(home)
            seen = len(read_marks(file))
            wait_until(lambda seen=seen: len(read_marks(file)) > seen)  # type: ignore[misc]
            time.sleep(0.01 * turn)
            process.send_signal(signal.SIGKILL)
            process.wait()
        process = start(home)
        wanted = set(range(1, 2001))

        def find_sent() -> tuple[set[object], set[object]]:
            spans = {read_attributes(one.attributes)["synaptic.seq"] for one in list(collector.records)}
            return spans, {int(read_message(raw).values["seq"]) for raw in list(server.messages)}

        wait_until(lambda: len(read_marks(file)) >= 2000 and find_sent() == (wanted, wanted))
    finally:
        process.kill()
        process.wait()
        collector.close()
        server.close()
    assert read_marks(file) == list(range(1, 2001)), "in a file nothing is doubled"
    sources = {json.loads(line)["source"] for line in file.read_bytes().splitlines()}
    assert sources == {find_source(home).identity}, "wherever the home is"
