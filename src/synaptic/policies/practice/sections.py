"""What the practice remembers between events: names of sections, and reading them as values."""

from synaptic.model.decision import Verdict
from synaptic.model.effect import AppendLine, Effect
from synaptic.model.project import TestStatus
from synaptic.policies.facts import Facts
from synaptic.policies.practice.records import AUDIT_FILE, format_audit_line, make_record_path

STRIKES = "project:test-gate"
"""`strikes`, `at`: source writes while the tests fail."""
TESTS = "project:tests"
"""`result`, `failures`, `at`: what our own runner measured; `stuck`: since when it cannot measure again."""
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


def read_test_status(facts: Facts) -> TestStatus | None:
    """The newer of what our runner kept and what the file says: other runners write the file as well.

    None where our runner has tried since and has no result: nobody could make the old one better.
    """
    kept = _read_own_status(facts)
    newest = kept if facts.tests is None or (kept and kept.at > facts.tests.at) else facts.tests
    return None if newest and facts.state.read_number(TESTS, "stuck") > newest.at else newest


def is_measured(status: TestStatus, facts: Facts) -> bool:
    """Whether our own runner measured it, which runs again after each write."""
    kept = _read_own_status(facts)
    return kept is not None and kept.at >= int(status.at)


def list_changed_paths(facts: Facts) -> tuple[str, ...]:
    """The files of this session, each once."""
    return tuple(dict.fromkeys(str(path) for path in facts.state.read_items(CHANGES, "files")))


def has_untold_changes(facts: Facts) -> bool:
    """Whether something was written since the last summary."""
    return facts.state.read_number(CHANGES, "edits") > facts.state.read_number(CHANGES, "told")


def append_audit(facts: Facts, event: str, detail: str) -> AppendLine:
    """One line in the project's audit log."""
    return AppendLine(make_record_path(facts.root, AUDIT_FILE), format_audit_line(facts.now, event, detail))


def tell_user(text: str, *effects: Effect) -> Verdict:
    """A message for the user that the model does not see."""
    return Verdict(messages=(text,), effects=effects)


def _read_own_status(facts: Facts) -> TestStatus | None:
    result = facts.state.read_text(TESTS, "result")
    if result not in ("pass", "fail"):
        return None
    failures = int(facts.state.read_number(TESTS, "failures"))
    return TestStatus(result=result, failures=failures, at=facts.state.read_number(TESTS, "at"))
