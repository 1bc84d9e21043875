"""How long the verbs take that look into a long journal, their own start included."""

import sys
from pathlib import Path

import msgspec

from bench import load
from bench.history import lengthen
from bench.line import Line, at_most, timing
from bench.spawn import Command, Samples, compile_spawner, sample
from bench.startup import SHARE
from bench.world import World, build

VERBS = (
    "status",
    "tail",
    "tail --denied --since yesterday --until today",
    "tail --policy git.* --project project -n 50",
    "tail --since 1d",
    "tail --since 1d --project project",
    "tail --since 30d --json -n 1000",
    "tail --grep nobody-has-written-this",
    "tail --agent nobody",
    "sessions",
    "explain",
    "explain --last",
    "explain 5",
)
REPORTS = ("report --since 1d", "report --since 30d")
"""Every event is counted for these: a figure of their own."""
MOST_MILLIS, MOST_REPORT_MILLIS = 150, 2000
SECONDS_APART = 1.0
REFUSE_EVERY = 200


def measured(folder: Path, rounds: int, events: int) -> list[Line]:
    """Every verb on a journal of so many events, every two hundredth a refusal, with a daemon that runs."""
    world = build(folder / "look-back", "look-back")
    world.start()
    load.at_once(world, world.command().stdin.read_bytes(), 1)
    world.stop()
    lengthen(world.home, events, SECONDS_APART, REFUSE_EVERY)
    world.start()
    try:
        yardstick = _make_command(world, "/bin/true", ("/bin/true",), speaks=False)
        commands = [yardstick, *(_make_verb(world, verb) for verb in (*VERBS, *REPORTS))]
        true, *done = sample(compile_spawner(folder), commands, max(rounds // SHARE, 5))
    finally:
        world.stop()
    verbs, reports = done[: len(VERBS)], done[len(VERBS) :]
    limits = [_limit(some, most, events) for some, most in ((verbs, MOST_MILLIS), (reports, MOST_REPORT_MILLIS))]
    return [*(timing(one, true) for one in done), *limits]


def _limit(done: list[Samples], most: float, events: int) -> Line:
    slowest = max(done, key=lambda one: one.percentile(0.5))
    name = f"slowest on {events:,} events ({slowest.name})"
    return at_most(name, slowest.percentile(0.5), most, "ms")


def _make_verb(world: World, verb: str) -> Command:
    program = str(Path(sys.executable).with_name("synaptic"))
    # What finds nothing says so beside the answer.
    return _make_command(world, f"synaptic {verb}", (program, *verb.split()), speaks="nobody" not in verb)


def _make_command(world: World, name: str, argv: tuple[str, ...], speaks: bool = True) -> Command:
    return msgspec.structs.replace(world.command(), name=name, argv=argv, speaks=speaks)
