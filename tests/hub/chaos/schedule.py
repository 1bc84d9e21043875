"""What fails when: from a seed, by how much of all events has arrived, so that a slow machine has the same campaign."""

import random
from itertools import pairwise

import msgspec

HUB, POSTGRES, CUT, SHIPPERS = "hub killed", "PostgreSQL killed", "network cut", "shippers killed"
FIRST, LAST = 0.02, 0.93
"""Shares of the events between which all of it happens."""


class Fault(msgspec.Struct, frozen=True):
    """One thing that fails, from when on, and for how long."""

    kind: str
    share: float
    seconds: float
    overlaps: bool
    group: int = 0
    """Which of the processes that ship."""


class ChaosOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How large a campaign is."""

    hosts: int = 50
    events: int = 10_000
    hub_kills: int = 20
    postgres_kills: int = 5
    cuts: int = 20
    shipper_kills: int = 10
    seed: int = 22
    groups: int = 5
    """Processes that ship, each for some of the hosts."""
    before: float = 0.4
    """Share of the events that is there before anything is shipped."""
    write_seconds: float = 0.0
    """The others are written in so many seconds at least."""
    overlaps: float = 0.3
    """Share of the faults that begin while the one before has not been mended."""
    longest: float = 3.0
    """Seconds that a fault lasts at most, beside what it takes to start a process again."""
    patience: float = 600.0
    """Seconds without any progress after which it is given up."""

    @property
    def total(self) -> int:
        return self.hosts * self.events

    @property
    def words(self) -> str:
        """What to type to run it again."""
        names = (
            "hosts",
            "events",
            "hub_kills",
            "postgres_kills",
            "cuts",
            "shipper_kills",
            "seed",
            "before",
            "write_seconds",
        )
        return " ".join(f"--{name.replace('_', '-')} {getattr(self, name)}" for name in names)

    def list_groups(self) -> list[range]:
        """The hosts of each process."""
        count = min(self.groups, self.hosts)
        edges = [self.hosts * number // count for number in range(count + 1)]
        return [range(first, last) for first, last in pairwise(edges)]


def make_schedule(options: ChaosOptions) -> list[Fault]:
    """All faults in their order."""
    source = random.Random(f"schedule {options.seed}")
    counts = {
        HUB: options.hub_kills,
        POSTGRES: options.postgres_kills,
        CUT: options.cuts,
        SHIPPERS: options.shipper_kills,
    }
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    source.shuffle(kinds)
    step = (LAST - FIRST) / max(len(kinds), 1)
    return [
        Fault(
            kind=kind,
            share=FIRST + step * (number + source.random() * 0.8),
            seconds=round(source.uniform(0.0, options.longest), 2),
            overlaps=source.random() < options.overlaps,
            group=source.randrange(max(len(options.list_groups()), 1)),
        )
        for number, kind in enumerate(kinds)
    ]
