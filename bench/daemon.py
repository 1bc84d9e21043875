"""What the daemon itself costs: memory, and time until it answers."""

import statistics
import time
from pathlib import Path

from bench.world import World
from synaptic.daemon import lifecycle


def pid(world: World) -> int:
    """The running daemon of a world."""
    found = lifecycle.read_status(world.home).pid
    if not found:
        raise RuntimeError(f"the daemon of {world.name!r} is not running: see {world.home.log}")
    return found


def megabytes(world: World) -> float:
    """Resident memory, in MB."""
    lines = Path(f"/proc/{pid(world)}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def seconds_to_ready(world: World, times: int = 5) -> float:
    """The median time from a start until the socket answers."""
    return statistics.median(_start(world) for _ in range(times))


def _start(world: World) -> float:
    world.stop()
    begin = time.perf_counter()
    world.start()
    return time.perf_counter() - begin
