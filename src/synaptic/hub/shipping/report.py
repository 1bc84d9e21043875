"""How far every destination is, for people: from the cursors, and from what the shipper last said."""

import time
from collections.abc import Collection
from contextlib import closing
from importlib.util import find_spec

import msgspec

from synaptic.daemon.shipper import is_shipping
from synaptic.hub.shipping.board import DestinationState, ShipperState, read_state
from synaptic.hub.shipping.plan import ShipPlan, name_hub, read_plan
from synaptic.model.errors import StoreError, SynapticError
from synaptic.model.home import Home
from synaptic.store import outbox
from synaptic.store.db import Store
from synaptic.store.outbox import ShipCursor
from synaptic.store.reader import JournalReader

LIBRARIES = ("cryptography", "httpx", "stamina")


class DestinationReport(msgspec.Struct, frozen=True, kw_only=True):
    """One destination that is set."""

    name: str
    is_known: bool = True
    """Whether the shipper has ever begun with it."""
    last: int = 0
    """The last event that it has."""
    waiting: int = 0
    """Events that it lacks."""
    oldest: float = 0.0
    """When the first of them was; 0 where there is none."""
    shipped: int = 0
    at: float = 0.0
    trouble: str = ""
    hint: str = ""
    since: float = 0.0
    again: float = 0.0


class ShippingReport(msgspec.Struct, frozen=True, kw_only=True):
    """All of them."""

    is_running: bool
    contents: str
    waits: bool
    destinations: tuple[DestinationReport, ...]
    problems: tuple[str, ...] = ()

    def has_all(self, newest: int) -> bool:
        """Whether every destination has everything up to an event."""
        return all(one.is_known and one.last >= newest for one in self.destinations)


def make_report(home: Home) -> ShippingReport:
    """Raises SynapticError where it cannot be known what is set."""
    plan, state = read_plan(home), read_state(home) or ShipperState()
    with closing(_open_reader(home)) as reader:
        cursors = outbox.list_cursors(reader)
        known = {one.name: one for one in state.destinations}
        names = find_names(plan, known)
        found = tuple(_report(name, known.get(name), (reader, cursors)) for name in names)
    return ShippingReport(
        is_running=is_shipping(home),
        contents=plan.ship.contents,
        waits=plan.ship.waits,
        destinations=found,
        problems=tuple(dict.fromkeys((*_list_missing(), *plan.problems, *state.problems))),
    )


def _list_missing() -> list[str]:
    """What the process cannot begin without."""
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    hint = "type: pip install 'synaptic-hooks[hub]'"
    return [f"nothing can be shipped without the extra `hub`: {', '.join(missing)} ({hint})"] if missing else []


def find_names(plan: ShipPlan, known: Collection[str]) -> tuple[str, ...]:
    """The names of what is set. How an export calls itself it says when it is opened, which the shipper has done."""
    names = [name_hub(plan.member)] if plan.member else []
    for kind, address in plan.exports:
        names.append(next((name for name in known if name.partition(" ")[0] == kind), f"{kind} {address}"))
    return tuple(names)


def find_newest(home: Home) -> int:
    """The number of the newest event. Raises SynapticError."""
    with closing(_open_reader(home)) as reader:
        return outbox.find_newest(reader)


def _report(
    name: str, state: DestinationState | None, source: tuple[Store, dict[str, ShipCursor]]
) -> DestinationReport:
    reader, cursors = source
    cursor = cursors.get(name)
    last = cursor.id if cursor else 0
    waiting, oldest = outbox.measure_waiting(reader, last)
    told = state or DestinationState(name=name)
    return DestinationReport(
        name=name, is_known=cursor is not None, last=last, waiting=waiting, oldest=oldest,
        shipped=cursor.shipped if cursor else 0, at=told.at, trouble=told.trouble, hint=told.hint, since=told.since,
        again=told.again,
    )  # fmt: skip


def _open_reader(home: Home) -> Store:
    try:
        return JournalReader.open(home)
    except StoreError:
        if not home.root.is_dir():
            raise SynapticError("there is no home here", where=str(home.root), hint="type: synaptic up") from None
        return Store.open(home)  # none yet, or one that is to be brought to this version


def wait_until_shipped(home: Home, seconds: float) -> tuple[ShippingReport, bool]:
    """Wait until everything that is there now is at every destination, or the time is over; whether it is."""
    newest, until = find_newest(home), time.monotonic() + seconds
    while True:
        report = make_report(home)
        if (is_done := report.has_all(newest)) or time.monotonic() >= until:
            return report, is_done
        time.sleep(min(0.2, max(0.0, until - time.monotonic())))
