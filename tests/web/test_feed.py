"""The stream of new events: nothing is lost and nothing comes twice, whatever is killed meanwhile."""

import http.client
import itertools
import os
import re
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from synaptic.daemon import lifecycle
from synaptic.store.db import Store
from tests.daemon.setting import Setting
from tests.web.asking import ask, enter
from tests.web.console import PATIENCE, WebConsole, record

NUMBER = re.compile(r"^id: (\d+)$", re.MULTILINE)


class Listener:
    """A page's stream, read line by line; it can go away and come back as a browser does."""

    def __init__(self, console: WebConsole, cookie: str, after: int, named: str | None = None) -> None:
        self._console, self._cookie, self._named = console, cookie, named
        self.last = after
        self.seen: list[int] = []
        self.connect()

    def connect(self) -> None:
        self._connection = http.client.HTTPConnection(self._console.host, self._console.port, timeout=PATIENCE)
        headers = {
            "Cookie": self._cookie,
            "Last-Event-ID": (str(self.last) if self._named is None else self._named).encode("latin-1"),
            "Host": self._console.address[7:],
        }
        self._connection.request("GET", "/timeline/stream?quiet=1", headers=headers)
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200
        assert self._answer.headers["content-type"].startswith("text/event-stream")

    def read_until(self, number: int) -> None:
        for message in self._iter_messages():
            if "event: entry" in message:
                self.seen.append(self.last)
            if self.last >= number:
                return

    def read_line(self) -> str:
        return self._answer.readline().decode()

    def drop(self) -> None:
        self._connection.close()

    def _iter_messages(self) -> Iterator[str]:
        lines: list[str] = []
        while line := self._answer.readline().decode():
            if line.strip():
                lines.append(line)
                continue
            message, lines = "".join(lines), []
            if found := NUMBER.search(message):
                self.last = int(found[1])
            yield message


def test_a_page_that_was_away_gets_what_came_meanwhile(console: WebConsole, setting: Setting) -> None:
    listener = Listener(console, enter(console), 1)
    for number in range(5):
        record(setting, tool_use_id=f"a{number}")
    listener.read_until(6)
    listener.drop()
    for number in range(300):  # more than one page of the stream
        record(setting, tool_use_id=f"b{number}")
    listener.connect()
    listener.read_until(306)
    listener.drop()
    assert listener.seen == list(range(2, 307))


def test_the_daemon_is_killed_under_load_and_the_numbers_go_on(console: WebConsole, running: Setting) -> None:
    listener = Listener(console, enter(console), 0)
    ended, sent = threading.Event(), itertools.count(1)

    def work() -> None:
        while not ended.is_set():
            number = next(sent)
            payload = running.payload(session_id=f"s{number % 3}", tool_use_id=f"t{number}")
            running.dispatch("PreToolUse", payload)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for _ in range(3):
        time.sleep(1.0)
        _kill_daemon(running)
    time.sleep(1.0)
    ended.set()
    for worker in workers:
        worker.join()
    last = running.last().id
    listener.read_until(last)
    listener.drop()
    written = [entry.id for entry in reversed(running.entries(10_000))]
    assert listener.seen == written
    assert written == list(range(1, last + 1))
    assert last > 100


def test_a_filtered_page_goes_on_from_where_it_was(console: WebConsole, setting: Setting) -> None:
    """It has seen nothing that it wanted, and does not ask for all of it again."""
    cookie = enter(console)
    for number in range(10):
        record(setting, tool_use_id=f"a{number}")
    connection = http.client.HTTPConnection(console.host, console.port, timeout=PATIENCE)
    connection.request("GET", "/timeline/stream?show=denied&after=1", headers={"Cookie": cookie})
    answer = connection.getresponse()
    found = ""
    while "id: 11" not in found:
        found += answer.readline().decode()
    assert "event: entry" not in found
    connection.close()


def test_a_page_is_told_when_the_journal_has_begun_anew(console: WebConsole, setting: Setting) -> None:
    """Its numbers begin anew as well: a page that waits for the next of the old ones would wait for good."""
    listener = Listener(console, enter(console), 1)
    for number in range(5):
        record(setting, tool_use_id=f"a{number}")
    listener.read_until(6)
    listener.drop()
    store = Store.open(setting.home)
    store.write(lambda connection: connection.execute("DELETE FROM events WHERE id > 3"))  # that is none
    store.close()
    listener.connect()
    record(setting, tool_use_id="b")
    listener.read_until(7)
    listener.drop()
    for path in setting.home.database.parent.glob(f"{setting.home.database.name}*"):
        path.unlink()
    record(setting, tool_use_id="c")
    listener.connect()
    found = ""
    while "event: anew" not in found:
        line = listener.read_line()
        assert line and "event: entry" not in line
        found += line
    listener.drop()


@pytest.mark.parametrize("last", ["9" * 30, "9" * 5000, "-1", "²", "x", ""])
def test_a_number_that_nobody_gave_is_none(console: WebConsole, last: str) -> None:
    cookie = enter(console)
    listener = Listener(console, cookie, 0, last)
    listener.read_until(1)
    listener.drop()
    assert listener.seen == [1]


def test_pages_that_read_nothing_hold_nobody_up(console: WebConsole, setting: Setting) -> None:
    cookie = enter(console)
    stuck = [Listener(console, cookie, 0) for _ in range(8)]
    for number in range(400):
        record(setting, tool_use_id=f"a{number}")
    live = Listener(console, cookie, 0)
    live.read_until(401)
    assert ask(console, "/timeline", Cookie=cookie).status == 200
    for one in (*stuck, live):
        one.drop()


def test_the_console_ends_although_pages_listen(console: WebConsole) -> None:
    listener = Listener(console, enter(console), 0)
    console.process.send_signal(signal.SIGINT)
    console.process.wait(PATIENCE)
    listener.drop()


def _kill_daemon(setting: Setting) -> None:
    status = lifecycle.read_status(setting.home)
    if status.state == "running":
        os.kill(status.pid, signal.SIGKILL)
