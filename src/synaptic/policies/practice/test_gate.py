"""Source that is written while the tests fail."""

from typing import Annotated

from synaptic.model.decision import Verdict, advise, deny, record
from synaptic.model.effect import Effect, RemoveFile, WriteFile
from synaptic.model.event import PreToolUse
from synaptic.model.project import TestStatus
from synaptic.model.state import Change
from synaptic.policies.base import LOWER, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.lines import FRESH_SECONDS
from synaptic.policies.practice.records import RECORDS_FOLDER, TEST_STATUS_FILE, make_record_path
from synaptic.policies.practice.records import STRIKES_FILE as STRIKE_FILE
from synaptic.policies.practice.sections import STRIKES, TESTS, is_measured, read_test_status
from synaptic.policies.source_files import is_guarded, is_test, to_project_path


class TestGate(Policy):
    """More source on top of failing tests.

    ## What it does
    While `.claude/.test-status` says `fail` and is at most ten minutes old, the first write of a source file is
    advised against and every further one is denied. Test files are always free, and a run that passes starts anew.
    Where `practice.test-runner` measured the result, each write of a source file or a test runs the tests again; a
    result that it cannot measure again (no runner any more, a run that does not end) does not count.
    ## Why
    Code that is written on a broken base hides what broke it.
    ## Known gaps
    Files that a shell command writes are not seen. A status that nobody refreshes stops counting after `fresh` seconds.
    Other runners may write the status file, so whoever writes `pass` into it is believed.
    """

    # Without this pytest would collect the class because of its name.
    __test__ = False

    id = "practice.test-gate"
    events = (PreToolUse,)
    tools = ("Write", "Edit")
    priority = 31
    preset = "practice"
    is_gate = True
    needs = ("tests", TESTS, STRIKES)

    strikes: Annotated[int, LOWER] = 2
    """The write that is denied first; those before it are advised against."""
    fresh: int = FRESH_SECONDS
    """Seconds for which a failing run counts."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        path = to_project_path(event.tool.read_text("file_path"), facts.root)
        status = read_test_status(facts)
        if status is None or not is_guarded(path) or is_test(path):
            return None
        if status.has_passed:
            return _release_gate(facts)
        if status.compute_age(facts.now) > self.fresh:
            return None
        return self._judge_strike(status, facts)

    def _judge_strike(self, status: TestStatus, facts: Facts) -> Verdict:
        # A count that somebody else wrote is not believed, and no reason to start from nothing.
        known = self.strikes if STRIKES in facts.state.tampered else int(facts.state.read_number(STRIKES, "strikes"))
        count = known + 1
        age = status.compute_age(facts.now)
        told = f"{status.failures} test(s) failed {age} s ago, and this is source write {count} since"
        effects = _record_strike(count, facts)
        if count >= self.strikes:
            return deny(f"Tests are failing: {told}. {self._explain_release(status, facts)}", *effects)
        return advise(f"Tests are failing: {told}. Fix them now; the next source write is denied.", *effects)

    def _explain_release(self, status: TestStatus, facts: Facts) -> str:
        """What opens the gate again: only a runner of ours is known to run after each write."""
        again = (
            "the tests run again after each write of one"
            if is_measured(status, facts)
            else f"run the tests again with what wrote {RECORDS_FOLDER}/{TEST_STATUS_FILE}"
        )
        left = max(0, self.fresh - status.compute_age(facts.now))
        return (
            f"Make them pass first: test files may be written, {again}, and a run that passes releases this gate. "
            f"Without another run the result stops counting in {left} s."
        )


def _record_strike(count: int, facts: Facts) -> tuple[Effect, ...]:
    line = f"{count}|{int(facts.now)}\n"
    return (
        Change(section=STRIKES, add={"strikes": 1}, put={"at": int(facts.now)}),
        WriteFile(make_record_path(facts.root, STRIKE_FILE), line),
    )


def _release_gate(facts: Facts) -> Verdict | None:
    # Nothing to clear, as with nearly every write: no effect then.
    if not facts.state.read_section(STRIKES):
        return None
    return record(Change(section=STRIKES, clear=True), RemoveFile(make_record_path(facts.root, STRIKE_FILE)))
