"""What a hub that is away costs a machine that has joined it: each call, the daemon's processor, the shipper's."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import msgspec

from bench import daemon
from bench.hub_switch import HubSwitch
from bench.line import Line
from bench.paired import Group, Interval, Way, find_interval, iter_orders, judge
from bench.spawn import Command, compile_spawner, sample
from bench.world import World

MOST_ADDED = 0.01
CALLS = 50
"""Of one block: about a tenth of a second."""
MEASURES = ("p50 of a call", "processor time of the daemon per call", "mean of a call")
PROMISED = MEASURES[:2]


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """So many calls one after another."""

    calls: int
    p50: float
    """Milliseconds."""
    daemon: float
    """Milliseconds of a processor that the daemon used for one call."""
    mean: float
    seconds: float
    shipper: float
    """Milliseconds of a processor, all together."""

    @property
    def figures(self) -> tuple[float, ...]:
        """In the order of MEASURES."""
        return (self.p50, self.daemon, self.mean)


class CostFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One measure, compared."""

    name: str
    alone: float
    """Milliseconds, without a hub."""
    more: Interval
    """With a hub that is away."""
    same: Interval
    """Without a hub both times: what the measure can tell at all."""
    is_promised: bool

    @property
    def met(self) -> bool | None:
        return judge(self.more, self.same, MOST_ADDED) if self.is_promised else None

    def make_line(self) -> Line:
        values = {"alone": self.alone, "change": self.more.middle, "low": self.more.low, "high": self.more.high}
        return Line(
            name=f"{self.name} while the hub is away ({self.alone:.3f} ms without one)",
            measured=f"{self.more}; without one both times {self.same}",
            target=f"surely at most {MOST_ADDED:.0%} more" if self.is_promised else "",
            met=self.met,
            values={**values, "same_low": self.same.low, "same_high": self.same.high},
        )


class HubCost(msgspec.Struct, frozen=True):
    """Groups of blocks of both ways, and beside them groups whose blocks are all without a hub."""

    away: tuple[tuple[Block, ...], ...]
    orders: tuple[tuple[Way, ...], ...]
    same: tuple[tuple[Block, ...], ...]

    @property
    def calls(self) -> int:
        return sum(block.calls for groups in (self.away, self.same) for blocks in groups for block in blocks)

    @property
    def figures(self) -> tuple[CostFigure, ...]:
        return tuple(self._compare(place) for place in range(len(MEASURES)))

    @property
    def shipper(self) -> float:
        """Milliseconds of a processor in a minute in which it may run."""
        pairs = zip(self.away, self.orders, strict=True)
        found = [one for blocks, order in pairs for one, way in zip(blocks, order, strict=True) if way == "B"]
        return sum(one.shipper for one in found) / sum(one.seconds for one in found) * 60

    def list_lines(self) -> list[Line]:
        """For the table of `make bench`."""
        name, spent = "processor time of a shipper whose hub is away, in a minute", self.shipper
        shipper = Line(name=name, measured=f"{spent:.0f} ms", values={"milliseconds": spent})
        return [*(figure.make_line() for figure in self.figures), shipper]

    def _compare(self, place: int) -> CostFigure:
        alone = median(block.figures[place] for blocks in self.same for block in blocks)
        more, same = (find_interval(self._make_groups(groups, place)) for groups in (self.away, self.same))
        return CostFigure(
            name=MEASURES[place], alone=alone, more=more, same=same, is_promised=MEASURES[place] in PROMISED
        )

    def _make_groups(self, groups: tuple[tuple[Block, ...], ...], place: int) -> list[Group]:
        figures = ([block.figures[place] for block in blocks] for blocks in groups)
        return [Group.of(values, order) for values, order in zip(figures, self.orders, strict=True)]


class CostMeter:
    """One home, joined, with a daemon and a shipper that finds no hub."""

    def __init__(self, world: World, folder: Path) -> None:
        self._command: Command = world.command()
        self._world, self._spawner = world, compile_spawner(folder)
        self._daemon = daemon.pid(world)

    def measure(self, groups: int, calls: int = CALLS, tell: Callable[[str], None] = str) -> HubCost:
        """By turns a group of both ways and one of the same way only."""
        away, same, orders = [], [], tuple(iter_orders(groups))
        with HubSwitch(self._world) as switch:
            for number, order in enumerate(orders):
                away.append(tuple(self._run_block(switch, way, calls) for way in order))
                same.append(tuple(self._run_block(switch, "A", calls) for _ in order))
                if number % 10 == 0:
                    tell(f"{number} of {groups} groups")
        return HubCost(tuple(away), orders, tuple(same))

    def _run_block(self, switch: HubSwitch, way: Way, calls: int) -> Block:
        switch.turn(way)
        began, before, shipped = time.perf_counter(), read_processor(self._daemon), read_processor(switch.pid)
        (found,) = sample(self._spawner, [self._command], calls, warm_up=0)
        seconds, spent = time.perf_counter() - began, read_processor(self._daemon) - before
        if found.errors:
            raise RuntimeError(f"{found.errors} of {calls} calls went wrong")
        mean = sum(found.millis) / calls
        shipper = read_processor(switch.pid) - shipped
        return Block(
            calls=calls, p50=median(found.millis), daemon=spent / calls, mean=mean, seconds=seconds, shipper=shipper
        )  # fmt: skip


def read_processor(pid: int) -> float:
    """Milliseconds of a processor that a process has used: its own clock, with threads that have ended."""
    return time.clock_gettime_ns(~pid << 3 | 2) / 1e6  # `clock_getcpuclockid`, which Python does not have
