"""Durations as few numbers: classes of about the same length, so that a hook's year fits in some rows."""

from collections.abc import Mapping

import msgspec

CLASS_OF_MICROS = "(length({0}) * 100 + substr({0}, 1, 2))"
"""In SQL, of a column of microseconds: how many digits it has, and the first two of them."""
LEADING = 100


class DurationFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How long something takes, in milliseconds."""

    calls: int = 0
    p50: float = 0.0
    p95: float = 0.0


def describe_durations(counts: Mapping[int, int]) -> DurationFigures:
    """Median and 95th percentile of counted classes, within five percent."""
    return DurationFigures(
        calls=sum(counts.values()), p50=find_percentile(counts, 0.5), p95=find_percentile(counts, 0.95)
    )


def find_percentile(counts: Mapping[int, int], share: float) -> float:
    """The duration within which a share of the calls was done, in milliseconds."""
    left = sum(counts.values()) * share
    for duration in sorted(counts):
        left -= counts[duration]
        if left <= 0:
            return round(read_class(duration) / 1000, 3)
    return 0.0


def read_class(duration: int) -> float:
    """The middle of a class, in microseconds."""
    digits, lead = divmod(duration, LEADING)
    return float(lead) if digits <= 2 else (lead + 0.5) * 10 ** (digits - 2)


def name_class(micros: int) -> int:
    """The class of a duration, as SQL has it."""
    text = str(max(int(micros), 0))
    return len(text) * LEADING + int(text[:2])
