"""How fast past events are decided again, and in how much memory: `python -m bench.replay [EVENTS]`.

Generated sessions under two presets; then a journal of real calls, and the same with one of them repeated in bulk: the
memory of both must be about the same.
"""

import asyncio
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.engine.sessions import GeneratedSessions, Place, make_repository

from bench import history
from bench.world import build
from synaptic.engine.past_catalog import CatalogChange
from synaptic.engine.walk import open_engine
from synaptic.model.call import Request
from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.work.replay import ReplayScope, ReplaySummary, replay_journal

COMMANDS = (
    "ls -la", "git status", "npm test", "git diff", "pytest -q tests", "cat a.txt | grep b", "python x.py > out.txt",
    "git push --force origin main", "rm -rf build", "git reset --hard",
)  # fmt: skip
SHORT, LONG = 5_000, 100_000
PRESETS = ("essentials", "strict")
SEED, ODD, TRIES = 5, 0.1, 5
"""Which sessions are generated, the share of odd calls in them, and how often each journal is decided anew."""
EVER = ReplayScope(since=0.0, until=1e12)
CHANGES = {
    "nothing changed": CatalogChange(),
    "a policy off": CatalogChange(disable=("git.force-push",)),
    "a preset on": CatalogChange(enable=("@practice",)),
}


def make_payloads(folder: Path, count: int) -> Iterator[dict[str, object]]:
    """Calls as a session has them: most commands come again, a third is another one each time."""
    for number in range(count):
        command = COMMANDS[number % 10] if number % 3 else f"sed -n {number},{number + 40}p src/file{number % 97}.py"
        event = "PostToolUse" if number % 5 == 0 else "PreToolUse"
        call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"t{number}"}
        if event == "PostToolUse":
            call["tool_response"] = {"stdout": "x" * (number * 37 % 3000)}
        yield {"hook_event_name": event, "session_id": f"s{number // 100}", "cwd": str(folder), **call}


async def fill_journal(home: Home, folder: Path, count: int) -> None:
    """Through a real engine."""
    engine = open_engine(home)
    for number, payload in enumerate(make_payloads(folder, count)):
        stdin, env = json.dumps(payload).encode(), {"HOME": str(home.root.parent)}
        event = str(payload["hook_event_name"])
        await engine.answer(Request(agent="claude", event=event, stdin=stdin, id=f"r{number:031x}", env=env))
    await engine.close()


async def play_sessions(home: Home, place: Place, count: int) -> None:
    """Generated sessions through a real engine, as its agent hears it."""
    engine = open_engine(home)
    sends = GeneratedSessions(place, SEED, ODD).play()
    request = next(sends)
    for _ in range(count):
        request = sends.send(await engine.answer(request))
    await engine.close()


def measure_sessions(folder: Path, preset: str, count: int) -> str:
    """The best of some tries: what disturbs a machine only ever makes it slower."""
    world = build(folder / preset, preset, (preset,))
    make_repository(world.project)
    asyncio.run(play_sessions(world.home, Place(world.project, world.folder), count))
    tries = [measure(world.home, CatalogChange()) for _ in range(TRIES)]
    summary, rates = tries[0][0], [rate for _, rate in tries]
    told = f"{preset}, {summary.events:,} generated events: {max(rates):,.0f} a second (slowest try {min(rates):,.0f})"
    return f"{told}, {summary.exact} exact, {summary.flips} flips, {read_memory()} MB"


def measure(home: Home, change: CatalogChange) -> tuple[ReplaySummary, float]:
    """What a replay finds, and how many events it decides in a second of one core."""
    store = Store.open(home)
    try:
        started = time.process_time()
        summary = replay_journal(store, EVER, change)
        return summary, summary.events / (time.process_time() - started)
    finally:
        store.close()


def read_memory() -> int:
    """The most that this process has ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    long = int(sys.argv[1]) if len(sys.argv) > 1 else LONG
    with tempfile.TemporaryDirectory() as folder:
        for preset in PRESETS:
            print(measure_sessions(Path(folder), preset, SHORT))
        home, project = Home(Path(folder) / ".synaptic"), Path(folder) / "project"
        (project / ".git").mkdir(parents=True)
        asyncio.run(fill_journal(home, project, SHORT))
        for name, change in CHANGES.items():
            summary, rate = measure(home, change)
            print(
                f"{name}: {rate:,.0f} events a second, {summary.exact} exact, {summary.flips} flips, {read_memory()} MB"
            )
        history.lengthen(home, long)
        summary, rate = measure(home, CatalogChange())
        print(f"{summary.events:,} events: {rate:,.0f} a second, {summary.flips} flips, {read_memory()} MB")


if __name__ == "__main__":
    main()
