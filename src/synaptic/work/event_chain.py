"""The way of one event through the hooks, as a picture needs it: who saw which input, in which order, and said what."""

from typing import Literal

import msgspec

from synaptic.model.decision import POLICIES, Decision, Kind, TraceStep
from synaptic.pipeline.explain import describe_outcome
from synaptic.work.event_words import TONES, Tone

JUDGING = ("run", "recheck", "told", "shadow")
"""Phases in which a hook looks at the call."""
Sight = Literal["first", "between", "final", "none"]
"""Which input a hook saw: as the agent sent it, as another hook had made it, as it ran, or none at all."""


class ChainLink(msgspec.Struct, frozen=True, kw_only=True):
    """One hook's turn."""

    hook: str
    priority: int
    phase: str
    words: str
    tone: Tone
    sees: Sight
    writes: bool
    """It has rewritten the input."""
    reason: str
    note: str
    source: str
    stderr: str
    micros: int
    share: float
    """Of the longest turn: from 0 to 1."""


class EventChain(msgspec.Struct, frozen=True):
    """All turns in their order, and who had nothing to say."""

    links: tuple[ChainLink, ...]
    silent: tuple[str, ...]
    unreached: tuple[str, ...]
    """Policies that were not asked any more after a refusal."""


def make_chain(decision: Decision) -> EventChain:
    """The chain of a decision."""
    together = [step for step in decision.trace if step.hook == POLICIES]
    steps = [step for step in decision.trace if step.hook != POLICIES]
    return EventChain(
        tuple(_make_links(steps)),
        _list_names(together, is_quiet=True),
        _list_names(together, is_quiet=False),
    )


def choose_tone(step: TraceStep) -> Tone:
    """How what a hook said is to be taken."""
    if step.fault:
        return "failed"
    return "plain" if step.phase in ("shadow", "lifted", "skipped") else TONES.get(step.kind, "plain")


def _make_links(steps: list[TraceStep]) -> list[ChainLink]:
    longest = max((step.micros for step in steps), default=0) or 1
    last = max((place for place, step in enumerate(steps) if _is_rewrite(step)), default=-1)
    links, has_changed = [], False
    for place, step in enumerate(steps):
        sees = _find_sight(step, has_changed, place > last)
        has_changed = has_changed or _is_rewrite(step)
        links.append(_make_link(step, sees, step.micros / longest))
    return links


def _make_link(step: TraceStep, sees: Sight, share: float) -> ChainLink:
    return ChainLink(
        hook=step.hook,
        priority=step.priority,
        phase=step.phase,
        words=describe_outcome(step),
        tone=choose_tone(step),
        sees=sees,
        writes=_is_rewrite(step),
        reason=step.reason,
        note=step.note,
        source=step.source,
        stderr=step.stderr,
        micros=step.micros,
        share=round(share, 3),
    )


def _is_rewrite(step: TraceStep) -> bool:
    return step.kind is Kind.REWRITE and step.phase in ("run", "recheck")


def _find_sight(step: TraceStep, has_changed: bool, is_after_last: bool) -> Sight:
    if step.phase not in JUDGING:
        return "none"
    return "final" if has_changed and is_after_last else "between" if has_changed else "first"


def _list_names(steps: list[TraceStep], *, is_quiet: bool) -> tuple[str, ...]:
    notes = [step.note for step in steps if (step.phase == "quiet") is is_quiet]
    return tuple(name for note in notes for name in note.removeprefix("after a deny: ").split())
