"""How long `synaptic search` takes on a long journal, its start included, once the index has caught up."""

import statistics
import subprocess  # noqa: TID251  the bench starts what it measures
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench import history, load
from bench.line import Line, at_most
from bench.world import World, build
from synaptic.store.db import Store
from synaptic.store.history_index import use_index

INDEXING_SECONDS = 600.0
MOST_MILLIS = 150
RUNS = 9
SEARCHES = (
    ("bash",),
    ("git", "status", "short"),
    ("git", "zanzibar"),
    ("status", "kubernetes"),
    ("git status",),
    ("status git",),
    ("nobody-has-written-this",),
    ("git", "nobodyhaswrittenthis"),
    ("gi*", "stat*"),
    ("a*",),
    ("git", "--project", "project-3"),
    ("git", "--project", "attic"),
    ("git", "--denied"),
    ("git", "kubernetes", "--denied"),
    ("git", "--since", "1d"),
    ("git", "--since", "30d"),
    ("git", "--policy", "paths.*"),
    ("git", "--session", "session-7"),
    ("git", "--agent", "nobody"),
    ("git", "--grep", "nobody-has-written-this"),
)
"""Words of every event, of one in a thousand, of five in all, and of none; each also with `--best`."""
EVERYTHING = ("git", "--project", "nowhere", "--since", "30d")
"""Every hit of a million is compared with the filter, as was asked for: a figure of its own."""
MOST_EVERYTHING_MILLIS = 2000
SECONDS_APART = 1.0
REFUSE_EVERY = 200


def measured(folder: Path, events: int) -> list[Line]:
    """Words of many and of few events, newest and best first, with filters and without."""
    world = build(folder / "search", "search")
    world.start()
    load.at_once(world, world.command().stdin.read_bytes(), 1)
    world.stop()
    history.lengthen(world.home, events, SECONDS_APART, REFUSE_EVERY, varied=True)
    store = Store.open(world.home)
    use_index(world.home, lambda index: index.catch_up(store, INDEXING_SECONDS))
    store.close()
    forms = [(*form, *best) for best in ((), ("--best",)) for form in SEARCHES]
    times = {_name(form): _measure(world, form) for form in forms}
    slowest = max(times, key=lambda form: times[form])
    lines = [Line(name=form, measured=f"{took:.1f} ms") for form, took in times.items()]
    every = at_most(_name(EVERYTHING), _measure(world, EVERYTHING), MOST_EVERYTHING_MILLIS, "ms")
    return [*lines, at_most(f"slowest in {events:,} events: {slowest}", times[slowest], MOST_MILLIS, "ms"), every]


def _name(form: Sequence[str]) -> str:
    return f"search {' '.join(repr(word) if ' ' in word else word for word in form)}"


def _measure(world: World, form: Sequence[str]) -> float:
    command = [str(Path(sys.executable).with_name("synaptic")), "search", *form]
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        done = subprocess.run(command, env=world.env, cwd=world.project, capture_output=True, check=True)
        times.append((time.perf_counter() - start) * 1000)
        assert done.stdout, done.stderr
    return statistics.median(times)
