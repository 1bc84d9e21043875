"""Edits while the circuit breaker is tripped, and what trips it."""

from collections.abc import Mapping
from typing import Annotated

from synaptic.model import sane
from synaptic.model.decision import Verdict, record
from synaptic.model.event import PostToolUse, PostToolUseFailure, PreToolUse, ToolEvent
from synaptic.model.state import Change
from synaptic.model.tool import EDITS
from synaptic.policies.base import LOWER, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.cause import find_cause
from synaptic.policies.sane.known import is_hearsay, read_flag
from synaptic.policies.sane.outcome import BROAD_SIGNATURES, FailedCall, find_failure, is_interrupted, read_failure_text
from synaptic.policies.sane.refuse import refuse_call
from synaptic.policies.sane.shell_edit import edits_files
from synaptic.policies.sane.stamp import format_stamp

CAUSES = "causes"
"""A field of the section beside the documented ones: how often the very same failure was seen."""
MAX_COUNTED = 40
"""Failures that are counted; of more, those that have not come again for the longest time are forgotten."""


class EditAfterFailures(Policy):
    """Edits while the circuit breaker is tripped.

    ## What it does
    Counts failures of shell commands and edits: by the error field and the exit code, never by what was printed. The
    breaker trips at `threshold` failures in a row, and at `threshold` failures of the same kind, or of the very same
    failure, successes in between or not. The same failure is the same test that fails with the same kind of error, or
    the same words, whatever paths, lines, numbers and times they name: an edit in between makes it no other. While it
    is tripped, edits and shell commands that write files are denied. Reading and read-only commands stay free, so that
    the cause can be examined. Only the user resets it, with the prompt `reset breaker`; neither a success nor a new
    session does.
    ## Why
    An agent that keeps failing keeps making it worse.
    ## Known gaps
    GENERIC_ERROR and COMMAND_FAILED say nothing about the cause: they count in a row and by what they say, not by kind;
    a failure without a word counts in a row alone. Failures that end at the same instant may be counted as one. Two
    failures that differ in numbers only are one. A program that writes files on its own (`make`, a script)
    is not a writing command.
    """

    id = "sane.edit-after-failures"
    events = (PreToolUse, PostToolUse, PostToolUseFailure)
    tools = ("Bash", "PowerShell", *sorted(EDITS))
    priority = 26
    preset = "sane"
    is_gate = True
    needs = (sane.CIRCUIT_BREAKER, sane.ENFORCEMENT)

    threshold: Annotated[int, LOWER] = 3
    """Failures that trip the breaker."""

    def check(self, event: ToolEvent, facts: Facts) -> Verdict | None:
        if isinstance(event, PreToolUse):
            return self._judge_call(event, facts)
        if is_interrupted(event):
            return None
        failed = find_failure(event)
        return self._record_success(facts) if failed is None else self._record_failure(event, failed, facts)

    def _judge_call(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if not read_flag(facts.state, sane.CIRCUIT_BREAKER, "tripped"):
            return None
        if facts.command and not edits_files(facts.command, facts.root):
            return None
        last = facts.state.read_text(sane.CIRCUIT_BREAKER, "last_error").partition("\n")[0]
        because = f" (last: {last})" if last else ""
        reason = (
            f"The circuit breaker is tripped after repeated failures{because}: edits are blocked. Read and examine the "
            "cause, tell the user, and let the user type `reset breaker`."
        )
        return refuse_call(self.id, event, facts, reason)

    def _record_success(self, facts: Facts) -> Verdict | None:
        """Set the count of consecutive failures to 0. Counts by kind stay, and a tripped breaker stays tripped."""
        failures = facts.state.read_number(sane.CIRCUIT_BREAKER, "failures")
        if not failures or is_hearsay(facts) or read_flag(facts.state, sane.CIRCUIT_BREAKER, "tripped"):
            return None
        # Failures that end at the same time add up in the store while each of them saw fewer: the trip is made up for
        # here.
        if failures >= self.threshold:
            return record(Change(section=sane.CIRCUIT_BREAKER, put=self._build_tripped(facts)))
        return record(Change(section=sane.CIRCUIT_BREAKER, put={"failures": 0}))

    def _record_failure(self, event: ToolEvent, failed: FailedCall, facts: Facts) -> Verdict:
        section = facts.state.read_section(sane.CIRCUIT_BREAKER)
        kinds = _count_once_more(section.get("error_signatures"), failed.signature)
        cause = find_cause(read_failure_text(event))
        causes = _count_once_more(section.get(CAUSES), cause)
        in_a_row = facts.state.read_number(sane.CIRCUIT_BREAKER, "failures") + 1
        again = self._find_repeated(failed.signature, kinds, cause, causes)
        trips = in_a_row >= self.threshold or bool(again)
        already = read_flag(facts.state, sane.CIRCUIT_BREAKER, "tripped")
        put = {
            "last_error": failed.message,
            "error_signatures": kinds,
            CAUSES: causes,
            **(self._build_tripped(facts) if trips else {}),
        }
        change = Change(section=sane.CIRCUIT_BREAKER, put=put, add={"failures": 1})
        if not trips or already:
            return record(change)
        why = again or f"{in_a_row:.0f} failures in a row"
        told = f"The circuit breaker tripped: {why}. Edits are blocked until the user types `reset breaker`."
        return Verdict(context=(told,), messages=(told,), effects=(change,))

    def _find_repeated(self, kind: str, kinds: Mapping[str, int], cause: str, causes: Mapping[str, int]) -> str:
        """What has happened too often, if anything has."""
        if kind not in BROAD_SIGNATURES and kinds[kind] >= self.threshold:
            return f"{kinds[kind]}x {kind}"
        return f"the same failure {causes[cause]} times ({cause})" if causes.get(cause, 0) >= self.threshold else ""

    def _build_tripped(self, facts: Facts) -> dict[str, object]:
        if read_flag(facts.state, sane.CIRCUIT_BREAKER, "tripped"):
            return {"tripped": True}
        return {"tripped": True, "tripped_at": format_stamp(facts.now)}


def _count_once_more(known: object, name: str) -> dict[str, int]:
    """Counts by name with one more of this one, which is the newest now; without a name, the counts as they are."""
    counts = {key: n for key, n in known.items() if isinstance(n, int)} if isinstance(known, Mapping) else {}
    if name:
        counts[name] = counts.pop(name, 0) + 1
    return dict(list(counts.items())[-MAX_COUNTED:])
