"""`MASTER_PLAN.md`: its phases, how far they are, and what is wrong with it."""

import re
from collections.abc import Iterator

import msgspec

from synaptic.policies.practice.decisions import find_malformed_ids

HEADING = re.compile(r"## Phase (\d+)(.*)")
ANY_PHASE = re.compile(r"#+ .*phase|\*\*Phase", re.IGNORECASE)
STATUS = re.compile(r"\*\*Status:\*\*\s*(.*)")
STATUSES = ("planned", "in-progress", "completed")
INTENT = re.compile(r"#+ .*(?:intent|vision|user request|original)", re.IGNORECASE)
PURPOSE = re.compile(r"#+ .*(?:intent|vision|purpose|problem|overview|goal|what|why|background|summary)", re.IGNORECASE)
WORK_WORDS = re.compile(r"\bissues?\b|\btasks?\b|\bTODOs?\b", re.IGNORECASE)
FENCE = re.compile(r"\s*(?:```|~~~)")


class PlanPhase(msgspec.Struct, frozen=True):
    """One `## Phase N` with everything up to the next one."""

    number: str
    title: str
    body: str

    @property
    def status(self) -> str:
        """The word after `**Status:**`; empty when there is none."""
        found = STATUS.search(self.body)
        return found[1].split()[0].lower() if found and found[1].split() else ""


class PlanStatus(msgspec.Struct, frozen=True):
    """How far a plan is."""

    total: int = 0
    completed: int = 0
    in_progress: int = 0
    phase: str = ""
    """The last heading that names a phase."""

    @property
    def line(self) -> str:
        where = f", current: {self.phase.lstrip('#* ')}" if self.phase else ""
        return f"{self.completed}/{self.total} phases completed{where}"


def parse_phases(text: str) -> tuple[PlanPhase, ...]:
    """The phases in order; each ends where the next one, or another heading of its level, begins."""
    found: list[tuple[str, str, list[str]]] = []
    open_phase = False
    for line in _iter_plain_lines(text):
        heading = HEADING.match(line)
        if heading:
            found.append((heading[1], line, []))
        if re.match(r"#{1,2} ", line):
            open_phase = heading is not None
        elif open_phase and found:
            found[-1][2].append(line)
    return tuple(PlanPhase(number, title, "\n".join(body)) for number, title, body in found)


def read_plan_status(text: str) -> PlanStatus:
    """Counts of phases and the one that comes last."""
    known = parse_phases(text)
    named = [line for line in _iter_plain_lines(text) if ANY_PHASE.match(line)]
    return PlanStatus(
        total=len(known),
        completed=sum(phase.status == "completed" for phase in known),
        in_progress=sum(phase.status == "in-progress" for phase in known),
        phase=named[-1].strip() if named else "",
    )


def find_problems(text: str) -> tuple[str, ...]:
    """What a plan must have and has not."""
    found = []
    if not any(INTENT.match(line) for line in _iter_plain_lines(text)):
        found.append("no section for the original intent (a heading with Intent, Vision, User Request or Original)")
    for phase in parse_phases(text):
        found += _find_phase_problems(phase)
    if wrong := find_malformed_ids(text):
        found.append(f"decision ids must look like DEC-AUTH-001: {', '.join(wrong)}")
    return tuple(found)


def has_purpose(text: str) -> bool:
    """Whether a heading says what the plan is for."""
    return any(PURPOSE.match(line) for line in _iter_plain_lines(text))


def mentions_work(text: str) -> bool:
    """Whether issues, tasks or TODOs are mentioned."""
    return WORK_WORDS.search(text) is not None


def count_age_days(modified: float, now: float) -> int:
    """Whole days since a plan was touched."""
    return max(0, int((now - modified) // 86400))


def _find_phase_problems(phase: PlanPhase) -> Iterator[str]:
    if phase.status not in STATUSES:
        yield f"Phase {phase.number} needs `**Status:** {' | '.join(STATUSES)}`"
    if phase.status == "completed" and not _has_log_entry(phase.body):
        yield f"Phase {phase.number} is completed and its `### Decision Log` has no entry"


def _has_log_entry(body: str) -> bool:
    """A line below `### Decision Log` that is more than a comment."""
    _, found, rest = body.partition("### Decision Log")
    entries = re.split(r"^### ", rest, maxsplit=1, flags=re.MULTILINE)[0].partition("\n")[2]
    # The comment of a template is no entry.
    visible = re.sub(r"<!--.*?-->", "", entries, flags=re.DOTALL)
    return bool(found) and bool(visible.strip())


def _iter_plain_lines(text: str) -> Iterator[str]:
    """Lines outside of fenced blocks: an example of a plan is no plan."""
    fenced = False
    for line in text.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield line
