"""What the checks of sub-agents have in common: their findings are kept for the next prompt."""

from synaptic.model.decision import Verdict
from synaptic.model.effect import AppendLine, Effect
from synaptic.model.state import Change
from synaptic.policies.facts import Facts
from synaptic.policies.practice.records import FINDINGS as FINDINGS_FILE
from synaptic.policies.practice.records import record_path
from synaptic.policies.practice.sections import FINDINGS, audit, tell_user

WAITS = "it ended with a question for approval and without the work done"


def report(agent: str, issues: list[str], fine: str, facts: Facts) -> Verdict:
    """The findings for the user now and for the model with the next prompt; without any, one reassuring line."""
    if not issues:
        return tell_user(f"{agent}: {fine}")
    # `;` and `|` separate the fields of the file.
    line = f"{agent}|{';'.join(issue.replace(';', ',').replace('|', '/') for issue in issues)}"
    effects: tuple[Effect, ...] = (
        Change(section=FINDINGS, append={"items": line}),
        AppendLine(record_path(facts.root, FINDINGS_FILE), line),
        *(audit(facts, f"agent_{agent}", issue) for issue in issues),
    )
    return tell_user(f"{agent}: " + "; ".join(issues), *effects)
