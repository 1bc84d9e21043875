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
from bench.hub_cost import CALLS, MOST_ADDED, CostMeter, HubCost
from bench.paired import SURE
from bench.payload import event, line
from bench.redaction import list_commands
from bench.world import World, build
from synaptic.daemon.shipper import is_shipping
from synaptic.hub.place import HubPlace
from synaptic.hub.server.throwaway import ThrowawayPostgres
from synaptic.store import journal
from synaptic.store.reader import JournalReader

HOUR = 375
"""Events of a developer's hour: 3,000 in a day of eight, which is an estimate."""
PATIENCE = 180.0
GROUPS = 120
SAVED = """\
# Hours without the hub

Written by `make hub-away`. Two homes with a daemon each get the same {events:,} events, real commands, through the
dispatcher in turn: one has joined no hub; the other has joined one that was killed before the first event, so that its
shipper tries again and again all the time. {events:,} events are what a developer has in about {hours:.0f} hours.

| | |
| --- | --- |
{rows}

## What a hub that is away costs

{calls:,} calls to one daemon with one journal, one after another without a pause, in blocks of {block} by turns:
without a hub (the shipper is stopped and its folder put aside, so that the daemon finds none), and with one that is
away. What the shipper owes from the time when it was stopped it does then, so it is measured rather too dear. Four
blocks are a group (A B B A, then B A A B). A figure is the median of the groups' differences; behind it stands where it
lies with a certainty of {sure:.0%} (sign test). The last column but one is the same without a hub in all blocks: what
this measure can tell at all. A line is met where its upper end is at most {most:.0%} and the other interval contains 0.

| | without a hub | more with one that is away | without one both times | met |
| --- | --- | --- | --- | --- |
{costs}

The shipper took {shipper:.0f} ms of a processor in a minute in which it might run.

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
    noticed: float
    """Seconds from when the hub answered until the first of them arrived."""
    seconds: float
    """Until it had everything."""
    is_equal: bool
    """Whether what arrived are the journal's calls in the journal's order."""
    cost: HubCost | None = None


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

    def run(self, events: int, groups: int) -> AwayFindings:
        commands = list_commands()
        for number in range(events):
            for world in (self.alone, self.joined):
                send(world, commands[number * 7 % len(commands)])
            if number % 200 == 0:
                tell(f"{number} of {events} events in both")
        decided = [list_decisions(world) for world in (self.alone, self.joined)]
        cost = CostMeter(self.joined, self._folder).measure(groups, tell=tell) if groups else None
        before = self._count_arrived()
        waiting = count_events(self.joined) - before
        tell(f"the hub comes back; {waiting} events wait")
        self._hub.start()
        self._hub.wait_until_well()
        began = time.monotonic()
        wait_for(lambda: self._count_arrived() > before, "something arrives")
        noticed = time.monotonic() - began
        written = count_events(self.joined)
        wait_for(lambda: self._count_arrived() >= written, "everything arrives")
        seconds = time.monotonic() - began
        arrived, calls = self._list_arrived(), [call for call, _ in list_calls(self.joined)]
        return AwayFindings(
            events=events, differences=compare(*decided), waiting=waiting, arrived=len(arrived), written=len(calls),
            noticed=noticed, seconds=seconds, is_equal=arrived == calls, cost=cost,
        )  # fmt: skip

    def _count_arrived(self) -> int:
        with psycopg.connect(self._hub.database) as connection:
            return int(connection.execute("SELECT count(*) FROM events").fetchone()[0])

    def _list_arrived(self) -> list[str]:
        with psycopg.connect(self._hub.database) as connection:
            return [call for (call,) in connection.execute("SELECT call FROM events ORDER BY seq").fetchall()]


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
        ("noticed that it was back", f"after {found.noticed:.1f} s"),
        ("arrived then", f"{found.arrived:,} of {found.written:,} in {found.seconds:.1f} s, "
         + ("each once and in order" if found.is_equal else "NOT as they were written")),
    ]  # fmt: skip
    return "\n".join(f"| {name} | {value} |" for name, value in rows)


def format_costs(cost: HubCost) -> str:
    met = {True: "yes", False: "NO", None: ""}
    return "\n".join(
        f"| {one.name} | {one.alone:.3f} ms | {one.more} | {one.same} | {met[one.met]} |" for one in cost.figures
    )


def save(file: str, found: AwayFindings, machine: str) -> None:
    cost = found.cost
    if cost is None:
        raise SystemExit("nothing was timed: there is nothing to write down")
    text = SAVED.format(
        events=found.events, hours=found.events / HOUR, rows=format_rows(found), calls=cost.calls, block=CALLS,
        sure=SURE, most=MOST_ADDED, costs=format_costs(cost), shipper=cost.shipper, machine=machine,
    )  # fmt: skip
    Path(file).write_text(text, encoding="utf-8")


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.hub_away", description=__doc__)
    parser.add_argument("--events", type=int, default=3 * HOUR)
    parser.add_argument("--groups", type=int, default=GROUPS, help="of blocks of calls that are timed")
    parser.add_argument("--save", metavar="FILE", default="", help="write it as Markdown too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="syn-away-") as name, ExitStack() as stack:
        found = AwayRun(stack, Path(name)).run(options.events, options.groups)
        print(
            format_rows(found), *([format_costs(found.cost)] if found.cost else []), *found.differences[:20], sep="\n"
        )
        if options.save:
            save(options.save, found, machine.describe(Path(name)))
    missed = found.cost is not None and any(one.met is False for one in found.cost.figures)
    return int(bool(found.differences) or not found.is_equal or missed)


if __name__ == "__main__":
    sys.exit(main())
