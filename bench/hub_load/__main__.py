"""`python -m bench.hub_load`: many simulated hosts against one PostgreSQL and one hub on this machine."""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import msgspec
from tests.hub.chaos.hub_process import HubProcess, make_database

from bench import machine
from bench.hub_load.batches import measure_bytes
from bench.hub_load.bundle import Organisation, measure_bundle
from bench.hub_load.fill import RARE, fill_days
from bench.hub_load.hosts import SimulatedHost, add_hosts, ship_backlog, ship_live
from bench.hub_load.meters import Meter, measure_size
from bench.hub_load.questions import Answered, Asker, list_questions
from bench.hub_load.report import EVENTS_A_DAY, PEAK, WORK_HOURS, Asked, Backlog, Live, Report, format_report
from synaptic.hub.server.throwaway import ThrowawayPostgres

SETTINGS = (
    "shared_buffers=2GB",
    "max_wal_size=16GB",
    "checkpoint_timeout=30min",
    "work_mem=32MB",
    "effective_cache_size=8GB",
)
LARGE, SMALL = 500, 5
BUNDLE_HOSTS, BUNDLES = 50, 3
PARTS = ["ingest", "bundle", "day", "month"]


class Bench:
    """One PostgreSQL, one hub."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._server = stack.enter_context(ThrowawayPostgres(*SETTINGS))
        self.database = make_database(self._server)
        self.hub = HubProcess(self.database, folder, "--retention-days", "400")
        stack.callback(self.hub.kill)
        self.hub.start()
        self.hub.wait_until_well()

    @property
    def super_url(self) -> str:
        return self._server.url_as("postgres", "hub")

    def meter(self) -> Meter:
        assert self._server._process
        return Meter(self.hub.pid, self._server._process.pid)

    def take_in(self, hosts: list[SimulatedHost], total: int, size: int) -> Backlog:
        tell(f"{len(hosts)} hosts bring {total:,} events in batches of {size}")
        return asyncio.run(self._take_in(hosts, total, size))

    async def _take_in(self, hosts: list[SimulatedHost], total: int, size: int) -> Backlog:
        work = asyncio.create_task(ship_backlog(hosts, total, size, lambda: setattr(self, "_meter", self.meter())))
        seconds, times = await work
        shares = self._meter.read()
        rate = len(times) * size / seconds
        times.sort()
        found = Backlog(
            len(hosts), size, rate, times[len(times) // 2] * 1000, times[int(len(times) * 0.95)] * 1000, shares
        )
        tell(f"  {rate:,.0f} events/s")
        return found

    def live(self, hosts: list[SimulatedHost], seconds: float) -> Live:
        rate = len(hosts) * EVENTS_A_DAY / (WORK_HOURS * 3600) * PEAK
        tell(f"{len(hosts)} hosts as on a working day: {rate:,.1f} events/s for {seconds:g} s")
        meter = self.meter()
        began = time.monotonic()
        lags = sorted(asyncio.run(ship_live(hosts, rate, seconds)))
        taken = time.monotonic() - began
        p95 = lags[int(len(lags) * 0.95)]
        return Live(len(hosts), rate, len(lags) / taken, statistics.median(lags), p95, meter.read())

    def ask(self, what: str, host: str, runs: int) -> Asked:
        tell(f"questions over {what}")
        asker = Asker(self.database, self.hub.port)
        answers: list[Answered] = []
        for question in list_questions(RARE, host):
            answers.append(asker.measure(question, runs))
            tell(f"  {question.name}: {answers[-1].p50:,.0f} ms")
        return Asked(what, tuple(answers))


def main() -> int:
    options = read_options()
    report = read_report(options.keep)
    report.machine = machine.describe(Path("/tmp")).partition(", journal")[0]
    if options.only:
        report.loads.append(f"{os.getloadavg()[0]:.1f} before {' and '.join(options.only)}")
    report.settings = ", ".join(f"`{one}`" for one in SETTINGS)
    report.travels = measure_bytes(LARGE)
    if "ingest" in options.only:
        measure_ingest(report, options)
    if "bundle" in options.only:
        measure_bundles(report, options)
    for name, days in (("day", 1), ("month", 30)):
        if name in options.only:
            measure_filled(report, options, days)
    if options.keep:
        Path(options.keep).write_bytes(msgspec.json.encode(report))
    text = format_report(report)
    print(text)
    if options.save:
        Path(options.save).write_text(text, encoding="utf-8")
    return 0


def read_report(keep: str) -> Report:
    """What was measured before, where parts are measured apart."""
    if keep and Path(keep).exists():
        return msgspec.json.decode(Path(keep).read_bytes(), type=Report)
    return Report()


def measure_ingest(report: Report, options: argparse.Namespace) -> None:
    """Every amount of hosts: what has gathered, what happens now, and questions about it."""
    with ExitStack() as stack:
        bench = Bench(stack, Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="syn-load-"))))
        bench.take_in(add_hosts(bench.database, bench.hub.port, 4), 4000, LARGE)  # the first time everything is slow
        events = 4000
        for count in options.hosts:
            hosts = add_hosts(bench.database, bench.hub.port, count)
            report.backlogs.append(
                bench.take_in(
                    hosts, max(options.events, count * LARGE // 5), min(LARGE, max(options.events // count, 100))
                )
            )
            report.backlogs.append(bench.take_in(hosts, max(options.events // 20, count * SMALL), SMALL))
            report.lives.append(bench.live(hosts, options.seconds))
            events = measure_size(bench.super_url).events
            report.asked.append(
                bench.ask(
                    f"{events:,} events of today, of {count:,} hosts and those before", hosts[-1].name, options.runs
                )
            )
        report.sizes = measure_size(bench.super_url)


def measure_bundles(report: Report, options: argparse.Namespace) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="syn-load-")))
        organisation = Organisation(Bench(stack, folder).hub, folder, BUNDLE_HOSTS)
        report.bundles = []
        for version in range(1, BUNDLES + 1):
            report.bundles.append(measure_bundle(organisation, version))
            tell(f"bundle {version} on {BUNDLE_HOSTS} hosts: {report.bundles[-1][-1]:.2f} s")


def measure_filled(report: Report, options: argparse.Namespace, days: int) -> None:
    with ExitStack() as stack:
        bench = Bench(stack, Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="syn-load-"))))
        began = time.monotonic()
        bench.hub.kill()  # it makes tables for days, too
        fill_days(bench.super_url, options.rows, days, tell)
        seconds = time.monotonic() - began
        bench.hub.start()
        bench.hub.wait_until_well()
        what = f"{options.rows:,} events of 1,000 hosts in {'one day' if days == 1 else f'{days} days'}"
        report.filled.append((what, measure_size(bench.super_url), seconds))
        report.asked.append(bench.ask(what, "filled-8", options.runs))


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.hub_load", description=__doc__)
    parser.add_argument("--hosts", type=int, nargs="+", default=[10, 100, 1000], help="how many, one after another")
    parser.add_argument("--events", type=int, default=100_000, help="that each amount of hosts brings")
    parser.add_argument("--seconds", type=float, default=30.0, help="as on a working day")
    parser.add_argument("--rows", type=int, default=10_000_000, help="that are put there by SQL")
    parser.add_argument("--runs", type=int, default=15, help="of each question")
    parser.add_argument("--only", nargs="*", default=PARTS, metavar="PART", help="of " + ", ".join(PARTS))
    parser.add_argument(
        "--keep", metavar="FILE", default="", help="where parts that are measured apart are put together"
    )
    parser.add_argument("--save", metavar="FILE", default="", help="write it as Markdown too")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
