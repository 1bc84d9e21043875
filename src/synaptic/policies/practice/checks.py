"""What the checks of sub-agents have in common: their findings are kept for the next prompt."""

from synaptic.model.decision import Verdict
from synaptic.model.effect import AppendLine, Effect
from synaptic.model.state import Change
from synaptic.policies.facts import Facts
from synaptic.policies.practice.records import FINDINGS_FILE as FINDINGS_FILE
from synaptic.policies.practice.records import make_record_path
from synaptic.policies.practice.sections import FINDINGS, append_audit, tell_user

WAITS_FOR_APPROVAL = "it ended with a question for approval and without the work done"


def report_findings(agent: str, issues: list[str], fine: str, facts: Facts) -> Verdict:
    """The findings for the user now and for the model with the next prompt; without any, one reassuring line."""
    if not issues:
        return tell_user(f"{agent}: {fine}")
    # `;` and `|` separate the fields of the file.
    line = f"{agent}|{';'.join(issue.replace(';', ',').replace('|', '/') for issue in issues)}"
    effects: tuple[Effect, ...] = (
        Change(section=FINDINGS, append={"items": line}),
        AppendLine(make_record_path(facts.root, FINDINGS_FILE), line),
        *(append_audit(facts, f"agent_{agent}", issue) for issue in issues),
    )
    return tell_user(f"{agent}: " + "; ".join(issues), *effects)
