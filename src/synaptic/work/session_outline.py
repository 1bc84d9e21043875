"""A session in outline: its moments in their order, what each was, and which sub-agent it belonged to."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal

import msgspec

from synaptic.model.decision import Kind
from synaptic.store.db import Store
from synaptic.store.session_outline import MOST_EVENTS, OutlineRow, read_outline_rows, read_session_span
from synaptic.work.session_story import QUIET_WHATS, WHATS

Mark = Literal["d", "f", "a", "w", "p", "s", "c", "o"]
"""Denied, failed, asked about, rewritten, a prompt, of a sub-agent's life, a call, anything else."""
MARKS_OF_KINDS: dict[str, Mark] = {Kind.DENY: "d", Kind.ASK: "a", Kind.REWRITE: "w"}
PROMPT = "UserPromptSubmit"
MOST_KNOWN = 8
MOST_LANES = 6
"""Lanes of sub-agents; where more are at work at once, they share the last one."""


class Moment(msgspec.Struct, frozen=True):
    """One event of a session that is worth a look."""

    id: int
    at: float
    mark: Mark
    lane: int = 0
    """0 is the agent itself."""


class Branch(msgspec.Struct, frozen=True):
    """A sub-agent: its lane, and from which moment to which it was heard of, by their places."""

    name: str
    lane: int
    first: int
    last: int


class SessionOutline(msgspec.Struct, frozen=True, kw_only=True):
    """All of a session that a picture of it needs."""

    session: str
    moments: tuple[Moment, ...]
    branches: tuple[Branch, ...]
    is_cut: bool
    """There were more events before the first."""

    def count(self, marks: str) -> str:
        """How many moments have one of these marks."""
        return f"{sum(moment.mark in marks for moment in self.moments):,}{'+' if self.is_cut else ''}"

    def find_place(self, number: int) -> int:
        """The place of the moment that an event is, or that was before it; 0 where there is none."""
        low, high = 0, len(self.moments)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.moments[middle].id <= number else (low, middle)
        return max(low - 1, 0)


class _KnownOutlines(OrderedDict[str, tuple[tuple[int, int], SessionOutline]]):
    """The last ones that were read, each with the first and the newest event of its session then."""


def read_outline(store: Store, session: str) -> SessionOutline:
    """The outline of a session: a page asks for it several times, and one that has not grown is not read again."""
    known, span = store.cache(_KnownOutlines), read_session_span(store, session)
    if session in known and known[session][0] == span:
        return known[session][1]
    known[session] = span, _read_again(store, session)
    while len(known) > MOST_KNOWN:
        known.popitem(last=False)
    return known[session][1]


def _read_again(store: Store, session: str) -> SessionOutline:
    rows = read_outline_rows(store, session)
    shown = [(row, mark) for row in rows if (mark := choose_mark(row))]
    branches = find_branches([row.subagent for row, _ in shown])
    lanes = {branch.name: branch.lane for branch in branches}
    moments = tuple(Moment(row.id, row.at, mark, lanes.get(row.subagent, 0)) for row, mark in shown)
    return SessionOutline(session=session, moments=moments, branches=branches, is_cut=len(rows) >= MOST_EVENTS)


def choose_mark(row: OutlineRow) -> Mark | None:
    """What an event is in the outline; None for one that only repeats another, such as the result of a call."""
    if row.kind in MARKS_OF_KINDS:
        return MARKS_OF_KINDS[row.kind]
    if row.failed:
        return "f"
    if row.event == PROMPT:
        return "p"
    what = WHATS.get(row.event, "note")
    if what in QUIET_WHATS and row.kind == Kind.NONE:
        return None
    return "s" if what == "sub-agent" else "c" if what == "call" else "o"


def find_branches(names: Sequence[str]) -> tuple[Branch, ...]:
    """Sub-agents in the order of their beginnings, each in the first lane that is free while it is heard of."""
    spans: dict[str, tuple[int, int]] = {}
    for place, name in enumerate(names):
        if name:
            spans[name] = (spans[name][0] if name in spans else place, place)
    free_from = [-1] * MOST_LANES
    found = []
    for name, (first, last) in spans.items():
        lane = next((lane for lane, end in enumerate(free_from) if end < first), MOST_LANES - 1)
        free_from[lane] = max(free_from[lane], last)
        found.append(Branch(name, lane + 1, first, last))
    return tuple(found)
