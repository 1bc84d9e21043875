"""What the health page shows: who is guarded, the daemon, the witness, the journal, and who takes long."""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

import msgspec

from synaptic.agents.shared.discover import find_agent, list_agent_names
from synaptic.agents.shared.wired import list_wired_agents
from synaptic.daemon.client import call_rpc
from synaptic.daemon.lifecycle import read_status
from synaptic.daemon.standing import DaemonStatus
from synaptic.hooks.catalog import HookCatalog
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.setup.agents import find_agent_here
from synaptic.setup.options import read_setup_options
from synaptic.store.durations import find_percentile
from synaptic.store.growth import JournalGrowth, read_growth
from synaptic.store.latency import read_latency
from synaptic.store.reader import JournalReader
from synaptic.web.policy_counts import PolicyCounts
from synaptic.work.event_words import show_line
from synaptic.work.witness_report import WitnessReport, make_report

GROWTH_DAYS, WITNESS_DAYS = 14, 7
SPANS, SPAN_SECONDS = 96, 900.0
"""The last day in quarters of an hour."""
SLOWEST = 10
ASK_SECONDS = 2.0
KEPT_SECONDS = 15.0
GUARDS = frozenset({"essentials", "strict"})
Looked = TypeVar("Looked")


class GuardedAgent(msgspec.Struct, frozen=True):
    """An agent that is here."""

    title: str
    is_wired: bool


class GuardLook(msgspec.Struct, frozen=True):
    """Whether the guard is on, and for whom."""

    agents: tuple[GuardedAgent, ...]
    presets: tuple[str, ...]
    is_on: bool


class DaemonLook(msgspec.Struct, frozen=True):
    """The daemon, as it is and as it says."""

    status: DaemonStatus
    said: Mapping[str, Any]
    memory: int
    """In bytes; 0 where the system does not tell."""


class SlowHook(msgspec.Struct, frozen=True):
    """A hook or policy for which agents wait."""

    name: str
    shown: str
    calls: int
    p50: float
    p95: float
    p99: float
    share: float
    """Of the slowest one's p95."""


class Kept(Generic[Looked]):
    """Something that is slow to look up: looked up again after some seconds, by one thread at a time."""

    def __init__(self, look: Callable[[], Looked], seconds: float = KEPT_SECONDS) -> None:
        self._look, self._seconds = look, seconds
        self._lock = Lock()
        self._found: tuple[float, Looked] | None = None

    def get(self) -> Looked:
        """What was found last, if it still counts."""
        with self._lock:
            if self._found is None or time.monotonic() - self._found[0] > self._seconds:
                self._found = (time.monotonic(), self._look())
            return self._found[1]


def look_at_guard(home: Home, catalog: HookCatalog) -> GuardLook:
    """Which agents are here, and which of them call the dispatcher."""
    options, wired = read_setup_options(os.environ, home), list_wired_agents(home)
    here = [name for name in list_agent_names() if name in wired or find_agent_here(options, find_agent(name))]
    agents = tuple(GuardedAgent(find_agent(name).title, name in wired) for name in here)
    presets = catalog.config.presets
    is_on = home.dispatch.exists() and bool(wired) and not GUARDS.isdisjoint(presets)
    return GuardLook(tuple(sorted(agents, key=lambda one: not one.is_wired)), presets, is_on)


def look_at_daemon(home: Home) -> DaemonLook:
    """Who answers; one that is stopped is asked nothing."""
    status = read_status(home)
    said: object = {}
    if status.state == "running":
        with suppress(SynapticError):
            said = call_rpc(home, "daemon.status", timeout=ASK_SECONDS)
    return DaemonLook(status, said if isinstance(said, dict) else {}, read_memory(status.pid))


def read_memory(pid: int) -> int:
    """What a process has in memory; 0 where nobody says."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if pid else 0
    return 0


def look_at_witness(reader: JournalReader) -> WitnessReport:
    """What became of calls in the last days. Raises StoreError."""
    return make_report(reader, time.time() - WITNESS_DAYS * 86400)


def look_at_journal(reader: JournalReader, home: Home) -> JournalGrowth:
    """Size and growth. Raises StoreError."""
    return read_growth(reader, home, GROWTH_DAYS, datetime.now())


def list_slowest(counts: PolicyCounts) -> tuple[SlowHook, ...]:
    """Who took longest for most of its calls in a week, where that is known."""
    known = [(used, used.p95) for used in counts.usage.values() if used.p95 is not None]
    known.sort(key=lambda pair: -pair[1])
    most = known[0][1] if known else 1.0
    return tuple(
        SlowHook(
            name=used.name,
            shown=show_line(used.name),
            calls=sum(counts.times[used.name].values()),
            p50=used.p50 or 0.0,
            p95=p95,
            p99=find_percentile(counts.times[used.name], 0.99),
            share=p95 / most if most else 0.0,
        )
        for used, p95 in known[:SLOWEST]
        if used.name in counts.times
    )


def plot_latency(reader: JournalReader) -> dict[str, Any]:
    """The last day for a plot: when, p50 and p95 in milliseconds, and about how many events; None where nothing was."""
    until = (time.time() // SPAN_SECONDS + 1) * SPAN_SECONDS
    found = read_latency(reader, until, SPANS, SPAN_SECONDS)
    everything: dict[int, int] = {}
    for counts in found.spans:
        for duration, count in counts.items():
            everything[duration] = everything.get(duration, 0) + count
    return {
        "at": [until - (SPANS - place) * SPAN_SECONDS for place in range(SPANS)],
        "p50": [find_percentile(counts, 0.5) if counts else None for counts in found.spans],
        "p95": [find_percentile(counts, 0.95) if counts else None for counts in found.spans],
        "events": [sum(counts.values()) * found.every for counts in found.spans],
        "day": [find_percentile(everything, share) for share in (0.5, 0.95, 0.99)],
    }
