"""`python -m bench.hub_away`: events while the hub is away. What is decided, how fast, and what arrives later.

Two homes get the same events in turn: one has joined no hub, the other one that does not answer.
"""

import argparse
import subprocess  # noqa: TID251  the bench starts what it measures
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import msgspec
import psycopg
from tests.hub.chaos.homes import join_hub
from tests.hub.chaos.hub_process import HubProcess, make_database

from bench import machine
from bench.line import Line, added
from bench.payload import event, line
from bench.redaction import list_commands
from bench.spawn import Samples, compile_spawner, sample
from bench.world import World, build
from synaptic.daemon.shipper import is_shipping
from synaptic.hub.place import HubPlace
from synaptic.hub.server.throwaway import ThrowawayPostgres
from synaptic.store import journal
from synaptic.store.reader import JournalReader

HOUR = 375
"""Events of a developer's hour: 3,000 in a day of eight, which is an estimate."""
MOST_ADDED = 0.01
PATIENCE = 180.0
SAVED = """\
# An hour without the hub

Written by `make hub-away`. Two homes with a daemon each get the same {events:,} events, real commands, through the
dispatcher in turn: one has joined no hub; the other has joined one that was killed before the first event, so that its
shipper tries again and again all the time. {events:,} events are what a developer has in about {hours:.0f} hours.
Two daemons that do the same differ by some percent from run to run; `make bench` compares two of each kind.

| | |
| --- | --- |
{rows}

{machine}
"""


class AwayFindings(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it."""

    events: int
    differences: list[str]
    waiting: int
    """Events that were at no hub before it came back."""
    arrived: int
    written: int
    seconds: float
    """From the start of the hub until it had everything."""
    is_equal: bool
    """Whether what arrived are the journal's calls in the journal's order."""
    timing: Line | None = None


class AwayRun:
    """Two homes, and a hub that comes back."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._folder = folder
        server = stack.enter_context(ThrowawayPostgres())
        self._hub = HubProcess(make_database(server), folder)
        stack.callback(self._hub.kill)
        self.alone, self.joined = (build(folder / name, name) for name in ("alone", "joined"))
        self._hub.start()
        self._hub.wait_until_well()
        self.host = join_hub(self.joined.home, self._hub.database, self._hub.url, "joined").host
        self._hub.kill()
        for world in (self.alone, self.joined):
            stack.callback(world.stop)
            world.start()
        stack.callback(HubPlace.of(self.joined.home).membership.unlink)  # before the daemon ends: its shipper ends, too
        wait_for(lambda: is_shipping(self.joined.home), "the daemon starts the shipper")

    def run(self, events: int, rounds: int) -> AwayFindings:
        commands = list_commands()
        for number in range(events):
            for world in (self.alone, self.joined):
                send(world, commands[number * 7 % len(commands)])
            if number % 200 == 0:
                tell(f"{number} of {events} events in both")
        decided = [list_decisions(world) for world in (self.alone, self.joined)]
        timing = self._time(rounds) if rounds else None
        waiting = count_events(self.joined) - self._count_arrived()
        tell(f"the hub comes back; {waiting} events wait")
        began = time.monotonic()
        self._hub.start()
        self._hub.wait_until_well()
        wait_for(lambda: self._count_arrived() >= count_events(self.joined), "everything arrives")
        seconds = time.monotonic() - began
        arrived, calls = self._list_arrived(), [call for call, _ in list_calls(self.joined)]
        return AwayFindings(
            events=events, differences=compare(*decided), waiting=waiting, arrived=len(arrived),
            written=len(calls), seconds=seconds, is_equal=arrived == calls, timing=timing,
        )  # fmt: skip

    def _time(self, rounds: int) -> Line:
        """Half of the rounds begin with one home, half with the other: who comes second finds a warmer machine."""
        commands, spawner = [world.command() for world in (self.alone, self.joined)], compile_spawner(self._folder)
        alone, joined = sample(spawner, commands, rounds // 2)
        joined_again, alone_again = sample(spawner, commands[::-1], rounds - rounds // 2)
        alone, joined = merge(alone, alone_again), merge(joined, joined_again)
        return added(describe_times(alone, joined), alone, joined, MOST_ADDED)

    def _count_arrived(self) -> int:
        return len(self._list_arrived())

    def _list_arrived(self) -> list[str]:
        with psycopg.connect(self._hub.database) as connection:
            return [call for (call,) in connection.execute("SELECT call FROM events ORDER BY seq").fetchall()]


def merge(one: Samples, other: Samples) -> Samples:
    return Samples(one.name, tuple(sorted(one.millis + other.millis)), one.errors + other.errors)


def describe_times(alone: Samples, joined: Samples) -> str:
    return (
        f"p50 of a call: {alone.percentile(0.5):.3f} ms alone, {joined.percentile(0.5):.3f} ms with a hub that is away"
    )


def send(world: World, command: str) -> None:
    stdin = line({**event(world.project, command), "tool_use_id": ""})
    subprocess.run(
        [str(world.home.dispatch), "PreToolUse"], input=stdin, env=world.env, capture_output=True, timeout=60
    )


def list_calls(world: World) -> list[tuple[str, object]]:
    with closing(JournalReader.open(world.home)) as reader:
        return [(one.call, one) for one in journal.read_entries_after(reader, 0, 10_000_000)]


def count_events(world: World) -> int:
    return len(list_calls(world))


def list_decisions(world: World) -> list[tuple[object, ...]]:
    """What was decided, without what differs between two homes: calls, times, codes, the name of the folder."""
    with closing(JournalReader.open(world.home)) as reader:
        entries = journal.read_entries_after(reader, 0, 10_000_000)
    return [
        (
            one.event, one.tool, str(one.decision.kind), one.decision.by,
            one.decision.reason.replace(str(world.folder), "~").replace(one.decision.code or "\0", "CODE"),
            tuple((step.hook, str(step.kind), step.phase) for step in one.decision.trace),
        )
        for one in entries
    ]  # fmt: skip


def compare(one: list[tuple[object, ...]], other: list[tuple[object, ...]]) -> list[str]:
    found = [f"event {number}: {a} / {b}" for number, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
    return found + ([f"{len(one)} events / {len(other)}"] if len(one) != len(other) else [])


def wait_for(is_done: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not is_done():
        if time.monotonic() > until:
            raise SystemExit(f"this does not happen: {what}")
        time.sleep(0.2)


def format_rows(found: AwayFindings) -> str:
    rows = [
        ("events that were decided differently", f"{len(found.differences)} of {found.events:,}"),
        ("waiting when the hub came back", f"{found.waiting:,}"),
        ("arrived then", f"{found.arrived:,} of {found.written:,} in {found.seconds:.1f} s, "
         + ("each once and in order" if found.is_equal else "NOT as they were written")),
    ]  # fmt: skip
    if found.timing:
        met = "at most 1 % slower" if found.timing.met else "MORE than 1 % slower"
        rows.append((found.timing.name, f"{found.timing.measured}, {met}"))
    return "\n".join(f"| {name} | {value} |" for name, value in rows)


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.hub_away", description=__doc__)
    parser.add_argument("--events", type=int, default=3 * HOUR)
    parser.add_argument("--rounds", type=int, default=10_000, help="calls of each home that are timed")
    parser.add_argument("--save", metavar="FILE", default="", help="write it as Markdown too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="syn-away-") as name, ExitStack() as stack:
        found = AwayRun(stack, Path(name)).run(options.events, options.rounds)
        rows = format_rows(found)
        print(rows, *found.differences[:20], sep="\n")
        if options.save:
            text = SAVED.format(
                events=found.events, hours=found.events / HOUR, rows=rows, machine=machine.describe(Path(name))
            )
            Path(options.save).write_text(text, encoding="utf-8")
    return int(bool(found.differences) or not found.is_equal or bool(found.timing and not found.timing.met))


if __name__ == "__main__":
    sys.exit(main())
