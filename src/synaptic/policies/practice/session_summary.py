"""What a turn has changed, in one line."""

from synaptic.model.decision import Verdict
from synaptic.model.event import Stop
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.decisions import has_decision
from synaptic.policies.practice.lines import describe_branch
from synaptic.policies.practice.sections import (
    CHANGES,
    TESTS,
    has_untold_changes,
    list_changed_paths,
    read_test_status,
    tell_user,
)
from synaptic.policies.source_files import is_source


class SessionSummary(Policy):
    """A turn that ends without saying what it changed.

    ## What it does
    When a turn that wrote files ends, tells the user how many files the session has changed, how many carry a
    decision, the branch, whether it is clean, and how the tests stand.
    ## Why
    One line at the end is read; a scroll back is not.
    ## Known gaps
    Files that a shell command wrote are not counted.
    """

    id = "practice.session-summary"
    events = (Stop,)
    priority = 60
    preset = "practice"
    needs = ("git", "dirty", "changed", "tests", CHANGES, TESTS)

    fresh: int = 1800
    """Seconds after which a test run counts as none."""

    def check(self, event: Stop, facts: Facts) -> Verdict | None:
        paths = list_changed_paths(facts)
        if event.stop_hook_active or not paths or not has_untold_changes(facts):
            return None
        told = Change(section=CHANGES, put={"told": facts.state.read_number(CHANGES, "edits")})
        return tell_user(
            " ".join((_describe_files(paths, facts), *_describe_git(facts), self._describe_tests(facts))), told
        )

    def _describe_tests(self, facts: Facts) -> str:
        status = read_test_status(facts)
        if status is None or status.compute_age(facts.now) > self.fresh:
            return "Tests: not run."
        return "Tests: passing." if status.has_passed else f"Tests: {status.failures} failing. Next: fix them."


def _describe_files(paths: tuple[str, ...], facts: Facts) -> str:
    source = sum(map(is_source, paths))
    decided = sum(has_decision(file.text) for file in facts.changed)
    return (
        f"Session: {len(paths)} file(s) changed ({source} source, {len(paths) - source} config/other). "
        f"{decided} file(s) with @decision."
    )


def _describe_git(facts: Facts) -> tuple[str, ...]:
    if not facts.git.is_known:
        return ()
    state = f"{facts.dirty} uncommitted" if facts.dirty else "clean"
    return (f"Git: {describe_branch(facts.git)}, {state}.",)
