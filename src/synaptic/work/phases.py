"""The order of a skill's phases: which move an effort may make, and what it is called."""

import re
from collections.abc import Sequence

import msgspec

from synaptic.model.errors import LayerError

LABEL_TEXT = re.compile(r"\s*(\d{1,6})(?:\.(\d{1,6}|[A-Za-z]))?\s*(?::\s*(.*?)\s*)?", re.DOTALL)
MAX_LABEL = 200


class PhaseLabel(msgspec.Struct, frozen=True):
    """`3.B: Review`: a major and a minor number (letters count from A = 1) and a name; a plain text has no numbers."""

    text: str
    major: int = -1
    minor: int = 0
    name: str = ""

    @property
    def is_numbered(self) -> bool:
        return self.major >= 0

    def is_same(self, other: "PhaseLabel") -> bool:
        """By number, and by name where both have one; a text without a number by itself."""
        if not (self.is_numbered and other.is_numbered):
            return self.text.casefold() == other.text.casefold()
        named = not (self.name and other.name) or self.name.casefold() == other.name.casefold()
        return (self.major, self.minor) == (other.major, other.minor) and named


class PlannedMove(msgspec.Struct, frozen=True):
    """Where an effort is after it was asked to move."""

    phase: str
    phases: tuple[str, ...]
    """What is declared from now on."""
    moved: bool = True


class AskedPhase(msgspec.Struct, frozen=True):
    """A phase, and why it is taken out of order."""

    label: str
    reason: str = ""


def parse_label(text: str) -> PhaseLabel:
    """Parse a label such as `3.B: Review`; text without a number is a label by itself."""
    plain = " ".join(text.split())
    found = LABEL_TEXT.fullmatch(plain)
    if found is None:
        return PhaseLabel(plain)
    minor = found[2] or "0"
    return PhaseLabel(plain, int(found[1]), int(minor) if minor.isdigit() else ord(minor.upper()) - 64, found[3] or "")


def plan_move(declared: Sequence[str], current: str, asked: AskedPhase) -> PlannedMove:
    """The move that was asked for. Raises LayerError for one that the declared phases do not allow.

    The next phase is free, and so is the next major one from anywhere in the current. A phase that was left out or a
    way back needs a reason. A higher sub-phase of the current major one need not be declared. Without any declared
    phase everything is allowed.
    """
    phases = tuple(" ".join(phase.split()) for phase in declared)
    wanted = _check_label(asked.label)
    if current and wanted.is_same(parse_label(current)):
        return PlannedMove(current, phases, moved=False)
    if not phases:
        return PlannedMove(wanted.text, ())
    places = [place for place, phase in enumerate(phases) if wanted.is_same(parse_label(phase))]
    if not places:
        return _add_undeclared(phases, current, wanted)
    if not _is_next(phases, current, places[0]) and (not current or not asked.reason.strip()):
        raise _make_order_error(phases, current, phases[places[0]])
    return PlannedMove(phases[places[0]], phases)


def find_next_phase(phases: Sequence[str], current: str) -> str:
    """The phase that comes next; nothing after the last one."""
    place = _find_place(phases, current) + 1
    return phases[place] if place < len(phases) else ""


def _check_label(text: str) -> PhaseLabel:
    label = parse_label(text)
    if not label.text or len(label.text) > MAX_LABEL:
        raise LayerError("VALIDATION_ERROR", f"a phase has a label of 1 to {MAX_LABEL} letters", hint='e.g. "2: Build"')
    return label


def _is_next(phases: Sequence[str], current: str, place: int) -> bool:
    at = _find_place(phases, current)
    if not current or place <= at:
        return place == 0 and not current
    major = parse_label(current).major
    between = [parse_label(phase).major for phase in phases[at + 1 : place]]
    return all(other == major >= 0 for other in between)


def _add_undeclared(phases: tuple[str, ...], current: str, wanted: PhaseLabel) -> PlannedMove:
    now = parse_label(current)
    taken = any(
        (parse_label(phase).major, parse_label(phase).minor) == (wanted.major, wanted.minor) for phase in phases
    )
    if not wanted.is_numbered or wanted.major != now.major or wanted.minor <= now.minor or taken:
        listed = "; ".join(phases)
        raise LayerError("UNKNOWN_PHASE", f"there is no phase {wanted.text!r}", hint=f"the phases are: {listed}")
    lower = [place for place, phase in enumerate(phases) if _is_below(parse_label(phase), wanted)]
    place = max(lower, default=_find_place(phases, current)) + 1
    return PlannedMove(wanted.text, (*phases[:place], wanted.text, *phases[place:]))


def _is_below(one: PhaseLabel, other: PhaseLabel) -> bool:
    return one.is_numbered and (one.major, one.minor) < (other.major, other.minor)


def _find_place(phases: Sequence[str], current: str) -> int:
    """Index of the current phase; of the last lower one where it is no longer declared, -1 before the first."""
    now = parse_label(current)
    lower = max((place for place, phase in enumerate(phases) if _is_below(parse_label(phase), now)), default=-1)
    return next((place for place, phase in enumerate(phases) if now.is_same(parse_label(phase))), lower)


def _make_order_error(phases: Sequence[str], current: str, wanted: str) -> LayerError:
    ahead = find_next_phase(phases, current)
    what = f"{wanted!r} does not follow {current!r}" if current else f"{wanted!r} is not the first phase"
    said = f"{what}; expected is {ahead!r}" if ahead else f"{what}, which is the last phase"
    hint = "say why with --reason" if current else f'type: synaptic effort phase "{ahead}"'
    return LayerError("PHASE_NOT_SEQUENTIAL", said, hint=hint)
