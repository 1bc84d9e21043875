"""Source that is written while the tests fail."""

from typing import Annotated

from synaptic.model.decision import Verdict, advise, deny, record
from synaptic.model.effect import Effect, RemoveFile, WriteFile
from synaptic.model.event import PreToolUse
from synaptic.model.project import TestStatus
from synaptic.model.state import Change
from synaptic.policies.base import LOWER, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.lines import FRESH
from synaptic.policies.practice.records import STRIKES as STRIKE_FILE
from synaptic.policies.practice.records import record_path
from synaptic.policies.practice.sections import STRIKES, TESTS, test_status
from synaptic.policies.source_files import is_guarded, is_test, local


class TestGate(Policy):
    """More source on top of failing tests.

    ## What it does
    While `.claude/.test-status` says `fail` and is at most ten minutes old, the first write of a source file is
    advised against and every further one is denied. Test files are always free, and a run that passes starts anew.
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
    needs = ("tests", TESTS, STRIKES)

    strikes: Annotated[int, LOWER] = 2
    """The write that is denied first; those before it are advised against."""
    fresh: int = FRESH
    """Seconds for which a failing run counts."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        path = local(event.tool.text("file_path"), facts.root)
        status = test_status(facts)
        if status is None or not is_guarded(path) or is_test(path):
            return None
        if status.passed:
            return _released(facts)
        if status.age(facts.now) > self.fresh:
            return None
        return self._strike(status, facts)

    def _strike(self, status: TestStatus, facts: Facts) -> Verdict:
        # A count that somebody else wrote is not believed, and no reason to start from nothing.
        known = self.strikes if STRIKES in facts.state.tampered else int(facts.state.number(STRIKES, "strikes"))
        count = known + 1
        told = f"{status.failures} test(s) failed {status.age(facts.now)} s ago, and this is source write {count} since"
        effects = _counted(count, facts)
        if count >= self.strikes:
            return deny(
                f"Tests are failing: {told}. Make them pass first: test files may be written, the tests run again "
                "after each write, and a run that passes releases this gate.",
                *effects,
            )
        return advise(f"Tests are failing: {told}. Fix them now; the next source write is denied.", *effects)


def _counted(count: int, facts: Facts) -> tuple[Effect, ...]:
    line = f"{count}|{int(facts.now)}\n"
    return (
        Change(section=STRIKES, add={"strikes": 1}, put={"at": int(facts.now)}),
        WriteFile(record_path(facts.root, STRIKE_FILE), line),
    )


def _released(facts: Facts) -> Verdict | None:
    # Nothing to clear, as with nearly every write: no effect then.
    if not facts.state.section(STRIKES):
        return None
    return record(Change(section=STRIKES, clear=True), RemoveFile(record_path(facts.root, STRIKE_FILE)))
