"""Two ways of the same thing in short blocks by turns, A B B A: what differs is found by differences within a group.

Pure: times in, an interval out. Whatever disturbs the machine for longer than a group disturbs both ways alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import comb
from statistics import median
from typing import Literal

import msgspec

Way = Literal["A", "B"]
SURE = 0.99
"""How often an interval contains what is measured. Of a hundred pairs of equal ways, one is called different."""
ORDERS: tuple[tuple[Way, ...], ...] = (("A", "B", "B", "A"), ("B", "A", "A", "B"))


class Interval(msgspec.Struct, frozen=True):
    """A share more, such as 0.01 for one percent, and between what it surely is."""

    low: float
    middle: float
    high: float

    @property
    def contains_nothing(self) -> bool:
        """Whether it may be that there is no difference at all."""
        return self.low <= 0 <= self.high

    def __str__(self) -> str:
        return f"{self.middle:+.2%} ({self.low:+.2%} to {self.high:+.2%})"


class Group(msgspec.Struct, frozen=True):
    """What the blocks of one group came to, each way in the order in which it came."""

    a: tuple[float, ...]
    b: tuple[float, ...]

    @classmethod
    def of(cls, values: Sequence[float], order: Sequence[Way]) -> "Group":
        pairs = list(zip(values, order, strict=True))
        return cls(tuple(one for one, way in pairs if way == "A"), tuple(one for one, way in pairs if way == "B"))

    @property
    def more(self) -> float:
        """What B takes more than A. A drift that is even over the group is in both of them alike."""
        return sum(self.b) / len(self.b) / (sum(self.a) / len(self.a)) - 1


def iter_orders(groups: int) -> Iterator[tuple[Way, ...]]:
    """Half of the groups begin with A, half with B."""
    return (ORDERS[number % len(ORDERS)] for number in range(groups))


def find_interval(groups: Iterable[Group], sure: float = SURE) -> Interval:
    """The median of what B takes more, and its interval by the sign test: exact, whatever the times look like.

    Raises ValueError for so few groups that nothing is sure.
    """
    found = sorted(group.more for group in groups)
    skipped = count_outside(len(found), sure)
    return Interval(found[skipped], median(found), found[len(found) - 1 - skipped])


def count_outside(count: int, sure: float) -> int:
    """How many of so many values lie outside the interval of their median on each side.

    Each value is above the true median as often as below it, so how many are is a toss of coins.
    """
    most = (1 - sure) / 2 * 2**count
    tail, outside = 0, -1
    while (tail := tail + comb(count, outside + 1)) <= most:
        outside += 1
    if outside < 0:
        raise ValueError(f"{count} groups are too few to be sure of anything")
    return outside


def judge(found: Interval, same: Interval, most: float) -> bool:
    """Whether it is surely at most so much more, by a measure that sees no difference where there is none."""
    return found.high <= most and same.contains_nothing
