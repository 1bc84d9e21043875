"""The order of a skill's phases: which move an effort may make, and what it is called."""

import re
from collections.abc import Sequence

import msgspec

from synaptic.model.errors import LayerError

LABEL = re.compile(r"\s*(\d{1,6})(?:\.(\d{1,6}|[A-Za-z]))?\s*(?::\s*(.*?)\s*)?", re.DOTALL)
LONGEST = 200


class Label(msgspec.Struct, frozen=True):
    """`3.B: Review`: a major and a minor number (letters count from A = 1) and a name; a plain text has no numbers."""

    text: str
    major: int = -1
    minor: int = 0
    name: str = ""

    @property
    def numbered(self) -> bool:
        return self.major >= 0

    def same(self, other: "Label") -> bool:
        """By number, and by name where both have one; a text without a number by itself."""
        if not (self.numbered and other.numbered):
            return self.text.casefold() == other.text.casefold()
        named = not (self.name and other.name) or self.name.casefold() == other.name.casefold()
        return (self.major, self.minor) == (other.major, other.minor) and named


class Move(msgspec.Struct, frozen=True):
    """Where an effort is after it was asked to move."""

    phase: str
    phases: tuple[str, ...]
    """What is declared from now on."""
    moved: bool = True


class Asked(msgspec.Struct, frozen=True):
    """A phase, and why it is taken out of order."""

    label: str
    reason: str = ""


def read(text: str) -> Label:
    """Parse a label such as `3.B: Review`; text without a number is a label by itself."""
    plain = " ".join(text.split())
    found = LABEL.fullmatch(plain)
    if found is None:
        return Label(plain)
    minor = found[2] or "0"
    return Label(plain, int(found[1]), int(minor) if minor.isdigit() else ord(minor.upper()) - 64, found[3] or "")


def move(declared: Sequence[str], current: str, asked: Asked) -> Move:
    """The move that was asked for. Raises LayerError for one that the declared phases do not allow.

    The next phase is free, and so is the next major one from anywhere in the current. A phase that was left out or a
    way back needs a reason. A higher sub-phase of the current major one need not be declared. Without any declared
    phase everything is allowed.
    """
    phases = tuple(" ".join(phase.split()) for phase in declared)
    wanted = _wanted(asked.label)
    if current and wanted.same(read(current)):
        return Move(current, phases, moved=False)
    if not phases:
        return Move(wanted.text, ())
    places = [place for place, phase in enumerate(phases) if wanted.same(read(phase))]
    if not places:
        return _undeclared(phases, current, wanted)
    if not _follows(phases, current, places[0]) and (not current or not asked.reason.strip()):
        raise _out_of_order(phases, current, phases[places[0]])
    return Move(phases[places[0]], phases)


def expected(phases: Sequence[str], current: str) -> str:
    """The phase that comes next; nothing after the last one."""
    place = _place(phases, current) + 1
    return phases[place] if place < len(phases) else ""


def _wanted(text: str) -> Label:
    label = read(text)
    if not label.text or len(label.text) > LONGEST:
        raise LayerError("VALIDATION_ERROR", f"a phase has a label of 1 to {LONGEST} letters", hint='e.g. "2: Build"')
    return label


def _follows(phases: Sequence[str], current: str, place: int) -> bool:
    at = _place(phases, current)
    if not current or place <= at:
        return place == 0 and not current
    major = read(current).major
    between = [read(phase).major for phase in phases[at + 1 : place]]
    return all(other == major >= 0 for other in between)


def _undeclared(phases: tuple[str, ...], current: str, wanted: Label) -> Move:
    now = read(current)
    taken = any((read(phase).major, read(phase).minor) == (wanted.major, wanted.minor) for phase in phases)
    if not wanted.numbered or wanted.major != now.major or wanted.minor <= now.minor or taken:
        listed = "; ".join(phases)
        raise LayerError("UNKNOWN_PHASE", f"there is no phase {wanted.text!r}", hint=f"the phases are: {listed}")
    lower = [place for place, phase in enumerate(phases) if _below(read(phase), wanted)]
    place = max(lower, default=_place(phases, current)) + 1
    return Move(wanted.text, (*phases[:place], wanted.text, *phases[place:]))


def _below(one: Label, other: Label) -> bool:
    return one.numbered and (one.major, one.minor) < (other.major, other.minor)


def _place(phases: Sequence[str], current: str) -> int:
    """Index of the current phase; of the last lower one where it is no longer declared, -1 before the first."""
    now = read(current)
    lower = max((place for place, phase in enumerate(phases) if _below(read(phase), now)), default=-1)
    return next((place for place, phase in enumerate(phases) if now.same(read(phase))), lower)


def _out_of_order(phases: Sequence[str], current: str, wanted: str) -> LayerError:
    ahead = expected(phases, current)
    what = f"{wanted!r} does not follow {current!r}" if current else f"{wanted!r} is not the first phase"
    said = f"{what}; expected is {ahead!r}" if ahead else f"{what}, which is the last phase"
    hint = "say why with --reason" if current else f'type: synaptic effort phase "{ahead}"'
    return LayerError("PHASE_NOT_SEQUENTIAL", said, hint=hint)
