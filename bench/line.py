"""One line of the table: what was measured, what was promised, and whether the promise was kept."""

from collections.abc import Mapping

import msgspec

from bench.spawn import Samples


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A measurement; `met` is None where nothing was promised."""

    name: str
    measured: str
    ratio: str = ""
    target: str = ""
    met: bool | None = None
    values: Mapping[str, float] = {}


class Limit(msgspec.Struct, frozen=True):
    """What a command may cost, as multiples of the same percentile of the yardstick."""

    p50: float
    p99: float

    def __str__(self) -> str:
        return f"p50 ≤ {self.p50:g}×, p99 ≤ {self.p99:g}×"


def timing(samples: Samples, yardstick: Samples, limit: Limit | None = None) -> Line:
    """Each percentile beside the same percentile of the yardstick. p99 needs a thousand runs to mean anything."""
    p50, ratio50 = samples.percentile(0.50), samples.percentile(0.50) / yardstick.percentile(0.50)
    p99, ratio99 = samples.percentile(0.99), samples.percentile(0.99) / yardstick.percentile(0.99)
    many = len(samples.millis) >= 1000
    wrong = f", {samples.errors} wrong" if samples.errors else ""
    values = {"n": len(samples.millis), "errors": samples.errors, "p50_ms": p50, "p50_ratio": ratio50}
    met = None if limit is None else ratio50 <= limit.p50 and ratio99 <= limit.p99 and not samples.errors
    return Line(
        name=samples.name,
        measured=f"{p50:.2f} / {p99:.2f} ms{wrong}" if many else f"{p50:.2f} ms{wrong}",
        ratio=f"{ratio50:.2f}× / {ratio99:.2f}×" if many else f"{ratio50:.1f}×",
        target=str(limit or ""),
        met=met,
        values={**values, "p99_ms": p99, "p99_ratio": ratio99} if many else values,
    )


def flat(name: str, small: Samples, large: Samples) -> Line:
    """The same call where there is little and where there is much: the medians must agree within 15 %."""
    change = large.percentile(0.5) / small.percentile(0.5) - 1
    return Line(
        name=name, measured=f"{change:+.1%}", target="within 15 %", met=change <= 0.15, values={"change": change}
    )


def added(name: str, without: Samples, with_it: Samples, most: float) -> Line:
    """What a part adds to the median of a call."""
    change = with_it.percentile(0.5) / without.percentile(0.5) - 1
    target = f"at most {most:.0%} more"
    return Line(name=name, measured=f"{change:+.1%}", target=target, met=change <= most, values={"change": change})


def at_least(name: str, value: float, least: float | None, unit: str = "/s") -> Line:
    """A rate; without a promise it is only shown."""
    return Line(
        name=name,
        measured=f"{value:,.0f} {unit}",
        target="" if least is None else f"≥ {least:,.0f} {unit}",
        met=None if least is None else value >= least,
        values={"value": value},
    )


def at_most(name: str, value: float, most: float, unit: str) -> Line:
    digits = 0 if most >= 10 or most == 0 else 2
    return Line(
        name=name,
        measured=f"{value:,.{digits}f} {unit}",
        target=f"≤ {most:g} {unit}",
        met=value <= most,
        values={"value": value},
    )


def skipped(name: str, why: str) -> Line:
    return Line(name=name, measured=f"skipped: {why}")
