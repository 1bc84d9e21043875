"""The picture of a session over which the scrubber moves: lanes, marks and how full the context was."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import msgspec

from synaptic.work.session_context import ContextPoint
from synaptic.work.session_outline import Mark, SessionOutline

WIDTH = 1000.0
SLOTS = 500
"""Marks that are nearer to each other are one."""
TOP, LANE, CONTEXT = 12.0, 13.0, 30.0
TONES: dict[Mark, tuple[str, float, float]] = {
    "c": ("call", 3.0, 4.0), "o": ("call", 3.0, 3.0), "s": ("sub", 4.0, 4.0), "w": ("rewritten", 5.0, 5.0),
    "f": ("failed", 5.0, 5.0), "a": ("asked", 5.0, 5.0), "d": ("denied", 6.0, 6.0), "p": ("prompt", 9.0, 5.0),
}  # fmt: skip
"""Of each mark its class, and how far it goes above and below the middle of its lane: later ones are drawn on top."""


class Shape(msgspec.Struct, frozen=True):
    """One path of the drawing."""

    name: str
    path: str


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """The drawing."""

    height: float
    shapes: tuple[Shape, ...]
    context: str
    """The area below the line of the context's share; "" where nothing is known."""
    context_top: float
    words: str
    """What is seen, for those who see no drawing."""


def draw_track(outline: SessionOutline, points: Sequence[ContextPoint]) -> Track:
    """The drawing of a session."""
    lanes = max((branch.lane for branch in outline.branches), default=0)
    base = TOP + lanes * LANE + LANE
    context = _draw_context(outline, points, base) if points and len(outline.moments) > 1 else ""
    shapes = (Shape("way", _draw_ways(outline)), *_draw_marks(outline))
    return Track(
        height=base + (CONTEXT if context else 0),
        shapes=tuple(shape for shape in shapes if shape.path),
        context=context,
        context_top=base,
        words=_describe(outline),
    )


def _draw_ways(outline: SessionOutline) -> str:
    """The agent's own line, and one for each sub-agent that leaves it where it begins."""
    last = len(outline.moments) - 1
    paths = [f"M0 {TOP}H{WIDTH:g}"]
    for branch in outline.branches[:SLOTS]:
        start, end, y = _place(branch.first, last), _place(branch.last, last), TOP + branch.lane * LANE
        paths.append(f"M{start:.1f} {TOP}V{y}H{max(end, start + 2):.1f}")
    return "".join(paths)


def _draw_marks(outline: SessionOutline) -> Iterator[Shape]:
    last = len(outline.moments) - 1
    width = min(max(WIDTH / max(last + 1, 1) * 0.6, 1.6), 6.0)
    seen: dict[Mark, dict[tuple[int, int], None]] = {mark: {} for mark in TONES}
    for place, moment in enumerate(outline.moments):
        slot = place * SLOTS // (last + 1) if last >= SLOTS else place
        seen[moment.mark][slot, moment.lane] = None
    most = SLOTS - 1 if last >= SLOTS else last
    for mark, (name, above, below) in TONES.items():
        yield Shape(name, "".join(
            f"M{_place(slot, most) - width / 2:.1f} {TOP + lane * LANE - above:g}h{width:.1f}v{above + below:g}"
            f"h-{width:.1f}z"
            for slot, lane in seen[mark]
        ))  # fmt: skip


def _draw_context(outline: SessionOutline, points: Sequence[ContextPoint], top: float) -> str:
    last, bottom = len(outline.moments) - 1, top + CONTEXT
    times = [moment.at for moment in outline.moments]
    steps = [
        (_place(max(bisect_right(times, one.at) - 1, 0), last), bottom - one.share * (CONTEXT - 2)) for one in points
    ]
    line = "".join(f"L{x:.1f} {y:.1f}" for x, y in steps)
    return f"M{steps[0][0]:.1f} {bottom}{line}V{bottom}z"


def _place(place: int, last: int) -> float:
    return place / last * WIDTH if last > 0 else WIDTH


def _describe(outline: SessionOutline) -> str:
    count = {mark: sum(moment.mark == mark for moment in outline.moments) for mark in TONES}
    return (
        f"{len(outline.moments)} moments: {count['p']} prompts, {count['d']} denied, {count['a']} asked about, "
        f"{count['w']} rewritten, {count['f']} with a hook that failed, {len(outline.branches)} sub-agents"
    )
