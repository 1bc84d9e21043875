"""The spark line: how much happened in the last hour, and how much of it was refused."""

import time

import msgspec

from synaptic.store.reader import JournalReader
from synaptic.store.volume import count_volume

SLOTS, STEP = 60, 60.0
HEIGHT = 28.0


class Bar(msgspec.Struct, frozen=True):
    """One minute, as heights of a drawing."""

    at: int
    height: float
    denied: float
    count: int
    refusals: int


class Volume(msgspec.Struct, frozen=True):
    """The last hour."""

    bars: tuple[Bar, ...]
    events: int
    refusals: int


def measure_volume(reader: JournalReader) -> Volume:
    """The last hour as bars; the highest is as high as the drawing."""
    found = count_volume(reader, time.time(), SLOTS, STEP)
    most = max((count for count, _ in found), default=0) or 1
    bars = tuple(
        Bar(slot, round(count / most * HEIGHT, 1), round(denied / most * HEIGHT, 1), count, denied)
        for slot, (count, denied) in enumerate(found)
    )
    return Volume(bars, sum(count for count, _ in found), sum(denied for _, denied in found))
