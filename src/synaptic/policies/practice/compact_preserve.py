"""Preserve the state of the work over a compaction."""

from synaptic.model.decision import Verdict, advise
from synaptic.model.effect import WriteFile
from synaptic.model.event import PreCompact
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.decisions import find_ids
from synaptic.policies.practice.lines import format_git_line, format_plan_line, format_tests_line
from synaptic.policies.practice.records import PRESERVED_FILE as PRESERVED_FILE
from synaptic.policies.practice.records import make_record_path
from synaptic.policies.practice.sections import CHANGES, PRESERVED, TESTS, list_changed_paths, read_test_status

SHOWN = 5


class CompactPreserve(Policy):
    """Context that a compaction would forget.

    ## What it does
    Before a compaction, gives the summary branch, plan, changed files, decisions, test status and the last audit lines
    to keep, writes them to `.claude/.preserved-context`, and has the next start of the session tell them first.
    ## Why
    The model that goes on has only the summary.
    ## Known gaps
    At most five files, decisions and audit lines are kept.
    """

    id = "practice.compact-preserve"
    events = (PreCompact,)
    priority = 60
    preset = "practice"
    needs = ("git", "dirty", "plan", "changed", "tests", "audit_tail", CHANGES, TESTS)

    def check(self, event: PreCompact, facts: Facts) -> Verdict | None:
        if not facts.root:
            return None
        text = "\n".join(_build_lines(facts))
        return advise(
            text,
            # Kept twice: the stored section is what the next session start reads, the file is for people and other
            # tools.
            Change(section=PRESERVED, put={"text": text}),
            WriteFile(make_record_path(facts.root, PRESERVED_FILE), f"{text}\n"),
        )


def _build_lines(facts: Facts) -> list[str]:
    lines = [format_git_line(facts)] if facts.git.is_known else []
    lines.append(format_plan_line(facts))
    if names := [path.rpartition("/")[2] for path in list_changed_paths(facts)]:
        lines.append(f"Changed: {_join_some(names)}")
    if decisions := list(dict.fromkeys(id for file in facts.changed for id in find_ids(file.text))):
        lines.append(f"Decisions: {_join_some(decisions)}")
    if tests := format_tests_line(facts):
        lines.append(tests)
    lines += (f"Audit: {line}" for line in facts.audit_tail[-SHOWN:])
    return [*lines, f"Resume: {_choose_next_step(facts)}"]


def _join_some(names: list[str]) -> str:
    more = f" (+{len(names) - SHOWN} more)" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _choose_next_step(facts: Facts) -> str:
    """The next thing to do, from the state alone."""
    status = read_test_status(facts)
    if status and not status.has_passed:
        return "fix the failing tests first."
    if facts.dirty:
        return "go on with the uncommitted changes, then have them reviewed and committed."
    return "go on with the current phase of the plan." if facts.plan.exists else "ask what comes next."
