"""What the practice remembers between events: names of sections, and reading them as values."""

from synaptic.model.decision import Verdict
from synaptic.model.effect import AppendLine, Effect
from synaptic.model.project import TestStatus
from synaptic.policies.facts import Facts
from synaptic.policies.practice.records import AUDIT, audit_line, record_path

STRIKES = "project:test-gate"
"""`strikes`, `at`: source writes while the tests fail."""
TESTS = "project:tests"
"""`result`, `failures`, `at`: what our own runner measured."""
LINT = "project:lint"
"""`state`, `count`, `at`: the breaker; `languages`: which linter was used for which."""
FINDINGS = "project:findings"
"""`items`: what the checks of sub-agents found, until a prompt has told it."""
CHANGES = "session:changes"
"""`files`: each path once; `edits`: how many writes; `told`: how many of them a summary has covered."""
PROMPTS = "session:prompts"
"""`count`."""
PRESERVED = "session:preserved"
"""`text`: what a compaction must not lose."""


def test_status(facts: Facts) -> TestStatus | None:
    """The newer of what our runner kept and what the file says: other runners write the file as well."""
    kept = _kept(facts)
    if facts.tests is None or (kept and kept.at > facts.tests.at):
        return kept
    return facts.tests


def changed_paths(facts: Facts) -> tuple[str, ...]:
    """The files of this session, each once."""
    return tuple(dict.fromkeys(str(path) for path in facts.state.items(CHANGES, "files")))


def untold(facts: Facts) -> bool:
    """Whether something was written since the last summary."""
    return facts.state.number(CHANGES, "edits") > facts.state.number(CHANGES, "told")


def audit(facts: Facts, event: str, detail: str) -> AppendLine:
    """One line in the project's audit log."""
    return AppendLine(record_path(facts.root, AUDIT), audit_line(facts.now, event, detail))


def tell_user(text: str, *effects: Effect) -> Verdict:
    """A message for the user that the model does not see."""
    return Verdict(messages=(text,), effects=effects)


def _kept(facts: Facts) -> TestStatus | None:
    result = facts.state.text(TESTS, "result")
    if result not in ("pass", "fail"):
        return None
    failures = int(facts.state.number(TESTS, "failures"))
    return TestStatus(result=result, failures=failures, at=facts.state.number(TESTS, "at"))
