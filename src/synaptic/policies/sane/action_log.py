"""Log every tool call and count the edits."""

from synaptic.model import sane
from synaptic.model.decision import Verdict, record
from synaptic.model.effect import Effect
from synaptic.model.event import PostToolUse, PostToolUseFailure, ToolEvent
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.known import read_texts
from synaptic.policies.sane.outcome import find_failure, is_interrupted
from synaptic.policies.sane.refuse import describe_call, describe_target, make_log_line
from synaptic.policies.sane.stamp import format_stamp

KEEP_FILES = 1000


class ActionLog(Policy):
    """Actions that nobody counted.

    ## What it does
    After each tool call: counts successful edits and their files, keeps the last 20 actions, and writes a line to
    `.claude/sanetools.log`, `.claude/sanetrack.log` and `.claude/audit.jsonl`. While it is on, every refused call is
    noted there too, and among the refusals that are counted, whoever refused it: a gate of this group, another policy,
    a script, or an agent's dialect that can say no but cannot ask.
    ## Why
    The summary, the score and the mirror need numbers, and operators read logs with plain tools.
    ## Known gaps
    Files that shell commands write are no counted edits. A payload that cannot be read is refused and in the journal
    alone. A call that a gate of this group has refused twice, and about which the user was then asked, is noted as
    blocked, whatever the user says.
    """

    id = "sane.action-log"
    events = (PostToolUse, PostToolUseFailure)
    priority = 45
    preset = "sane"
    needs = (sane.EDITS,)
    keeps_audit = True

    def check(self, event: ToolEvent, facts: Facts) -> Verdict | None:
        if not facts.root:
            return None
        failed = find_failure(event)
        good = failed is None and not is_interrupted(event)
        action = {
            "tool": event.tool_name,
            "timestamp": format_stamp(facts.now),
            "success": good,
            "error_sig": failed.signature if failed else None,
            "summary": describe_target(event),
        }
        kept = Change(section=sane.ACTION_LOG, append={sane.ENTRIES: action}, keep=sane.KEEP_ACTIONS)
        return record(*_count_edit(event, facts, good), kept, *_build_log_lines(event, facts, good))


def _count_edit(event: ToolEvent, facts: Facts, good: bool) -> tuple[Effect, ...]:
    file = next(iter(event.tool.paths), "")
    if not good or not event.tool.is_edit or not file:
        return ()
    new = file not in read_texts(facts.state, sane.EDITS, "unique_files")
    return (
        Change(
            section=sane.EDITS,
            add={"count": 1},
            put={"last_file": file},
            append={"unique_files": file} if new else {},
            keep=KEEP_FILES,
        ),
    )


def _build_log_lines(event: ToolEvent, facts: Facts, good: bool) -> tuple[Effect, ...]:
    tool = {"tool": event.tool_name}
    return (
        make_log_line(facts, "sanetools.log", {**tool, "blocked": False, "reason": None}),
        make_log_line(facts, "sanetrack.log", {**tool, "result": "success" if good else "failure"}),
        make_log_line(facts, "audit.jsonl", {**describe_call(event), "outcome": "allowed"}),
    )
