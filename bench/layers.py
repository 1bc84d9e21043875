"""What the state layers add to a call: an effort, an open session, and a transcript that grows all the while."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.line import Line, added, flat
from bench.payload import SESSION
from bench.spawn import compile_spawner, sample
from bench.world import World, build
from synaptic.model.layers import OpenSession
from synaptic.store import layers
from synaptic.store.db import Connection, Store

SHARE = 0.15
LARGE = 200 * 1024 * 1024
PAUSE = 0.002
NEVER = 10**9


def measured(folder: Path, rounds: int) -> list[Line]:
    """With the layers against without them, and a long transcript against a short one."""
    bare = begun(build(folder / "bare", "without layers"), 0)
    short = begun(build(folder / "short", "with layers", ("essentials", "fleet")), 0)
    long = begun(build(folder / "long", "with layers, transcript of 200 MB", ("essentials", "fleet")), LARGE)
    worlds = (bare, short, long)
    try:
        for world in worlds:
            world.start()
        with growing([transcript(world) for world in worlds]):
            alone, small, large = sample(compile_spawner(folder), [world.command() for world in worlds], rounds)
    finally:
        for world in worlds:
            world.stop()
    return [
        added("the state layers on PreToolUse", alone, small, SHARE),
        flat("a transcript of 200 MB against a short one", small, large),
    ]


def begun(world: World, size: int) -> World:
    """An effort on which somebody works: its window is open, and nothing of it will be stopped."""
    file = transcript(world)
    file.parent.mkdir(parents=True)
    with file.open("wb") as out:
        out.truncate(size)
        out.write(b"\n")
    store = Store.open(world.home)
    try:
        effort = store.write(lambda connection: _effort(connection, str(world.project)))
        layers.write_layer_effects(store, (OpenSession(effort=effort, host=SESSION),), time.time())
    finally:
        store.close()
    return world


def transcript(world: World) -> Path:
    return world.project / ".claude" / "projects" / f"{SESSION}.jsonl"


@contextmanager
def growing(files: list[Path]) -> Iterator[None]:
    """Turns are added to the transcripts, more often than any agent speaks."""
    over = threading.Event()

    def grow() -> None:
        while not over.wait(PAUSE):
            for file in files:
                with file.open("ab") as out:
                    out.write(_turn())

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()


def _turn() -> bytes:
    usage = {"input_tokens": 12, "cache_read_input_tokens": 48_000, "output_tokens": 300}
    content = [{"type": "text", "text": "Now the next step. " * 60}]
    message = {"role": "assistant", "model": "claude-opus-5-5", "content": content, "usage": usage}
    return json.dumps({"type": "assistant", "message": message}).encode() + b"\n"


def _effort(connection: Connection, root: str) -> int:
    now = time.time()
    connection.execute("INSERT INTO projects (path, created_at) VALUES (?, ?)", (root, now))
    task = (f"{root}/.tasks/bench", now)
    connection.execute("INSERT INTO tasks (dir_path, project_id, created_at) VALUES (?, 1, ?)", task)
    sql = "INSERT INTO efforts (task_id, skill, ordinal, metadata, created_at) VALUES (?, 'implement', 1, ?, ?)"
    values = (task[0], json.dumps({"blockAfter": NEVER}), now)
    return int(connection.execute(sql, values).lastrowid or 0)
