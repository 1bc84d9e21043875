"""Compare the decisions in the code with those in the plan."""

from collections.abc import Iterable

from synaptic.model.decision import Verdict
from synaptic.model.effect import Effect
from synaptic.model.event import Stop
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice import plan
from synaptic.policies.practice.check_implementer import list_undecided
from synaptic.policies.practice.decisions import find_ids, find_retired_ids, has_decision, has_rationale
from synaptic.policies.practice.sections import CHANGES, append_audit, has_untold_changes, tell_user
from synaptic.policies.source_files import is_skippable, is_source, is_test, to_project_path

SHOWN = 5


class Surface(Policy):
    """Decisions that live in nobody's memory but the session's.

    ## What it does
    At the end of a turn that changed source, looks for changed files without a decision or without its rationale, and
    compares the decision ids of the code with those of `MASTER_PLAN.md`. What it finds goes to `.claude/.audit-log`
    as `decision_gap` and `plan_drift`, and in one line to the user.
    ## Why
    Plan and code drift apart one unwritten decision at a time.
    ## Known gaps
    Very large trees are not read to the end; then ids of the plan are not called unimplemented.
    """

    id = "practice.surface"
    events = (Stop,)
    priority = 50
    preset = "practice"
    needs = ("changed", "code", "plan", CHANGES)

    def check(self, event: Stop, facts: Facts) -> Verdict | None:
        if event.stop_hook_active or not facts.root or not has_untold_changes(facts):
            return None
        sources = [file for file in facts.changed if _is_counted(to_project_path(file.path, facts.root))]
        if not sources:
            return None
        unreasoned = [
            to_project_path(file.path, facts.root)
            for file in sources
            if has_decision(file.text) and not has_rationale(file.text)
        ]
        gaps = [
            *_name_some("without a decision", list_undecided(facts)),
            *_name_some("without a rationale", unreasoned),
        ]
        return _report_gaps(gaps, _find_drift(facts), facts)


def _is_counted(path: str) -> bool:
    return is_source(path) and not is_skippable(path) and not is_test(path)


def _find_drift(facts: Facts) -> list[str]:
    """Ids that only one side knows."""
    if not facts.plan.exists:
        return []
    planned, coded = find_ids(facts.plan.text), tuple(facts.code.decisions)
    found = list(_name_some("unplanned", sorted(set(coded) - set(planned))))
    # A search that was cut short cannot tell that an id is nowhere in the code.
    if facts.code.complete:
        retired = find_retired_ids(facts.plan.text)
        found += _name_some("unimplemented", sorted(set(planned) - set(coded) - retired))
    return [*found, f"plan {plan.read_plan_status(facts.plan.text).line}"] if found else []


def _name_some(what: str, names: Iterable[str]) -> list[str]:
    listed = list(names)
    more = f" (+{len(listed) - SHOWN} more)" if len(listed) > SHOWN else ""
    return [f"{what}: {', '.join(listed[:SHOWN])}{more}"] if listed else []


def _report_gaps(gaps: list[str], drift: list[str], facts: Facts) -> Verdict | None:
    effects: list[Effect] = []
    if gaps:
        effects.append(append_audit(facts, "decision_gap", "; ".join(gaps)))
    if drift:
        effects.append(append_audit(facts, "plan_drift", "; ".join(drift)))
    return tell_user("Decisions: " + "; ".join([*gaps, *drift]), *effects) if effects else None
