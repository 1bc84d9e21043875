"""Merges and commits while the tests fail."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_calls
from synaptic.policies.practice.lines import FRESH_SECONDS
from synaptic.policies.practice.sections import TESTS, read_test_status
from synaptic.policies.reading import sees_other_files
from synaptic.shell.paths import is_inside
from synaptic.shell.programs.git_line import GitCall

GOING_ON = ("abort", "quit", "continue")


class UntestedMerge(Policy):
    """Merging or committing on top of failing tests.

    ## What it does
    Denies `git merge` and `git commit` while the last run of the tests failed and is at most ten minutes old. Without a
    run, after a run that passed, and for `git merge --abort` everything is free. So is what runs on another machine or
    in a container (`ssh host 'git merge topic'`).
    ## Why
    A merge of code whose tests fail makes the failure everybody's.
    ## Known gaps
    `git pull`, `git rebase` and `git cherry-pick` are free. Only the project's own tests count.
    """

    id = "git.untested-merge"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git *"})
    priority = 27
    preset = "practice"
    is_gate = True
    needs = ("tests", TESTS)

    fresh: int = FRESH_SECONDS
    """Seconds for which a failing run counts."""
    commits: bool = True
    """Refuse commits as well."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        verb = next((call.verb for call in list_calls(event, facts) if self._is_gated(call, facts)), "")
        status = read_test_status(facts) if verb else None
        if status is None or status.has_passed or status.compute_age(facts.now) > self.fresh:
            return None
        return deny(
            f"{status.failures} test(s) failed {status.compute_age(facts.now)} s ago, so there is no `git {verb}` now. "
            "Make the tests pass and run them again; a run that passes releases this."
        )

    def _is_gated(self, call: GitCall, facts: Facts) -> bool:
        # The test status is the project's; another repository has tests of its own, on whichever machine.
        if sees_other_files(call.command):
            return False
        if call.cwd and not is_inside(call.cwd, (facts.root,)):
            return False
        if call.verb == "commit":
            return self.commits and not call.given.has("dry-run")
        return call.verb == "merge" and not call.given.has(*GOING_ON)
