"""What a policy from outside adds to one PreToolUse: in the engine, and to the call as an agent waits for it."""

import asyncio
import statistics
import time
from pathlib import Path

from bench.line import Line, added, at_most
from bench.payload import event, line
from bench.spawn import compile_spawner, sample
from bench.world import World, build
from synaptic.daemon.client import new_call_id
from synaptic.engine.walk import Engine, open_engine
from synaptic.model.call import Request

MILLIS = 0.5
"""What is promised for one policy in a warm worker, at the median."""
SHARE = 0.5
"""Of the whole call with the dispatcher."""
QUIET = '''
from synaptic.sdk import *

class Seen(State):
    scope = "session"
    count: int = 0

class Quiet(Policy):
    """Reads its command, its state and a fact, and says nothing."""
    id = "bench.quiet"
    events = (PreToolUse,)
    needs = ("git",)
    remembers = (Seen,)
    most: int = 3

    def check(self, event, facts):
        busy = facts.recall(Seen).count > self.most and facts.git.branch
        return deny("no") if busy or (facts.command and "deploy" in facts.command.programs) else None
'''
Pair = tuple[Engine, World]


def measured(folder: Path, rounds: int) -> list[Line]:
    """With one policy against without it, in the daemon's process and through the dispatcher."""
    plain, with_one = build(folder / "plain", "without policies from outside"), build(folder / "own", "with one")
    policies = with_one.home.root / "policies"
    policies.mkdir()
    (policies / "bench_quiet.py").write_text(QUIET)
    millis = asyncio.run(_measure_engines(plain, with_one, rounds))
    try:
        for world in (plain, with_one):
            world.start()
        sample(compile_spawner(folder), [plain.command(), with_one.command()], 5)  # the worker is warm now
        without, with_it = sample(compile_spawner(folder), [plain.command(), with_one.command()], rounds)
    finally:
        for world in (plain, with_one):
            world.stop()
    return [
        at_most("a policy from outside, in the engine", millis, MILLIS, "ms"),
        added("a policy from outside on PreToolUse", without, with_it, SHARE),
    ]


async def _measure_engines(plain: World, with_one: World, rounds: int) -> float:
    """The difference of two medians, in milliseconds: calls of both in turn, so that what disturbs disturbs both."""
    pairs = [(open_engine(world.home), world) for world in (plain, with_one)]
    times: list[list[float]] = [[], []]
    try:
        for number in range(rounds + 20):
            for kept, pair in zip(times, pairs, strict=True):
                spent = await _time_call(pair)
                kept += [spent] if number >= 20 else []
    finally:
        for engine, _ in pairs:
            await engine.close()
    return (statistics.median(times[1]) - statistics.median(times[0])) * 1000


async def _time_call(pair: Pair) -> float:
    engine, world = pair
    env = {"HOME": str(world.folder), **world.env}
    request = Request("claude", "PreToolUse", line(event(world.project)), new_call_id(), env=env)
    started = time.perf_counter()
    await engine.answer(request)
    return time.perf_counter() - started
