"""`python -m bench`: every promise about speed and size, measured in one run."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import msgspec

from bench import (
    checks,
    clients,
    console,
    daemon,
    gates,
    grants,
    guard,
    history,
    layers,
    load,
    look_back,
    outside,
    record,
    search,
    startup,
    table,
)
from bench.held import measure_held
from bench.line import Limit, Line, at_least, at_most, flat, skipped, timing
from bench.machine import describe
from bench.payload import line, outside_write
from bench.peers import Missing, peers
from bench.ship import measure_shipping
from bench.spawn import Command, Samples, compile_spawner, sample
from bench.world import World, build, declare, register, rule

DISPATCH = Limit(p50=1.6, p99=4)
PEER_STRIDE = 20
CROWD = 200


class Worlds(msgspec.Struct, frozen=True):
    """Every place that a measurement needs, each with its own daemon."""

    essentials: World
    strict: World
    few: World
    many: World
    files: World
    ruled: World
    full: World
    old: World

    def __iter__(self) -> Iterator[World]:
        worlds = (self.essentials, self.strict, self.few, self.many, self.files, self.ruled, self.full, self.old)
        return iter(worlds)


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="syn-bench-", dir=options.folder) as name:
        folder = Path(name)
        lines, machine = measure(folder, options), describe(folder)
    if options.json:
        print(table.as_json(lines, machine))
    else:
        table.show(lines, machine)
    if options.save:
        Path(options.save).write_text(table.markdown(lines, machine), encoding="utf-8")
    return int(options.check and any(line.met is False for line in lines))


def measure(folder: Path, options: argparse.Namespace) -> list[Line]:
    """All lines of the table, or of the parts that were asked for."""
    parts = options.only or PARTS
    return [line for name in PARTS if name in parts for line in PARTS[name](folder, options)]


def _dispatch(folder: Path, options: argparse.Namespace) -> list[Line]:
    with ExitStack() as stack:
        worlds = _worlds(folder, options.events)
        for world in worlds:
            stack.callback(world.stop)
            world.start()
            load.at_once(world, world.command().stdin.read_bytes(), 1)
        lines = _timings(folder, worlds, options.rounds)
        lines += _crowds(worlds, folder)
        lines += _daemon(worlds, options.calls)
        lines.append(_checks(worlds.essentials, options.calls))
        return lines


def _worlds(folder: Path, events: int) -> Worlds:
    worlds = Worlds(
        essentials=build(folder / "essentials", "dispatch, preset essentials"),
        strict=build(folder / "strict", "dispatch, preset strict", ("strict",)),
        few=register(build(folder / "few", "dispatch, 10 registered hooks"), 10),
        many=register(build(folder / "many", "dispatch, 1,000 registered hooks"), 1000),
        files=declare(build(folder / "files", "dispatch, 1,000 YAML hooks"), 1000),
        ruled=rule(build(folder / "ruled", "dispatch, 10 rules"), 10),
        full=rule(build(folder / "full", "dispatch, 1,000 rules"), 1000),
        old=build(folder / "old", f"dispatch, journal of {events:,} events"),
    )
    worlds.old.start()
    load.at_once(worlds.old, worlds.old.command().stdin.read_bytes(), 1)
    worlds.old.stop()
    history.lengthen(worlds.old.home, events)
    return worlds


def _timings(folder: Path, worlds: Worlds, rounds: int) -> list[Line]:
    ours = [world.command() for world in worlds]
    yardstick = msgspec.structs.replace(ours[0], name="/bin/true", argv=("/bin/true",))
    others = peers(ours[0], PEER_STRIDE)
    runnable = [peer for peer in others if isinstance(peer, Command)]
    true, *rest = sample(compile_spawner(folder), [yardstick, *ours, *runnable], rounds)
    essentials, _, few, many, files, ruled, full, old = rest[: len(ours)]
    return [
        timing(true, true),
        *(timing(samples, true, DISPATCH) for samples in rest[: len(ours)]),
        flat("1,000 registered hooks against 10", few, many),
        flat("1,000 YAML hooks against 10 registered", few, files),
        flat("1,000 rules against 10", ruled, full),
        flat("a long journal against an empty one", essentials, old),
        *_peer_lines(others, true, rest[len(ours) :]),
    ]


def _peer_lines(others: list[Command | Missing], true: Samples, measured: list[Samples]) -> Iterator[Line]:
    samples = iter(measured)
    for peer in others:
        yield skipped(peer.name, peer.why) if isinstance(peer, Missing) else timing(next(samples), true)


def _crowds(worlds: Worlds, folder: Path) -> list[Line]:
    """Every answer of a crowd must be the deny that the call deserves, with a daemon and without one."""
    cold = build(folder / "cold", "cold", ("strict",))
    try:
        return [_crowd(worlds.strict, "daemon running"), _crowd(cold, "no daemon yet")]
    finally:
        cold.stop()


def _crowd(world: World, state: str) -> Line:
    answers = load.at_once(world, line(outside_write(world.project)), CROWD)
    errors = sum(b'"deny"' not in answer for answer in answers)
    return at_most(f"{CROWD} dispatches at once, {state}", errors, 0, "errors")


def _daemon(worlds: Worlds, calls: int) -> list[Line]:
    return [
        _rate(worlds.essentials, "essentials", calls, least=3000),
        _rate(worlds.strict, "strict", calls),
        at_most("daemon memory, largest", max(daemon.megabytes(world) for world in worlds), 120, "MB"),
        at_most("daemon start until ready", daemon.seconds_to_ready(worlds.essentials), 0.5, "s"),
    ]


def _rate(world: World, preset: str, calls: int, least: float | None = None) -> Line:
    rate = load.rate(world, daemon.pid(world), calls)
    name = f"decisions through the socket, one core, {preset} ({rate.micros:.0f} µs each)"
    return at_least(name, 0 if rate.wrong else rate.per_second, least)


def _checks(world: World, calls: int) -> Line:
    rate, unanswered = checks.per_second(world, calls)
    return at_least("check --policies-only --jsonl, start included", 0 if unanswered else rate, 5000)


def _layers(folder: Path, options: argparse.Namespace) -> list[Line]:
    return layers.measured(folder, options.rounds)


def _adapters(folder: Path, options: argparse.Namespace) -> list[Line]:
    return list(clients.adapters())


def _clients(folder: Path, options: argparse.Namespace) -> list[Line]:
    return list(clients.sessions())


def _gates(folder: Path, options: argparse.Namespace) -> list[Line]:
    return gates.measured(folder, options.rounds)


def _grants(folder: Path, options: argparse.Namespace) -> list[Line]:
    return grants.measured(folder, options.rounds)


def _search(folder: Path, options: argparse.Namespace) -> list[Line]:
    return search.measured(folder, options.events)


def _guard(folder: Path, options: argparse.Namespace) -> list[Line]:
    return guard.measured(options.rounds)


def _startup(folder: Path, options: argparse.Namespace) -> list[Line]:
    return startup.measured(folder, options.rounds)


def _look_back(folder: Path, options: argparse.Namespace) -> list[Line]:
    return look_back.measured(folder, options.rounds, options.events)


def _outside(folder: Path, options: argparse.Namespace) -> list[Line]:
    return outside.measured(folder, options.rounds)


PARTS: Mapping[str, Callable[[Path, argparse.Namespace], list[Line]]] = {
    "dispatch": _dispatch,
    "layers": _layers,
    "gates": _gates,
    "grants": _grants,
    "search": _search,
    "held": lambda folder, options: measure_held(folder),
    "guard": _guard,
    "outside": _outside,
    "startup": _startup,
    "look-back": _look_back,
    "record": lambda folder, options: record.measured(folder, options.rounds),
    "ship": lambda folder, options: measure_shipping(folder, options.rounds),
    "console": lambda folder, options: console.measured(folder, options.rounds, options.events),
    "adapters": _adapters,
    "clients": _clients,
}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", action="append", choices=tuple(PARTS), help="this part; may be given again")
    parser.add_argument("--rounds", type=int, default=2000, help="runs of each command; peers get one in 20")
    parser.add_argument("--events", type=int, default=1_000_000, help="length of the long journal")
    parser.add_argument("--calls", type=int, default=5_000, help="calls for each rate")
    parser.add_argument("--folder", default=None, help="where homes and journals are built; must be on a disk")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--save", metavar="FILE", help="also write the table as Markdown")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a target is missed")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
