"""The project's tests, run after a change."""

from synaptic.model.decision import Verdict, record
from synaptic.model.errand import RunTests
from synaptic.model.event import PostToolUse
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.sections import TESTS
from synaptic.policies.source_files import to_project_path, triggers_tests


class TestRunner(Policy):
    """Changes whose tests nobody runs.

    ## What it does
    After a source file or a test was written, runs the project's tests in the background: a moment later, one run at a
    time, a newer one in place of an older one. The result goes to `.claude/.test-status` and, with the session's next
    event, to the model. JavaScript and TypeScript tests (`a.test.ts`, `a.spec.mjs`, `__tests__/a.js`) count like any
    other; they run by vitest or jest where those are configured and installed, else by the `test` script of
    `package.json` with the package manager that is locked (pnpm, yarn, bun, npm). A run that cannot be started or does
    not end takes the older result away: nobody is held to what nobody can make better.
    ## Why
    The test gate and everybody who reads the status need a result that is true and young.
    ## Known gaps
    The whole suite runs, whatever was changed; one that takes longer than `timeout` has no result. It runs a program of
    the project, so a project's own config cannot switch it on.
    """

    # Without this pytest would collect the class because of its name.
    __test__ = False

    id = "practice.test-runner"
    events = (PostToolUse,)
    tools = ("Write", "Edit")
    priority = 63
    preset = "practice"
    runs = True
    needs = ("target", "suite", TESTS)

    timeout: float = 60.0
    """Seconds a run may take."""
    debounce: float = 2.0
    """Seconds of quiet before a run starts."""
    cooldown: float = 10.0
    """Seconds between the starts of two runs."""

    def check(self, event: PostToolUse, facts: Facts) -> Verdict | None:
        path = to_project_path(event.tool.read_text("file_path"), facts.root)
        suite = facts.suite
        if not facts.root or not triggers_tests(path) or not facts.target.exists:
            return None
        if not suite.argv:
            return _note_no_runner(facts)
        return record(
            RunTests(
                name=suite.name,
                argv=suite.argv,
                cwd=suite.cwd,
                timeout=self.timeout,
                debounce=self.debounce,
                cooldown=self.cooldown,
            )
        )


def _note_no_runner(facts: Facts) -> Verdict | None:
    """A failing result of ours that no run can replace any more stops counting."""
    if facts.state.read_text(TESTS, "result") != "fail":
        return None
    return record(Change(section=TESTS, put={"stuck": facts.now}))
