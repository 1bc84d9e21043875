"""Which kind is injected in which step: by the seed alone, every kind about as often as the others of its rarity."""

import random
from collections.abc import Iterator, Sequence
from itertools import islice

from tests.faults.kind import KINDS, Kind

EPOCH = 100
"""Steps that share one home; the next epoch begins with a new one."""


def deal_kinds(seed: int, kinds: Sequence[Kind], *, evenly: bool = False) -> Iterator[Kind]:
    """All kinds in rounds, each in an order of its own; rare kinds in some of them, unless all are dealt evenly."""
    number = 0
    while True:
        dealt = [kind for place, kind in enumerate(kinds) if evenly or (number + place) % kind.rare == 0]
        random.Random(f"{seed}/round/{number}").shuffle(dealt)
        yield from dealt
        number += 1


def list_steps(seed: int, count: int, names: Sequence[str] = (), *, evenly: bool = False) -> list[tuple[int, Kind]]:
    """The steps 1 to `count`, with their kinds."""
    kinds = [KINDS[name] for name in names or KINDS]
    return list(enumerate(islice(deal_kinds(seed, kinds, evenly=evenly), count), 1))


def find_epoch(step: int) -> tuple[int, int]:
    """The first and the last step of the epoch in which a step lies."""
    first = (step - 1) // EPOCH * EPOCH + 1
    return first, first + EPOCH - 1
