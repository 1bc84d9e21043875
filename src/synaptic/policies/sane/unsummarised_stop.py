"""Turns that end without a word about what was done."""

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.event import Stop
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.known import read_flag, read_texts
from synaptic.policies.sane.refuse import make_log_line
from synaptic.policies.sane.research import list_researched
from synaptic.policies.sane.stamp import format_stamp

SCORES = ((0, 10), (2, 9), (4, 8), (7, 7), (10, 6))
"""Refusals up to which a score holds; more than the last is 5."""
LOWEST = 5
FEATURE_EDITS = 5
KEEP_LEARNINGS = 50


class UnsummarisedStop(Policy):
    """Turns that end without a word about what was done.

    ## What it does
    When the agent stops after `edits` edits or in `files` files, reminds of a summary, and says the numbers to the
    user: edits, files, research, failures, refusals, score. Writes one line to `.claude/sanestop.log` and, for a turn
    with that much work or a tripped breaker, a learning. It never keeps an agent from stopping.
    ## Why
    What is not written down at the end of a session is lost to the next one.
    ## Known gaps
    A stop is the end of a turn; a session has as many as it has turns.
    """

    id = "sane.unsummarised-stop"
    events = (Stop,)
    priority = 60
    preset = "sane"
    needs = (sane.EDITS, sane.RESEARCH, sane.CIRCUIT_BREAKER, sane.ENFORCEMENT)

    edits: int = 3
    """Edits from which a summary is asked for."""
    files: int = 2
    """Different files from which a summary is asked for."""

    def check(self, event: Stop, facts: Facts) -> Verdict | None:
        if event.stop_hook_active or not facts.root:
            return None
        state = facts.state
        numbers = {
            "edits": int(state.read_number(sane.EDITS, "count")),
            "unique_files": len(set(read_texts(state, sane.EDITS, "unique_files"))),
            "research_done": len(list_researched(state)),
            "failures": int(state.read_number(sane.CIRCUIT_BREAKER, "failures")),
            "blocks": len(state.read_items(sane.ENFORCEMENT, "blocks")),
        }
        logged = make_log_line(
            facts, "sanestop.log", {**numbers, "halted": state.read_flag(sane.ENFORCEMENT, "halted")}
        )
        much = numbers["edits"] >= self.edits or numbers["unique_files"] >= self.files
        tripped = read_flag(state, sane.CIRCUIT_BREAKER, "tripped")
        learned = (_make_learning(numbers, tripped, facts),) if much or tripped else ()
        return Verdict(messages=_build_messages(numbers, much), effects=(logged, *learned))


def compute_score(blocks: int) -> int:
    """How smoothly a session went, by its refusals: 10 is best."""
    return next((points for most, points in SCORES if blocks <= most), LOWEST)


def _build_messages(numbers: dict[str, int], much: bool) -> tuple[str, ...]:
    if not numbers["edits"]:
        return ()
    told = (
        f"{numbers['edits']} edits in {numbers['unique_files']} files, research {numbers['research_done']} of "
        f"{len(sane.CATEGORIES)}, {numbers['failures']} failures, {numbers['blocks']} refusals, "
        f"score {compute_score(numbers['blocks'])}/10."
    )
    return (told, "Ask for a session summary before you leave: what was done, what is next.") if much else (told,)


def _make_learning(numbers: dict[str, int], tripped: bool, facts: Facts) -> Change:
    kind = "recovery" if tripped else "feature" if numbers["edits"] >= FEATURE_EDITS else "maintenance"
    entry = {"type": kind, "at": format_stamp(facts.now), "score": compute_score(numbers["blocks"]), **numbers}
    return Change(section=sane.LEARNINGS, append={sane.ENTRIES: entry}, keep=KEEP_LEARNINGS)
