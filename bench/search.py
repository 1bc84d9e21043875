"""How long `synaptic search` takes on a long journal, its start included, once the index has caught up."""

import statistics
import subprocess  # noqa: TID251  the bench starts what it measures
import sys
import time
from pathlib import Path

from bench import history, load
from bench.line import Line, at_most
from bench.world import World, build
from synaptic.store.db import Store
from synaptic.store.history_index import use_index

INDEXING_SECONDS = 600.0
MOST_MILLIS = 150
RUNS = 9
SEARCHES = (("bash",), ("bash", "--best"), ("git", "status", "short", "--best"))


def measured(folder: Path, events: int) -> list[Line]:
    """The newest hits, and the best ones, of words that every event has."""
    world = build(folder / "search", "search")
    world.start()
    load.at_once(world, world.command().stdin.read_bytes(), 1)
    world.stop()
    history.lengthen(world.home, events)
    store = Store.open(world.home)
    use_index(world.home, lambda index: index.catch_up(store, INDEXING_SECONDS))
    store.close()
    return [_measure(world, events, *words) for words in SEARCHES]


def _measure(world: World, events: int, *words: str) -> Line:
    command = [str(Path(sys.executable).with_name("synaptic")), "search", *words]
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        done = subprocess.run(command, env=world.env, cwd=world.project, capture_output=True, check=True)
        times.append((time.perf_counter() - start) * 1000)
        assert done.stdout.count(b"\n") >= RUNS, done.stdout
    name = f"search {' '.join(words)} in {events:,} events"
    return at_most(name, statistics.median(times), MOST_MILLIS, "ms")
