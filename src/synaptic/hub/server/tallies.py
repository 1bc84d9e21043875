"""What a batch adds up to: how often what was said, how long it took, and how far its sessions went."""

import math
from collections.abc import Iterator
from datetime import date

import msgspec

from synaptic.hub.server.incoming import MOST_BIG, MOST_NAME, PreparedBatch, bound, clip
from synaptic.hub.wire import ShippedEvent

WHOLE_EVENT = ""
"""The hook under whose name the event itself is counted."""
OTHERS = "(others)"
MOST_HOOKS = 500
"""Of one batch: a host that makes names up does not fill the table with them."""
CLASSES_PER_DOUBLING = 4
MOST_CLASS = 120
REFUSED = ("deny", "ask")


class Tally(msgspec.Struct):
    """One row of `tallies`."""

    day: date
    hook: str
    kind: str
    amount: int = 0
    faults: int = 0
    micros: int = 0
    longest: int = 0
    classes: dict[int, int] = {}

    def add(self, micros: int, has_fault: bool) -> None:
        taken = max(bound(micros, MOST_BIG >> 20), 0)
        self.amount += 1
        self.faults += has_fault
        self.micros += taken
        self.longest = max(self.longest, taken)
        place = find_class(taken)
        self.classes[place] = self.classes.get(place, 0) + 1

    @property
    def list(self) -> list[int]:
        return [self.classes.get(place, 0) for place in range(max(self.classes) + 1)]


class SessionStep(msgspec.Struct):
    """What one batch adds to a session."""

    session: str
    agent: str
    project: str
    first_at: float
    last_at: float
    first_seq: int
    last_seq: int
    events: int = 0
    refused: int = 0


def find_class(micros: int) -> int:
    """The class of a duration: four for each doubling, so that its middle is within ten percent."""
    return min(int(math.log2(micros) * CLASSES_PER_DOUBLING), MOST_CLASS) if micros > 1 else 0


def show_class(place: int) -> float:
    """The middle of a class, in microseconds."""
    return float(2 ** ((place + 0.5) / CLASSES_PER_DOUBLING))


def add_up(batch: PreparedBatch) -> list[Tally]:
    """The rows that this batch changes."""
    found: dict[tuple[date, str, str], Tally] = {}
    for event, day in zip(batch.events, batch.days, strict=True):
        for hook, kind, micros, fault in _list_parts(event):
            tally = found.get((day, hook, kind))
            if tally is None:
                tally = _begin(found, day, hook, kind)
            tally.add(micros, fault)
    return list(found.values())


def _list_parts(event: ShippedEvent) -> Iterator[tuple[str, str, int, bool]]:
    yield WHOLE_EVENT, event.kind, event.micros, False
    for run in event.runs:
        yield run.hook, run.kind, run.micros, bool(run.fault)


def _begin(found: dict[tuple[date, str, str], Tally], day: date, hook: str, kind: str) -> Tally:
    if len(found) >= MOST_HOOKS:
        hook, kind = OTHERS, ""
    names = clip(hook, MOST_NAME), clip(kind, MOST_NAME)
    tally = found.get((day, *names)) or Tally(day, *names)
    found[day, *names] = tally
    return tally


def add_up_sessions(batch: PreparedBatch) -> list[SessionStep]:
    """How far each session of the batch went."""
    found: dict[str, SessionStep] = {}
    for event in batch.events:
        if not event.session:
            continue
        step = found.get(event.session)
        if step is None:
            step = found[event.session] = SessionStep(
                clip(event.session, MOST_NAME),
                clip(event.agent, MOST_NAME),
                "",
                event.at,
                event.at,
                event.seq,
                event.seq,
            )
        step.first_at, step.last_at = min(step.first_at, event.at), max(step.last_at, event.at)
        step.last_seq = event.seq
        step.project = step.project or clip(event.project, MOST_NAME)
        step.events += 1
        step.refused += event.kind in REFUSED
    merged = {step.session: step for step in found.values()}  # two long names may be the same one when they are cut
    return list(merged.values())
