"""What shipping costs: a call while the hub is away, and how many events leave in a second of one core."""

import gzip
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import msgspec

from bench.hub_cost import CostMeter
from bench.line import Line, at_least
from bench.payload import event, line
from bench.world import World, build
from synaptic.daemon.shipper import is_shipping
from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.shipping.hub_client import GZIP_LEVEL
from synaptic.hub.shipping.outbox import Contents, make_event
from synaptic.hub.shipping.plan import write_membership
from synaptic.hub.wire import EventBatch, ShippedEvent
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.store import journal, outbox
from synaptic.store.db import Store
from synaptic.store.outbox import ShipCursor
from synaptic.store.record import EventRecord

LEAST_GROUPS, ROUNDS_OF_A_GROUP = 10, 20
EVENTS = 20_000
START_SECONDS = 30.0
TRACE = (
    TraceStep(hook="policies", phase="quiet", note=" ".join(f"group.policy-{number}" for number in range(60))),
    TraceStep(hook="git.force-push", kind=Kind.DENY, reason="push with --force-with-lease", micros=40),
)
COMMANDS = ("git push --force origin main", "uv run pytest -q tests/unit", "rg -n 'def main' src", "ls -la /tmp")


def measure_shipping(folder: Path, rounds: int) -> list[Line]:
    """What a hub that is away costs, and two rates."""
    groups = max(LEAST_GROUPS, rounds // ROUNDS_OF_A_GROUP)
    return [*_measure_cost(folder, groups), *(_measure_rate(folder, contents) for contents in ("structure", "full"))]


def _measure_cost(folder: Path, groups: int) -> list[Line]:
    with ExitStack() as stack:
        world = build(folder / "away", "away")
        join_hub_that_is_away(world)
        stack.callback(world.stop)
        world.start()
        stack.callback(_end_shipper, world)
        _wait_for_shipper(world)
        return CostMeter(world, folder).measure(groups).list_lines()


def join_hub_that_is_away(world: World) -> None:
    """At a port of this machine at which nobody answers."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    SecretKey.make().write(HubPlace.of(world.home).host_key)
    write_membership(world.home, Membership(url=f"http://127.0.0.1:{port}", host="laptop"))


def _wait_for_shipper(world: World) -> None:
    until = time.monotonic() + START_SECONDS
    while not HubPlace.of(world.home).state.exists():
        if time.monotonic() > until:
            raise RuntimeError("the daemon does not start the shipper")
        time.sleep(0.1)


def _end_shipper(world: World) -> None:
    HubPlace.of(world.home).membership.unlink()
    until = time.monotonic() + START_SECONDS
    while is_shipping(world.home) and time.monotonic() < until:
        time.sleep(0.1)


def _measure_rate(folder: Path, contents: Contents) -> Line:
    """From the journal to the packed body of a request, in seconds of the processor."""
    world = build(folder / f"rate-{contents}", "rate")
    with closing(Store.open(world.home)) as store:
        journal.append_records(store, list(_iter_records(world)))
        began = time.process_time()
        size = sum(len(_pack(batch)) for batch in _iter_batches(store, contents))
        seconds = time.process_time() - began
    name = f"events read, cleaned and packed by one core, {contents} ({size / EVENTS:.0f} bytes an event)"
    return at_least(name, EVENTS / seconds, None)


def _iter_records(world: World) -> Iterator[EventRecord]:
    for number in range(EVENTS):
        given = {**event(world.project), "tool_input": {"command": f"{COMMANDS[number % 4]} # {number}"}}
        is_denied = not number % 20
        kind, by = (Kind.DENY, "git.force-push") if is_denied else (Kind.NONE, "")
        yield EventRecord(
            call=f"{number:08d}-{os.urandom(8).hex()}", at=time.time(), agent="claude", event="PreToolUse",
            session=f"session-{number // 500}", tool="Bash", root=str(world.project), payload=line(given), micros=900,
            decision=Decision(kind=kind, by=by, reason="push with lease", trace=TRACE[: 1 + is_denied]),
        )  # fmt: skip


def _iter_batches(store: Store, contents: Contents) -> Iterator[tuple[ShippedEvent, ...]]:
    cursor = ShipCursor(name="bench")
    while rows := outbox.read_page(store, cursor).rows:
        yield tuple(make_event(row, 0, str(Path.home()), contents) for row in rows)
        last = rows[-1].entry
        cursor = ShipCursor(name="bench", id=last.id, call=last.call)


def _pack(events: tuple[ShippedEvent, ...]) -> bytes:
    return gzip.compress(msgspec.json.encode(EventBatch(0, events)), GZIP_LEVEL)
