"""The console in a real browser: how soon an event is seen, how soon a page is there, and what it all costs."""

import asyncio
import subprocess  # noqa: TID251  the bench starts what it measures
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from playwright.async_api import Page
from tests.web.asking import ask, enter
from tests.web.console import RealBrowser, WebConsole, find_chromium

from bench.history import lengthen
from bench.line import Line, added, at_most
from bench.payload import event, line
from bench.spawn import compile_spawner, sample
from bench.world import World, build
from synaptic.agents.shared.lineage import list_markers
from synaptic.web.assets import load_assets

PAGES = ("/", "/timeline", "/sessions", "/policies", "/fleet", "/health")
SEEN, PAINTED, PAGED = 250, 300, 50
WIRE_KILOBYTES = 60
GROWN_MEGABYTES = 10
A_MINUTE, EVENTS_A_SECOND = 60, 50
OPEN_PAGES = 3
REFUSE_EVERY = 200
NOTE_ROWS = """
window.seen = {};
new MutationObserver(() => {
  const now = performance.timeOrigin + performance.now();
  for (const row of document.querySelectorAll("#rows .row")) window.seen[row.id] ??= now;
}).observe(document.getElementById("rows"), { childList: true });
"""
SENDER = """
import os, subprocess, sys
dispatch = os.environ["HOME"] + "/.synaptic/bin/dispatch"
for line in sys.stdin.buffer:
    subprocess.run([dispatch, "PreToolUse"], input=line, stdout=subprocess.DEVNULL, check=True)
    print("sent", flush=True)
"""
"""A process of its own: whoever calls the dispatcher is an agent, and none may start a console."""
FIRST_PAINT = """
() => performance.getEntriesByType("paint").find((one) => one.name === "first-contentful-paint")?.startTime ?? -1
"""


def measured(folder: Path, rounds: int, events: int) -> list[Line]:
    """An event's way to the eye, pages over a long journal, memory, and what open pages cost a call."""
    browser = RealBrowser(find_chromium())
    try:
        return [
            _measure_way(folder, browser),
            *_measure_pages(folder, browser, events),
            *_measure_minute(folder, browser),
            _measure_cost(folder, browser, rounds),
            at_most("console, all files that pages name, packed", _measure_files(), WIRE_KILOBYTES, "KB"),
        ]
    finally:
        browser.close()


class _Sender:
    """Events, one after the other, from a process that counts as an agent."""

    def __init__(self, world: World) -> None:
        self._world = world
        command = [sys.executable, "-c", SENDER]
        # What an agent sets for the commands that it runs would make this process one of those.
        env = {name: value for name, value in world.env.items() if name not in list_markers()}
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)

    def send(self, number: int) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(line({**event(self._world.project), "tool_use_id": f"bench{number}"}))
        self._process.stdin.flush()
        assert self._process.stdout.readline() == b"sent\n"

    def send_for(self, seconds: float) -> None:
        end, number = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            began = time.monotonic()
            self.send(number := number + 1)
            time.sleep(max(0.0, began + 1 / EVENTS_A_SECOND - time.monotonic()))

    def close(self) -> None:
        self._process.communicate()


@contextmanager
def _open_world(folder: Path, name: str, events: int = 0) -> Iterator[tuple[_Sender, WebConsole, World]]:
    world = build(folder / name, name)
    world.start()
    sender = _Sender(world)
    sender.send(0)
    if events:
        world.stop()
        lengthen(world.home, events, 1.0, REFUSE_EVERY)
        world.start()
    console = WebConsole(SimpleNamespace(user=world.folder, project=world.project))
    try:
        yield sender, console, world
    finally:
        console.stop()
        sender.close()
        world.stop()


def _measure_way(folder: Path, browser: RealBrowser, calls: int = 200) -> Line:
    """From the moment at which the agent has its answer until the row is in the page."""
    with _open_world(folder, "way") as (sender, console, _):
        sent: list[float] = []

        async def scenario(page: Page) -> dict[str, float]:
            await page.goto(f"{console.address}/timeline?quiet=1")
            await page.wait_for_selector("#live[data-state=on]")
            await page.evaluate(NOTE_ROWS)
            for number in range(calls):
                await asyncio.to_thread(sender.send, number)
                sent.append(time.time() * 1000)
                await asyncio.sleep(0.03)
            await page.wait_for_timeout(1000)
            return await page.evaluate("window.seen")

        seen = browser.run(console, scenario)
        assert isinstance(seen, dict)
        ways = sorted(max(0.0, seen.get(f"e{number + 2}", 1e9) - at) for number, at in enumerate(sent))
        return at_most(f"console, an event in the page, p95 of {calls}", ways[int(0.95 * len(ways))], SEEN, "ms")


def _measure_pages(folder: Path, browser: RealBrowser, events: int) -> Iterator[Line]:
    """First paints, and a step further back from somewhere in the middle."""
    with _open_world(folder, "long", events) as (_, console, _):

        async def scenario(page: Page) -> dict[str, float]:
            found = {}
            for path in PAGES:
                paints = []
                for _ in range(5):
                    await page.goto(console.address + path)
                    await page.wait_for_timeout(100)
                    paints.append(await page.evaluate(FIRST_PAINT))
                found[path] = sorted(paints)[2]
            return found

        painted = browser.run(console, scenario)
        assert isinstance(painted, dict)
        for path, millis in painted.items():
            yield at_most(f"console, first paint of {path} on {events:,} events", millis, PAINTED, "ms")
    with _open_world(folder, "paging", events) as (_, console, _):
        cookie = enter(console)
        for name, query in (("all", "quiet=1"), ("refusals", "show=denied"), ("one session", "quiet=1&session=")):
            times = sorted(
                _time_step(console, cookie, f"{query}&before={events - 1000 * step}") for step in range(1, 40)
            )
            yield at_most(f"console, one page further back ({name})", times[len(times) // 2], PAGED, "ms")


def _time_step(console: WebConsole, cookie: str, query: str) -> float:
    started = time.perf_counter()
    assert ask(console, f"/timeline/older?{query}", Cookie=cookie).status == 200
    return (time.perf_counter() - started) * 1000


def _measure_minute(folder: Path, browser: RealBrowser) -> Iterator[Line]:
    """What a minute of many events leaves behind in the server and in the page."""
    with _open_world(folder, "minute") as (sender, console, _):

        async def scenario(page: Page) -> tuple[float, float, float, float]:
            await page.goto(f"{console.address}/timeline?quiet=1")
            await page.wait_for_selector("#live[data-state=on]")
            await asyncio.to_thread(sender.send_for, 15.0)
            before = read_megabytes(console.process.pid), await _read_heap(page)
            await asyncio.to_thread(sender.send_for, float(A_MINUTE))
            after = read_megabytes(console.process.pid), await _read_heap(page)
            return (*before, *after)

        found = browser.run(console, scenario)
        assert isinstance(found, tuple)
        server, heap, server_after, heap_after = found
        name = f"console, {EVENTS_A_SECOND} events a second for a minute"
        yield at_most(f"{name}: the server grows ({server_after:.0f} MB)", server_after - server, GROWN_MEGABYTES, "MB")
        yield at_most(f"{name}: the page grows ({heap_after:.0f} MB)", heap_after - heap, GROWN_MEGABYTES, "MB")


def _measure_cost(folder: Path, browser: RealBrowser, rounds: int) -> Line:
    """The same call with three pages open and with none, in turn."""
    with _open_world(folder, "watched") as (_, console, world), _open_world(folder, "alone") as (_, _, other):

        async def scenario(page: Page) -> Any:
            pages = [page, *[await page.context.new_page() for _ in range(OPEN_PAGES - 1)]]
            for one, path in zip(pages, ("/timeline?quiet=1", "/", "/timeline"), strict=True):
                await one.goto(console.address + path)
            commands = [other.command(), world.command()]
            return await asyncio.to_thread(sample, compile_spawner(folder), commands, rounds)

        alone, watched = browser.run(console, scenario)  # type: ignore[misc]
        return added(f"dispatch with {OPEN_PAGES} pages open", alone, watched, 0.02)


def _measure_files() -> float:
    return sum(len(asset.packed) for asset in load_assets().values()) / 1000


async def _read_heap(page: Page) -> float:
    session = await page.context.new_cdp_session(page)
    await session.send("HeapProfiler.collectGarbage")
    found = await session.send("Runtime.getHeapUsage")
    return float(found["usedSize"]) / 1e6


def read_megabytes(pid: int) -> float:
    """What a process has in memory."""
    words = Path(f"/proc/{pid}/status").read_text().partition("VmRSS:")[2].split()
    return int(words[0]) / 1000
