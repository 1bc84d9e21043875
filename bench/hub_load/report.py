"""What was measured, as Markdown; and what it means for ten thousand developers, with every assumption beside it."""

import math

import msgspec

from bench.hub_load.meters import Shares, Sizes
from bench.hub_load.questions import Answered

DEVELOPERS, EVENTS_A_DAY = 10_000, 3_000
WORK_HOURS = 8
PEAK = 3.0
"""How much more than the mean of a working day its busiest minutes bring: assumed."""
LEAST_RATE = 5_000.0
MOST_SEARCH = 500.0
MOST_BUNDLE = 60.0
MOST_CORE = 0.6
"""Of a core that is planned with: the rest is for what nobody has thought of."""


class Backlog(msgspec.Struct, frozen=True):
    """Hosts that bring what has gathered, as fast as the hub takes it."""

    hosts: int
    size: int
    rate: float
    p50: float
    p95: float
    shares: Shares


class Live(msgspec.Struct, frozen=True):
    """Hosts as they are on a working day: lag from the event to the hub's answer."""

    hosts: int
    rate: float
    arrived: float
    p50: float
    p95: float
    shares: Shares


class Asked(msgspec.Struct, frozen=True):
    """Answers over so many events, in so many days, of so many hosts."""

    what: str
    answers: tuple[Answered, ...]


class Report(msgspec.Struct, kw_only=True):
    """All of it."""

    machine: str = ""
    loads: list[str] = []
    settings: str = ""
    backlogs: list[Backlog] = []
    lives: list[Live] = []
    sizes: Sizes | None = None
    filled: list[tuple[str, Sizes, float]] = []
    asked: list[Asked] = []
    travels: tuple[float, float] = (0.0, 0.0)
    bundles: list[list[float]] = []
    """Seconds until each host had one in force, ascending."""


def format_report(report: Report) -> str:
    parts = (
        INTRODUCTION,
        f"Machine: {report.machine}. PostgreSQL, hub and simulated hosts share it, with whatever else\n"
        f"runs: its load was {', '.join(report.loads)}.",
        f"PostgreSQL with `fsync` on and {report.settings}.",
        "## Bars\n\n" + format_bars(report),
        "## Taken in\n\n" + format_backlogs(report),
        "## As on a working day\n\n" + format_lives(report),
        "## On the disk\n\n" + format_sizes(report),
        "## Questions\n\n" + "\n\n".join(format_asked(one) for one in report.asked),
        "## Ten thousand developers\n\n" + extrapolate(report),
    )
    return "# The hub under load\n\n" + "\n\n".join(parts) + "\n"


INTRODUCTION = """\
Written by `make hub-load`. Simulated hosts, shippers without agents, sign every request and send over a connection
each to a real `synaptic hub serve` on a real PostgreSQL on the same machine. Their batches are made before the clock
runs, since that is the work of other machines; signing and sending is not. One host in four ships its texts."""


def format_table(heads: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def format_bars(report: Report) -> str:
    rows: list[tuple[object, ...]] = []
    if report.backlogs:
        rows += _tell_rates(report.backlogs)
    if report.bundles:
        rows.append(_tell_bundles(report.bundles))
    for one in report.asked:
        searches = [answer for answer in one.answers if answer.name.startswith("search") and "10,000,000" in one.what]
        if searches:
            rows.append(_tell_searches(one.what, max(searches, key=lambda answer: answer.p50)))
    return format_table(("", "measured", "bar", "met"), rows)


def _tell_rates(backlogs: list[Backlog]) -> list[tuple[object, ...]]:
    """The bar is for what has gathered; events that come nearly alone are a cost of their own."""
    large, small = ([one for one in backlogs if (one.size >= 100) is is_large] for is_large in (True, False))
    told = [
        f"{min(one.rate for one in found):,.0f} to {max(one.rate for one in found):,.0f}" for found in (large, small)
    ]
    is_met = _tell(min(one.rate for one in large) >= LEAST_RATE)
    return [
        ("events a second, in batches of hundreds, PostgreSQL beside it", told[0], f"≥ {LEAST_RATE:,.0f}", is_met),
        (f"events a second, in batches of {small[0].size}", told[1], "", ""),
    ]


def _tell_bundles(times: list[list[float]]) -> tuple[object, ...]:
    hosts, last, half = len(times[-1]), max(one[-1] for one in times), times[-1][len(times[-1]) // 2]
    told = f"{last:.1f} s, the slowest of {len(times)} times; half of the hosts had the last one after {half:.1f} s"
    return (
        f"a new bundle in force on the last of {hosts} hosts",
        told,
        f"≤ {MOST_BUNDLE:g} s",
        _tell(last <= MOST_BUNDLE),
    )


def _tell_searches(what: str, worst: Answered) -> tuple[object, ...]:
    """The bar is a day's."""
    slowest = f"{worst.p50:,.0f} ms ({worst.name.removeprefix('search, ')})"
    if "one day" not in what:
        return f"the slowest search over {what}, all of them looked at", slowest, "", ""
    return f"the slowest search over {what}", slowest, f"≤ {MOST_SEARCH:g} ms", _tell(worst.p50 <= MOST_SEARCH)


def _tell(is_met: bool) -> str:
    return "yes" if is_met else "NO"


def format_backlogs(report: Report) -> str:
    rows: list[tuple[object, ...]] = [
        (
            one.hosts, one.size, f"{one.rate:,.0f}", f"{one.rate / one.size:,.0f}", f"{one.p50:,.0f} / {one.p95:,.0f}",
            one.shares, f"{one.shares.machine:.2f}",
        )
        for one in report.backlogs
    ]  # fmt: skip
    heads = ("hosts", "events of a batch", "events/s", "requests/s", "request p50 / p95, ms", "cores", "all cores")
    said = (
        "What has gathered while a hub was away comes in batches of hundreds, what happens now in batches of a few.\n"
        "*All cores* is what the whole machine was busy with: what is more than the three before it was other work."
    )
    return f"{said}\n\n{format_table(heads, rows)}"


def format_lives(report: Report) -> str:
    rows: list[tuple[object, ...]] = [
        (
            one.hosts, f"{one.rate:,.1f}", f"{one.arrived:,.1f}", f"{one.p50 * 1000:,.0f} / {one.p95 * 1000:,.0f}",
            one.shares, f"{one.shares.machine:.2f}",
        )
        for one in report.lives
    ]  # fmt: skip
    heads = ("hosts", "events/s offered", "events/s arrived", "lag p50 / p95, ms", "cores", "all cores")
    said = (
        f"Each host has {EVENTS_A_DAY:,} events in {WORK_HOURS} hours, times {PEAK:g} for a busy minute, at random\n"
        "moments. Lag is from the event to the hub's answer, with the half second in which the shipper looks for\n"
        "something new."
    )
    return f"{said}\n\n{format_table(heads, rows)}"


def format_sizes(report: Report) -> str:
    rows: list[tuple[object, ...]] = []
    if report.sizes:
        rows.append((f"{report.sizes.events:,} events that hosts have shipped", report.sizes))
    rows += [(f"{what}, put there by SQL in {seconds:,.0f} s", sizes) for what, sizes, seconds in report.filled]
    packed, plain = report.travels
    travels = f"On the way a batch of 500 has {packed:,.0f} bytes an event packed, {plain:,.0f} plain."
    return f"{format_table(('', 'of a million events'), rows)}\n\n{travels}"


def format_asked(one: Asked) -> str:
    rows: list[tuple[object, ...]] = [
        (
            answer.name,
            f"{answer.p50:,.0f} / {answer.p95:,.0f}",
            answer.rows if answer.rows >= 0 else f"refused ({-answer.rows})",
        )
        for answer in one.answers
    ]
    return f"Over {one.what}:\n\n" + format_table(("question", "p50 / p95, ms", "rows"), rows)


def extrapolate(report: Report) -> str:
    """Arithmetic on what was measured here, and nothing else."""
    day = DEVELOPERS * EVENTS_A_DAY
    mean = day / 86_400
    working = day / (WORK_HOURS * 3600)
    peak = working * PEAK
    lines = [
        f"{EVENTS_A_DAY:,} events a day of each developer is an **estimate**, and so are {WORK_HOURS} hours of work in",
        f"one time zone and a peak of {PEAK:g} times their mean. {DEVELOPERS:,} × {EVENTS_A_DAY:,} are",
        f"{day / 1e6:,.0f} million events a day: {mean:,.0f} a second over the day, {working:,.0f} in the hours of",
        f"work, {peak:,.0f} at the peak.",
    ]
    rows: list[tuple[object, ...]] = []
    if report.filled or report.sizes:
        sizes = report.sizes or report.filled[0][1]  # indexes that grow are larger than those made at once
        assert sizes
        bytes_day = (sizes.table + sizes.indexes) * day / 1e6
        rows.append(
            (
                "disk of a day",
                f"{bytes_day / 1e9:,.1f} GB; {bytes_day * 90 / 1e12:,.2f} TB in the 90 days that are kept",
            )
        )
    packed, plain = (day * one / 1e9 for one in report.travels)
    rows.append(
        ("network of a day, up", f"{packed:,.1f} GB in large batches; small ones pack worse: up to {plain:,.1f} GB")
    )
    if report.lives:
        rows += _plan(report.lives[-1], peak)
    if report.backlogs:
        best, hour = max(report.backlogs, key=lambda one: one.rate), day / WORK_HOURS
        minutes = f"{hour / best.rate / 60:,.0f} minutes at {best.rate:,.0f} events/s"
        rows.append(
            ("an hour away, brought later", f"{hour / 1e6:,.1f} million events: {minutes}, if nothing else came")
        )
    rows.append(
        ("connections", f"{DEVELOPERS:,} hosts wait for news and keep a connection: not measured above 1,000 here")
    )
    tail = (
        "Not measured: this many connections, several hubs behind one address, disks that are slower than this one, a\n"
        "database whose indexes do not fit in memory. What is said about cores assumes that cost grows with events\n"
        "alone, and that those cores are as fast as this machine's."
    )
    return "\n".join(lines) + "\n\n" + format_table(("", ""), rows) + "\n\n" + tail


def _plan(live: Live, peak: float) -> list[tuple[object, ...]]:
    """From the largest number of hosts that was measured: what an event costs when it comes nearly alone."""
    hub, postgres = live.shares.hub / live.arrived, live.shares.postgres / live.arrived
    cores, processes = peak * (hub + postgres), max(1, math.ceil(peak * hub / MOST_CORE))
    cost = f"{hub * 1000:.2f} ms of a core in the hub, {postgres * 1000:.2f} ms in PostgreSQL"
    return [
        ("an event that comes alone", f"{cost} (at {live.arrived:,.0f} events/s of {live.hosts:,} hosts)"),
        ("cores at the peak", f"{peak * hub:,.1f} for hubs, {peak * postgres:,.1f} for PostgreSQL"),
        (
            f"planned at {MOST_CORE:.0%}",
            f"{cores / MOST_CORE:,.0f} cores; {processes} hubs, as one process uses one core",
        ),
    ]
