"""What it costs to keep what decisions rest on and what became of each call: time of an event, and size of the journal.

The same sessions are played twice, by an engine that keeps both and by one that keeps neither.
"""

import asyncio
import os
import sqlite3  # noqa: TID251 - the size of a table
import subprocess  # noqa: TID251  the bench starts what it measures
import sys
from contextlib import ExitStack, nullcontext
from pathlib import Path

import msgspec
from tests.engine.sessions import GeneratedSessions, Place, make_repository

from bench.line import Line, at_most
from bench.spawn import compile_spawner, sample
from bench.unrecorded import without_record
from bench.world import World, build
from synaptic.daemon import lifecycle
from synaptic.engine.walk import open_engine

SEED = 5
ODD = 0.1
"""Of the calls, those out of the corpora."""
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
        commands = [msgspec.structs.replace(world.command(), name=world.name) for world in worlds]
        unkept, record = sample(spawner, commands, rounds)
    plain, kept = unkept.percentile(0.5), record.percentile(0.5)
    name = f"record and witness on a call, {preset} ({plain:.3f} ms without)"
    return _compare(name, kept / plain, MOST_TIME)


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
