"""What it costs to keep what decisions rest on and what became of each call: time of an event, and size of the journal.

The same sessions are played twice, by an engine that keeps both and by one that keeps neither.
"""

import asyncio
import os
import sqlite3  # noqa: TID251 - the size of a table
import statistics
import subprocess  # noqa: TID251  the bench starts what it measures
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path

import msgspec
from tests.engine.sessions import GeneratedSessions, Place, iter_sent, make_repository

from bench.line import Line, at_most
from bench.spawn import Command, Samples, compile_spawner, sample
from bench.unrecorded import without_record
from bench.world import World, build
from synaptic.daemon import lifecycle
from synaptic.engine.walk import open_engine

SEED = 5
ODD = 0.1
"""Of the calls, those out of the corpora."""
KINDS = 32
"""Different events that are sent in turn."""
SHARE = 20
"""Each of them in one of so many rounds."""
EVENTS = 5_000
"""Of a journal whose size is compared."""
PRESETS = ("essentials", "strict")
MOST_TIME, MOST_SIZE = 3.0, 15.0
"""Percent."""


def measured(folder: Path, rounds: int) -> list[Line]:
    """Two lines a preset: how much longer the median takes, and how much larger the journal is."""
    spawner = compile_spawner(folder)
    return [line for preset in PRESETS for line in (_time(folder, spawner, preset, rounds), _size(folder, preset))]


def _time(folder: Path, spawner: Path, preset: str, rounds: int) -> Line:
    with ExitStack() as stack:
        worlds = [_start(stack, folder / f"{preset}-{words}", preset, words) for words in ("unkept", "record")]
        commands = [list(_make_commands(world)) for world in worlds]
        in_turn = [command for pair in zip(*commands, strict=True) for command in pair]
        samples = sample(spawner, in_turn, max(rounds // SHARE, 5))
    plain, kept = (_find_median(samples[half::2]) for half in (0, 1))
    name = f"record and witness on a call, {preset} ({plain:.3f} ms without)"
    return _compare(name, kept / plain, MOST_TIME)


def _find_median(samples: Sequence[Samples]) -> float:
    """Of all runs of all kinds of events."""
    return statistics.median(millis for one in samples for millis in one.millis)


def _compare(name: str, ratio: float, most: float) -> Line:
    line = at_most(name, 100 * (ratio - 1), most, "% more")
    return msgspec.structs.replace(line, measured=f"{100 * (ratio - 1):+.1f} %", target=f"at most {most:g} % more")


def _start(stack: ExitStack, folder: Path, preset: str, words: str) -> World:
    world = build(folder, words, (preset,))
    make_repository(world.project)
    options = ("--recorded",) if words == "record" else ()
    command = (sys.executable, "-m", "bench.unrecorded", str(world.home.root), *options)
    daemon = subprocess.Popen(command, env={**os.environ, "HOME": str(world.folder)}, stderr=subprocess.DEVNULL)
    stack.callback(daemon.wait)
    stack.callback(world.stop)
    if not lifecycle.wait_ready(world.home, 20):
        raise SystemExit("the daemon that is measured does not start")
    return world


def _make_commands(world: World) -> Iterator[Command]:
    """The events of a session, each as a program that sends it."""
    sends = GeneratedSessions(Place(world.project, world.folder), SEED, odd=0.0).play()
    for number, request in enumerate(iter_sent(sends, KINDS)):
        stdin = world.folder / f"event-{number}.json"
        stdin.write_bytes(request.stdin)
        argv = (str(world.home.dispatch), request.event)
        yield msgspec.structs.replace(world.command(), name=f"{world.name} {number}", argv=argv, stdin=stdin)


def _size(folder: Path, preset: str) -> Line:
    plain, kept = (_fill(folder / f"{preset}-{name}", preset, name == "kept") for name in ("bare", "kept"))
    name = f"record and witness in the journal, {preset} ({plain / EVENTS:,.0f} bytes an event without)"
    return _compare(name, kept / plain, MOST_SIZE)


def _fill(folder: Path, preset: str, is_kept: bool) -> int:
    """The bytes of a journal of so many events."""
    world = build(folder, "journal", (preset,))
    make_repository(world.project)
    with nullcontext() if is_kept else without_record():
        asyncio.run(_play(world))
    connection = sqlite3.connect(world.home.database)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return world.home.database.stat().st_size
    finally:
        connection.close()


async def _play(world: World) -> None:
    engine = open_engine(world.home)
    sends = GeneratedSessions(Place(world.project, world.folder), SEED, ODD).play()
    request = next(sends)
    for _ in range(EVENTS):
        request = sends.send(await engine.answer(request))
    await engine.close()
